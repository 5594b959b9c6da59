"""Monte Carlo counterfactual regret minimization: for games whose tree is too large to enumerate.

External sampling: an iteration walks, for each seat in turn, all actions of that seat, and samples chance and the
others. Lanctot et al., "Monte Carlo sampling for regret minimization in extensive games" (NeurIPS 2009). Iteration t
weighs t in the average, and regrets are weighted in the same way, as in linear CFR (Brown and Sandholm, AAAI 2019).

All actions at a decision get the same chance outcomes (common random numbers). Each value keeps its distribution, and
the differences between values are less noisy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import bound, template
from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import MAX_PLAYERS, bind_rules
from cardgym.engine.rules import Generator, derive, hash_of, next_bits, rule, uniform, uniform_float
from cardgym.engine.states import new_state
from cardgym.errors import CardgymError
from cardgym.players.tables import Pairs, StrategyPlayer
from cardgym.solvers.walk import find_place, insert_all

_DEPTH = 256
"""The maximum number of decisions of one seat in a game."""
DONE, FULL, TOO_DEEP = range(3)
"""What a walk returns."""


class MCCFR:
    """External-sampling MCCFR over the hash of an observation, which identifies what a seat knows.

    With an observation that shows all that a seat knows, the average strategy approaches an equilibrium of a zero-sum
    game of two. A coarser observation is an abstraction; the strategy is then that of a simpler game.

    Attributes:
        iterations: the number run so far; each walks the game once for every seat.
        num_info_sets: the number of different observations encountered.
        decisions: the number of decisions in all walks since this object was created.
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
        branch: float = 1.0,
    ) -> None:
        """Start with the uniform strategy.

        Args:
            capacity: the initial size of the table of observations, which grows.
            by_deal: walk one deal per iteration, valued by what it pays, and then play on to the next deal; for games
                of many deals, whose full walk would never end. A deal's effect on later deals is ignored.
            branch: the share of a seat's own decisions, drawn at random, at which a walk tries all actions. At the
                others it samples one action, updates no regret, and uses the result as the decision's value. Such walks
                are short and unbiased, but visit rare actions less often.
        """
        self.game, self.options = game, options
        self.observation_name = observation_name or game.default_observation
        self.iterations = 0
        self.num_info_sets = 0
        self.decisions = 0
        self._observation = np.zeros(game.observation(self.observation_name).size(options), np.float32)
        self._states = np.repeat(np.array(new_state(game, options)), _DEPTH + 1)
        self._generator = np.zeros(2, np.uint64)
        self._generator[0] = derive(np.uint64(seed), np.uint64(0))
        self._actions = game.actions(options)
        self._by_deal = by_deal
        self._branch = branch
        self._resize(1 << (max(capacity, 2) - 1).bit_length())

    def run(self, iterations: int) -> None:
        """Run `iterations` more.

        Raises:
            CardgymError: for a game in which a seat decides too often for a walk over all its actions.
        """
        walks = bind_rules(_walk, self.game, self.observation_name)
        goal = self.iterations + iterations
        counters = np.array([self.iterations, self.num_info_sets, self.decisions])
        while True:
            status = walks(
                self._states,
                self.options.num_players,
                self._keys,
                self._regrets,
                self._sums,
                self._observation,
                self._generator,
                self._by_deal,
                self._branch,
                goal,
                counters,
            )
            self.iterations, self.num_info_sets, self.decisions = counters.tolist()
            if status == DONE:
                return
            if status == TOO_DEEP:
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

    def _resize(self, capacity: int) -> None:
        self._keys = np.zeros(capacity, np.uint64)
        self._regrets = np.zeros((capacity, self._actions), np.float32)
        self._sums = np.zeros((capacity, self._actions), np.float32)

    def _grow(self) -> None:
        keys, regrets, sums = self._keys, self._regrets, self._sums
        self._resize(2 * len(keys))
        used = np.flatnonzero(keys)
        places = np.empty(len(used), np.int64)
        insert_all(keys[used], self._keys, places)
        self._regrets[places], self._sums[places] = regrets[used], sums[used]


# -- compiled ---------------------------------------------------------------------------------------------------------


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
    """An action sampled from the strategy."""
    left = uniform_float(generator)
    chosen = -1
    for action in range(mask.shape[0]):
        if mask[action] and strategy[action] > 0.0 and left >= 0.0:
            chosen = action
            left -= strategy[action]
    return chosen


