"""Monte Carlo counterfactual regret minimisation: for games whose tree is too large to enumerate.

External sampling: an iteration walks, for each seat in turn, all actions of that seat, and samples chance and the
others. Lanctot et al., "Monte Carlo sampling for regret minimization in extensive games" (NeurIPS 2009). Iteration t
weighs t in the average, and regrets are weighted likewise, as in linear CFR (Brown and Sandholm, AAAI 2019).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import bind, bound, compiled, rule, template
from cardgym.engine.contract import Game, Options
from cardgym.engine.generator import Generator, derive, uniform, uniform_float
from cardgym.engine.kernel import MAX_PLAYERS, code_name, rules_of
from cardgym.errors import CardgymError
from cardgym.limits import check_memory
from cardgym.players.q_table import Pairs, hash_of
from cardgym.players.strategy_table import StrategyPlayer
from cardgym.untrusted.archives import Archive

_DEPTH = 256
"""The most decisions that one seat takes in a game."""
_PRUNED_WALKS = 0.95
_DONE, _FULL, _TOO_DEEP = range(3)


class MCCFR:
    """External-sampling MCCFR over the hash of an observation, which is what a seat is taken to know.

    With an observation that tells apart whatever a seat can tell apart, the average strategy approaches an equilibrium
    of a zero-sum game of two. With a coarser one, an abstraction, it is the strategy of a simpler game.

    Attributes:
        game: the game.
        options: its options.
        observation_name: the observation.
        iterations: how many were run; each walks the game once for every seat.
        num_info_sets: how many different observations were met.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        observation_name: str | None = None,
        *,
        seed: int = 0,
        capacity: int = 1024,
        by_deal: bool = False,
        prune: float = 0.0,
        zero_sum: bool = False,
    ) -> None:
        """Start with the uniform strategy.

        Args:
            game: the game.
            options: its options.
            observation_name: the observation; the game's default if None.
            seed: of what is sampled.
            capacity: for how many observations there is room at first.
            by_deal: walk one deal an iteration, for what it pays, and play on to the next; for games of many deals,
                whose walk would never end. What a deal means for later ones is left out.
            prune: above 0, 19 of 20 walks leave out the actions that the seat does not take and whose regret is below
                -`prune` times the iteration's weight: so many rewards would have to come before it takes them. Brown
                and Sandholm, "Superhuman AI for multiplayer poker" (Science 365, 2019), supplement.
            zero_sum: subtract from what each seat is paid the mean of all seats, for games that pay all seats for
                something: an equilibrium of what each wins from the others.

        Raises:
            CardgymError: for an unknown observation.
        """
        self.game, self.options = game, options
        self.observation_name = observation_name or game.default_observation
        self.iterations = 0
        self.num_info_sets = 0
        self._observation = np.zeros(game.observation(self.observation_name).size(options), np.float32)
        self._states = np.repeat(np.array(game.new_state(options)), _DEPTH + 1)
        self._generator = np.zeros(2, np.uint64)
        self._generator[0] = derive(np.uint64(seed), np.uint64(0))
        self._actions = game.actions(options)
        self._by_deal = by_deal
        self._prune = prune
        self._zero_sum = zero_sum
        self._resize(1 << (max(capacity, 2) - 1).bit_length())

    def run(self, iterations: int) -> None:
        """Run so many more iterations.

        Raises:
            CardgymError: for a game in which a seat decides too often for a walk of all its actions.
        """
        walk = _walk_of(self.game, self.observation_name)
        goal = self.iterations + iterations
        counters = np.array([self.iterations, self.num_info_sets])
        while True:
            status = walk(
                self._states,
                self._states.view(np.uint8).reshape(_DEPTH + 1, -1),
                self.options.num_players,
                self._keys,
                self._regrets,
                self._sums,
                self._observation,
                self._generator,
                self._by_deal,
                self._prune,
                self._zero_sum,
                goal,
                counters,
            )
            self.iterations, self.num_info_sets = counters.tolist()
            if status == _DONE:
                return
            if status == _TOO_DEEP:
                raise CardgymError(
                    f"{self.game.id}: a seat takes more than {_DEPTH} decisions in a game, too many to walk; choose "
                    "options with a shorter game"
                )
            self._grow()

    @property
    def average(self) -> Pairs:
        """The average strategy: probabilities by observation and action, sorted."""
        used = np.flatnonzero(self._keys)
        sums = self._sums[used]
        totals = sums.sum(1, keepdims=True)
        shares = sums / np.where(totals > 0, totals, 1.0)
        rows, actions = np.nonzero(shares)
        keys = self._keys[used][rows]
        order = np.lexsort((actions, keys))
        return Pairs(keys[order], actions[order].astype(np.int32), shares[rows, actions][order].astype(np.float64))

    def player(self, name: str = "mccfr") -> StrategyPlayer:
        """The player of the average strategy."""
        return StrategyPlayer(name, self.observation_name, self.average)

    def state_dict(self) -> dict[str, npt.NDArray[Any]]:
        """All that decides how it goes on."""
        used = np.flatnonzero(self._keys)
        return {
            "keys": self._keys[used],
            "regrets": self._regrets[used].reshape(-1),
            "sums": self._sums[used].reshape(-1),
            "generator": self._generator,
            "start": self._states[:1].view(np.uint8).reshape(-1),
            "counts": np.array([len(self._keys), self.iterations]),
        }

    def load_state_dict(self, state: Archive, what: str) -> None:
        """Restore what `state_dict` returned, from a file that `what` names in errors.

        Raises:
            CardgymError: where it does not fit the game.
        """
        keys, counts = state.array("keys", np.uint64), state.array("counts", np.int64)
        generator, start = state.array("generator", np.uint64), state.array("start", np.uint8)
        regrets, sums = state.array("regrets", np.float32), state.array("sums", np.float32)
        copy = self._states[:1].view(np.uint8).reshape(-1)
        size = len(keys) * self._actions
        fits = len(counts) == len(generator) == 2 and len(start) == len(copy) and len(regrets) == len(sums) == size
        if not (fits and keys.all() and len(keys) < counts[0] and counts[1] >= 0):
            raise CardgymError(f"{what}: does not fit {self.game.id}")
        capacity = int(counts[0])
        check_memory(f"{what}: a table of {capacity:,} observations", capacity * (8 + 8 * self._actions), "start anew")
        self._resize(1 << (capacity - 1).bit_length())
        places = np.empty(len(keys), np.int64)
        _insert_all(keys, self._keys, places)
        self._regrets[places], self._sums[places] = regrets.reshape(len(keys), -1), sums.reshape(len(keys), -1)
        self._generator[:], copy[:] = generator, start
        self.num_info_sets, self.iterations = len(keys), int(counts[1])

    def _resize(self, capacity: int) -> None:
        self._keys = np.zeros(capacity, np.uint64)
        self._regrets = np.zeros((capacity, self._actions), np.float32)
        self._sums = np.zeros((capacity, self._actions), np.float32)

    def _grow(self) -> None:
        keys, regrets, sums = self._keys, self._regrets, self._sums
        self._resize(2 * len(keys))
        used = np.flatnonzero(keys)
        places = np.empty(len(used), np.int64)
        _insert_all(keys[used], self._keys, places)
        self._regrets[places], self._sums[places] = regrets[used], sums[used]


