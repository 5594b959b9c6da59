"""Monte Carlo counterfactual regret minimization: for games whose tree is too large to enumerate.

External sampling: an iteration walks, for each seat in turn, all actions of that seat, and samples chance and the
others. Lanctot et al., "Monte Carlo sampling for regret minimization in extensive games" (NeurIPS 2009). Iteration t
weighs t in the average, and regrets are weighted in the same way, as in linear CFR (Brown and Sandholm, AAAI 2019).

All actions at a decision get the same chance outcomes (common random numbers). Each value keeps its distribution, and
the differences between values are less noisy.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.binding import bind_rules
from cardgym.engine.compilation import bound, template
from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import MAX_PLAYERS
from cardgym.engine.rules import Generator, derive, hash_of, next_bits, rule, uniform, uniform_float
from cardgym.engine.states import new_state
from cardgym.errors import CardgymError
from cardgym.players.tables import Pairs, StrategyPlayer
from cardgym.solvers.walk import find_place, insert_all

_DEPTH = 255
"""The maximum number of decisions of one seat in a game."""
DONE, FULL, TOO_DEEP = range(3)
"""What a walk returns."""
_OVER, _NO_ROOM = -1, -2
"""In place of a place in the table: the game is over, or the table is full."""
ITERATIONS, INFO_SETS, DECISIONS = range(3)
"""The indices of the counters."""


class _Table(NamedTuple):
    """Cumulative regrets and strategies by the hash of an observation, an open-addressed table; 0 is an empty place."""

    keys: npt.NDArray[np.uint64]
    regrets: npt.NDArray[np.float32]
    sums: npt.NDArray[np.float32]


class _Frames(NamedTuple):
    """The decisions of the updating seat on the way to the state being played, by their depth."""

    places: npt.NDArray[np.int64]  # In the table.
    actions: npt.NDArray[np.int64]  # The action being walked; -1 before the first.
    masks: npt.NDArray[np.int8]
    strategies: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]  # Of the actions walked.
    earned: npt.NDArray[np.float64]  # What the seat was paid before.
    drawn: npt.NDArray[np.uint64]  # The position of the walk's chance stream.


class _Now(NamedTuple):
    """The state being played: what is seen and done there, and the walk's own chance stream."""

    mask: npt.NDArray[np.int8]
    strategy: npt.NDArray[np.float64]
    observation: npt.NDArray[np.float32]
    paid: npt.NDArray[np.float64]
    total: npt.NDArray[np.float64]  # What the updating seat has been paid.
    chance: Generator