@template
def _walk(
    states: Any, num_players: int, keys: Any, regrets: Any, sums: Any, observation: Any, generator: Any, by_deal: bool,
    branch: float, goal: int, counters: Any,
) -> int:  # fmt: skip
    """Iterate up to `goal`. `states` has the initial state, the state at each frame, and last the one being played.

    A frame is a decision of the updating seat: its row in the table, its strategy, the values of its actions, and the
    position of the walk's chance stream.
    """
    num_actions = regrets.shape[1]
    depth_limit = states.shape[0] - 2
    places = np.empty(depth_limit, np.int64)
    actions = np.empty(depth_limit, np.int64)
    masks = np.empty((depth_limit, num_actions), np.int8)
    strategies = np.empty((depth_limit, num_actions))
    values = np.empty((depth_limit, num_actions))
    earned = np.empty(depth_limit + 1)
    chance = np.zeros(2, np.uint64)
    drawn = np.empty(depth_limit, np.uint64)
    branches = np.empty(depth_limit, np.bool_)
    mask = np.empty(num_actions, np.int8)
    strategy = np.empty(num_actions)
    paid = np.empty(MAX_PLAYERS)
    last = states.shape[0] - 1
    while counters[0] < goal:
        # An iteration adds few observations, so a half-empty table cannot fill up during one.
        if counters[1] * 2 >= keys.shape[0]:
            return FULL
        weight = float(counters[0] + 1)
        deal = bound.deal(states[0]) if by_deal else -1
        for turn in range(num_players):
            depth = 0
            chance[0], chance[1] = next_bits(generator), 0
            states[last] = states[0]
            total = 0.0
            move = np.int64(-1)
            while True:
                # Play a move, then on to the seat's next decision, or to the end.
                state = states[last]
                while True:
                    if move >= 0:
                        bound.apply_action(state, move)
                        for other in range(num_players):
                            paid[other] = 0.0
                        bound.rewards(state, paid)
                        total += paid[turn]
                    finished = by_deal and bound.deal(state) != deal
                    if finished:
                        break
                    outcomes = bound.num_chance_outcomes(state)
                    if outcomes > 0:
                        move = np.int64(uniform(chance, outcomes))
                        continue
                    seat = bound.current_player(state)
                    finished = seat < 0
                    if finished:
                        break
                    bound.legal_action_mask(state, mask)
                    bound.observe(state, seat, observation)
                    key = hash_of(observation)
                    place = find_place(keys, key)
                    if keys[place] == np.uint64(0):
                        if (counters[1] + 1) * 8 >= keys.shape[0] * 7:
                            return FULL
                        keys[place] = key
                        counters[1] += 1
                    counters[2] += 1
                    _match_regrets(regrets[place], mask, strategy)
                    if seat == turn:
                        break
                    for action in range(num_actions):
                        sums[place, action] += weight * strategy[action]
                    move = np.int64(_draw_action(strategy, mask, generator))
                if not finished:
                    if depth == depth_limit:
                        return TOO_DEEP
                    # A new frame: save the state and start with the first action.
                    states[depth + 1] = state
                    places[depth] = place
                    actions[depth] = -1
                    earned[depth] = total
                    drawn[depth] = chance[1]
                    for action in range(num_actions):
                        masks[depth, action] = mask[action]
                        strategies[depth, action] = strategy[action]
                    branches[depth] = branch >= 1.0 or uniform_float(generator) < branch
                    if not branches[depth]:
                        move = np.int64(_draw_action(strategy, mask, generator))
                        for action in range(num_actions):
                            masks[depth, action] = action == move
                            strategies[depth, action] = action == move
                    depth += 1
                elif depth > 0:
                    values[depth - 1, actions[depth - 1]] = total
                # The next action of the deepest frame; frames without one are complete.
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
                        if masks[frame, action] and branches[frame]:
                            regrets[places[frame], action] += weight * (values[frame, action] - value)
                    depth -= 1
                    if depth > 0:
                        values[depth - 1, actions[depth - 1]] = value
                if depth == 0:
                    break
                frame = depth - 1
                states[last] = states[frame + 1]
                total = earned[frame]
                chance[1] = drawn[frame]
                move = actions[frame]
        if by_deal:
            # Play out the deal with the current strategies; the next iteration starts where it ends.
            state = states[0]
            while bound.deal(state) == deal:
                outcomes = bound.num_chance_outcomes(state)
                if outcomes > 0:
                    bound.apply_action(state, np.int64(uniform(generator, outcomes)))
                    continue
                seat = bound.current_player(state)
                if seat < 0:
                    bound.setup(state)
                    break
                bound.legal_action_mask(state, mask)
                bound.observe(state, seat, observation)
                place = find_place(keys, hash_of(observation))
                _match_regrets(regrets[place], mask, strategy)
                bound.apply_action(state, _draw_action(strategy, mask, generator))
        counters[0] += 1
    return DONE