@cache
def _walk_of(game: Game, observation_name: str) -> Any:
    names = {**rules_of(game), "observe": game.observation(observation_name).write}
    return bind(_walk, f"{code_name(game, rules_of(game).values())}_{observation_name}", **names)


@compiled
def _insert_all(fresh: npt.NDArray[np.uint64], keys: npt.NDArray[np.uint64], places: npt.NDArray[np.int64]) -> None:
    for number in range(fresh.shape[0]):
        places[number] = place_of(keys, fresh[number])
        keys[places[number]] = fresh[number]


@rule
def place_of(keys: npt.NDArray[np.uint64], key: np.uint64) -> int:
    """Where a key stands in an open-addressed table, or would stand."""
    last = np.int64(keys.shape[0] - 1)
    place = np.int64(key & np.uint64(last))
    while keys[place] != np.uint64(0) and keys[place] != key:
        place = (place + 1) & last
    return int(place)


@rule
def match_regrets(regrets: npt.NDArray[np.float32], mask: npt.NDArray[np.int8], out: npt.NDArray[np.float64]) -> None:
    """Fill `out` with the strategy in proportion to positive regrets; uniform over what is legal where none is."""
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
def draw_action(strategy: npt.NDArray[np.float64], mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """An action drawn by its probability."""
    left = uniform_float(generator)
    chosen = -1
    for action in range(mask.shape[0]):
        if mask[action] and strategy[action] > 0.0 and left >= 0.0:
            chosen = action
            left -= strategy[action]
    return chosen


@rule
def won(paid: npt.NDArray[np.float64], seat: int, num_players: int, zero_sum: bool) -> float:
    """What a seat is paid, with `zero_sum` less the mean of all seats."""
    result = float(paid[seat])
    if zero_sum:
        for other in range(num_players):
            result -= paid[other] / num_players
    return result


@template
def _walk(
    states: Any, copies: Any, num_players: int, keys: Any, regrets: Any, sums: Any, observation: Any, generator: Any,
    by_deal: bool, prune: float, zero_sum: bool, goal: int, counters: Any,
) -> int:  # fmt: skip
    """Iterate up to `goal`; `states` and `copies` are the same memory: the start, and the state at each frame.

    A frame is a decision of the seat that updates: its place in the table, its strategy, and the values of its actions.
    """
    num_actions = regrets.shape[1]
    depth_limit = states.shape[0] - 2
    places = np.empty(depth_limit, np.int64)
    actions = np.empty(depth_limit, np.int64)
    masks = np.empty((depth_limit, num_actions), np.int8)
    strategies = np.empty((depth_limit, num_actions))
    values = np.empty((depth_limit, num_actions))
    earned = np.empty(depth_limit + 1)
    mask = np.empty(num_actions, np.int8)
    strategy = np.empty(num_actions)
    paid = np.empty(MAX_PLAYERS)
    size = copies.shape[1]
    last = states.shape[0] - 1
    while counters[0] < goal:
        # An iteration meets few new observations; with half of the table free it cannot fill up on the way.
        if counters[1] * 2 >= keys.shape[0]:
            return _FULL
        weight = float(counters[0] + 1)
        deal = bound.deal(states[0]) if by_deal else -1
        for turn in range(num_players):
            depth = 0
            pruning = prune > 0.0 and uniform_float(generator) < _PRUNED_WALKS
            for byte in range(size):
                copies[last, byte] = copies[0, byte]
            total = 0.0
            while True:
                # Play on from the state in hand to the next decision of the seat, or to the end.
                state = states[last]
                finished = False
                while True:
                    outcomes = bound.num_chance_outcomes(state)
                    if by_deal and bound.deal(state) != deal:
                        finished = True
                        break
                    if outcomes > 0:
                        move = np.int64(uniform(generator, outcomes))
                    else:
                        seat = bound.current_player(state)
                        if seat < 0:
                            finished = True
                            break
                        bound.legal_action_mask(state, mask)
                        bound.observe(state, seat, observation)
                        key = hash_of(observation)
                        place = place_of(keys, key)
                        if keys[place] == np.uint64(0):
                            if (counters[1] + 1) * 8 >= keys.shape[0] * 7:
                                return _FULL
                            keys[place] = key
                            counters[1] += 1
                        match_regrets(regrets[place], mask, strategy)
                        if seat == turn:
                            break
                        for action in range(num_actions):
                            sums[place, action] += weight * strategy[action]
                        move = np.int64(draw_action(strategy, mask, generator))
                    bound.apply_action(state, move)
                    for other in range(num_players):
                        paid[other] = 0.0
                    bound.rewards(state, paid)
                    total += won(paid, turn, num_players, zero_sum)
                if not finished:
                    if depth == depth_limit:
                        return _TOO_DEEP
                    # A new frame: remember the state, and start with the first action.
                    for byte in range(size):
                        copies[depth + 1, byte] = copies[last, byte]
                    places[depth] = place
                    actions[depth] = -1
                    earned[depth] = total
                    for action in range(num_actions):
                        masks[depth, action] = mask[action]
                        if pruning and strategy[action] == 0.0 and regrets[place, action] < -prune * weight:
                            masks[depth, action] = 0
                        strategies[depth, action] = strategy[action]
                    depth += 1
                else:
                    result = total
                    if depth > 0:
                        values[depth - 1, actions[depth - 1]] = result
                # The next action of the deepest frame; frames without one are settled.
                while depth > 0:
                    frame = depth - 1
                    action = actions[frame] + 1
                    while action < num_actions and masks[frame, action] == 0:
                        action += 1
                    if action < num_actions:
                        actions[frame] = action
                        break
                    value = 0.0
                    for action in range(num_actions):
                        if masks[frame, action]:
                            value += strategies[frame, action] * values[frame, action]
                    for action in range(num_actions):
                        if masks[frame, action]:
                            regrets[places[frame], action] += weight * (values[frame, action] - value)
                    depth -= 1
                    if depth > 0:
                        values[depth - 1, actions[depth - 1]] = value
                if depth == 0:
                    break
                frame = depth - 1
                for byte in range(size):
                    copies[last, byte] = copies[frame + 1, byte]
                total = earned[frame]
                state = states[last]
                bound.apply_action(state, actions[frame])
                for other in range(num_players):
                    paid[other] = 0.0
                bound.rewards(state, paid)
                total += won(paid, turn, num_players, zero_sum)
        if by_deal:
            # Play the deal by the strategies as they are, and begin the next iteration where it ends.
            state = states[0]
            while True:
                outcomes = bound.num_chance_outcomes(state)
                if outcomes > 0:
                    bound.apply_action(state, np.int64(uniform(generator, outcomes)))
                    if bound.deal(state) != deal:
                        break
                    continue
                seat = bound.current_player(state)
                if seat < 0:
                    bound.setup(state)
                    break
                bound.legal_action_mask(state, mask)
                bound.observe(state, seat, observation)
                place = place_of(keys, hash_of(observation))
                match_regrets(regrets[place], mask, strategy)
                bound.apply_action(state, draw_action(strategy, mask, generator))
                if bound.deal(state) != deal:
                    break
        counters[0] += 1
    return _DONE