class MCCFR:
    """Run external-sampling MCCFR over the hash of an observation, which identifies what a seat knows.

    The source is Lanctot et al., "Monte Carlo sampling for regret minimization in extensive games" (NIPS 2009).
    With an observation that shows all that a seat knows, the average strategy approaches an equilibrium of a zero-sum
    game of two. A coarser observation is an abstraction; the strategy is then that of a simpler game.

    Args:
        game: the game.
        options: its options.
        observation_name: the observation that identifies situations; the game's first if None.
        seed: the seed of the walks.
        capacity: the initial size of the table of observations, which grows.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        observation_name: str | None = None,
        *,
        seed: int = 0,
        capacity: int = 1024,
    ) -> None:
        self.game, self.options = game, options
        self.observation_name = observation_name or game.default_observation
        self._counters = np.zeros(3, np.int64)
        self._states = np.repeat(np.array(new_state(game, options)), _DEPTH + 2)
        self._generator = np.array([derive(np.uint64(seed), np.uint64(0)), 0], np.uint64)
        actions = game.actions(options)
        size = (_DEPTH, actions)
        self._frames = _Frames(
            np.zeros(_DEPTH, np.int64), np.zeros(_DEPTH, np.int64), np.zeros(size, np.int8), np.zeros(size),
            np.zeros(size), np.zeros(_DEPTH), np.zeros(_DEPTH, np.uint64),
        )  # fmt: skip
        observation = np.zeros(game.observation(self.observation_name).size(options), np.float32)
        self._now = _Now(
            np.zeros(actions, np.int8), np.zeros(actions), observation, np.zeros(MAX_PLAYERS), np.zeros(1),
            np.zeros(2, np.uint64),
        )  # fmt: skip
        self._table = _new_table(1 << (max(capacity, 2) - 1).bit_length(), actions)

    @property
    def iterations(self) -> int:
        """The number run so far; each walks the game once for every seat."""
        return int(self._counters[ITERATIONS])

    @property
    def num_info_sets(self) -> int:
        """The number of different observations encountered."""
        return int(self._counters[INFO_SETS])

    @property
    def decisions(self) -> int:
        """The number of decisions in all walks since this object was created."""
        return int(self._counters[DECISIONS])

    def run(self, iterations: int) -> None:
        """Run `iterations` more.

        Raises:
            CardgymError: for a game in which a seat decides too often for a walk over all its actions.
        """
        iterate = bind_rules(_iterate, self.game, self.observation_name, (_look_at, _play_to_turn, _update_seat))
        parts = self._frames, self._now, self._generator
        goal = self.iterations + iterations
        while (status := iterate(self._states, self._table, *parts, goal, self._counters)) != DONE:
            if status == TOO_DEEP:
                raise CardgymError(
                    f"{self.game.id}: a seat takes more than {_DEPTH} decisions in a game, too many to walk; choose "
                    "options with a shorter game"
                )
            self._grow()

    @property
    def average(self) -> Pairs:
        """The average strategy: probabilities by observation and action, sorted."""
        used = np.flatnonzero(self._table.keys)
        sums = self._table.sums[used]
        totals = sums.sum(1, keepdims=True)
        shares = sums / np.where(totals > 0, totals, 1.0)
        rows, actions = np.nonzero(shares)
        keys = self._table.keys[used][rows]
        order = np.lexsort((actions, keys))
        return Pairs(keys[order], actions[order].astype(np.int32), shares[rows, actions][order].astype(np.float64))

    def player(self, name: str = "mccfr") -> StrategyPlayer:
        """Return the player of the average strategy."""
        return StrategyPlayer(name, self.observation_name, self.average)

    def _grow(self) -> None:
        old = self._table
        self._table = _new_table(2 * len(old.keys), old.sums.shape[1])
        used = np.flatnonzero(old.keys)
        places = np.empty(len(used), np.int64)
        insert_all(old.keys[used], self._table.keys, places)
        self._table.regrets[places], self._table.sums[places] = old.regrets[used], old.sums[used]


def _new_table(capacity: int, actions: int) -> _Table:
    size = (capacity, actions)
    return _Table(np.zeros(capacity, np.uint64), np.zeros(size, np.float32), np.zeros(size, np.float32))


# -- compiled ---------------------------------------------------------------------------------------------------------


@template
def _iterate(states: Any, table: Any, frames: Any, now: Any, generator: Any, goal: int, counters: Any) -> int:
    """Iterate up to `goal`. `states` has the initial state, the state at each frame, and last the one being played."""
    while counters[ITERATIONS] < goal:
        # An iteration adds few observations, so a half-empty table cannot fill up during one.
        if counters[INFO_SETS] * 2 >= table.keys.shape[0]:
            return FULL
        for turn in range(states[0].num_players):
            status: int = bound.update_seat(turn, states, table, frames, now, generator, counters)
            if status != DONE:
                return status
        counters[ITERATIONS] += 1
    return DONE


@template
def _update_seat(turn: int, states: Any, table: Any, frames: Any, now: Any, generator: Any, counters: Any) -> int:
    """Walk the actions of one seat from the initial state, and update the regrets of its decisions."""
    last = states.shape[0] - 1
    weight = float(counters[ITERATIONS] + 1)
    now.chance[0], now.chance[1] = next_bits(generator), 0
    now.total[0] = 0.0
    states[last] = states[0]
    depth = 0
    move = -1
    while True:
        place = bound.play_to_turn(states[last], move, turn, table, now, generator, counters)
        if place == _NO_ROOM:
            return FULL
        if place >= 0:
            if depth == frames.places.shape[0]:
                return TOO_DEEP
            states[depth + 1] = states[last]
            _open_frame(place, depth, frames, now)
            depth += 1
        elif depth > 0:
            frames.values[depth - 1, frames.actions[depth - 1]] = now.total[0]
        while depth > 0 and not _try_next_action(depth - 1, frames):
            value = _close_frame(depth - 1, weight, frames, table)
            depth -= 1
            if depth > 0:
                frames.values[depth - 1, frames.actions[depth - 1]] = value
        if depth == 0:
            return DONE
        states[last] = states[depth]
        now.total[0] = frames.earned[depth - 1]
        now.chance[1] = frames.drawn[depth - 1]
        move = frames.actions[depth - 1]


@template
def _play_to_turn(state: Any, move: int, turn: int, table: Any, now: Any, generator: Any, counters: Any) -> int:
    """Play a move (none if -1), then chance and the other seats: to the place of the seat's next decision in the table.

    Returns _OVER where the walk ends instead, and _NO_ROOM if the table is full.
    """
    weight = float(counters[ITERATIONS] + 1)
    while True:
        if move >= 0:
            bound.apply_action(state, move)
            now.paid[:] = 0.0
            bound.rewards(state, now.paid)
            now.total[0] += now.paid[turn]
        outcomes = bound.num_chance_outcomes(state)
        if outcomes > 0:
            move = uniform(now.chance, outcomes)
            continue
        seat = bound.current_player(state)
        if seat < 0:
            return _OVER
        key = bound.look_at(state, seat, now)
        place = find_place(table.keys, key)
        if table.keys[place] == np.uint64(0):
            if (counters[INFO_SETS] + 1) * 8 >= table.keys.shape[0] * 7:
                return _NO_ROOM
            table.keys[place] = key
            counters[INFO_SETS] += 1
        counters[DECISIONS] += 1
        _match_regrets(table.regrets[place], now.mask, now.strategy)
        if seat == turn:
            return place
        for action in range(now.mask.shape[0]):
            table.sums[place, action] += weight * now.strategy[action]
        move = _draw_action(now.strategy, now.mask, generator)


@template
def _look_at(state: Any, seat: int, now: Any) -> np.uint64:
    """Write the mask of a decision; returns the hash of the observation."""
    bound.legal_action_mask(state, now.mask)
    bound.observe(state, seat, now.observation)
    return hash_of(now.observation)


@rule
def _open_frame(place: int, depth: int, frames: Any, now: Any) -> None:
    frames.places[depth] = place
    frames.actions[depth] = -1
    frames.earned[depth] = now.total[0]
    frames.drawn[depth] = now.chance[1]
    for action in range(now.mask.shape[0]):
        frames.masks[depth, action] = now.mask[action]
        frames.strategies[depth, action] = now.strategy[action]


@rule
def _try_next_action(frame: int, frames: Any) -> bool:
    """Move on to the frame's next action; False if there is none."""
    for action in range(frames.actions[frame] + 1, frames.masks.shape[1]):
        if frames.masks[frame, action]:
            frames.actions[frame] = action
            return True
    return False


@rule
def _close_frame(frame: int, weight: float, frames: Any, table: Any) -> float:
    """Add to the regrets of a decision whose actions have all been walked; returns its value."""
    value = 0.0
    for action in range(frames.masks.shape[1]):
        if frames.masks[frame, action]:
            value += frames.strategies[frame, action] * frames.values[frame, action]
    for action in range(frames.masks.shape[1]):
        if frames.masks[frame, action]:
            table.regrets[frames.places[frame], action] += weight * (frames.values[frame, action] - value)
    return value


@rule
def _match_regrets(regrets: npt.NDArray[np.float32], mask: npt.NDArray[np.int8], out: npt.NDArray[np.float64]) -> None:
    """Fill `out` with the strategy proportional to positive regrets; uniform over legal actions if none is positive."""
    total = 0.0
    legal = 0
    for action in range(mask.shape[0]):
        out[action] = max(float(regrets[action]), 0.0) if mask[action] else 0.0
        total += out[action]
        legal += mask[action] != 0
    for action in range(mask.shape[0]):
        if mask[action]:
            out[action] = out[action] / total if total > 0.0 else 1.0 / legal


@rule
def _draw_action(strategy: npt.NDArray[np.float64], mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """Return an action sampled from the strategy."""
    left = uniform_float(generator)
    chosen = -1
    for action in range(mask.shape[0]):
        if mask[action] and strategy[action] > 0.0 and left >= 0.0:
            chosen = action
            left -= strategy[action]
    return chosen
