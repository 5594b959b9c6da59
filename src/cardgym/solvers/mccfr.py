"""Monte Carlo counterfactual regret minimization: for games whose tree is too large to enumerate.

External sampling: an iteration walks, for each seat in turn, all actions of that seat, and samples chance and the
others. Lanctot et al., "Monte Carlo sampling for regret minimization in extensive games" (NeurIPS 2009). Iteration t
weighs t in the average, and regrets are weighted in the same way, as in linear CFR (Brown and Sandholm, AAAI 2019).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from cardgym.engine.compilation import bind
from cardgym.engine.contract import Game, Options
from cardgym.engine.kernel import code_name, rules_of
from cardgym.engine.rules import derive
from cardgym.engine.states import new_state
from cardgym.errors import CardgymError
from cardgym.players.tables import Pairs, StrategyPlayer
from cardgym.solvers.mccfr_walk import DONE, TOO_DEEP, walk
from cardgym.solvers.walk import insert_all

_DEPTH = 256
"""The most decisions of one seat in a game."""


class MCCFR:
    """External-sampling MCCFR over the hash of an observation, which identifies what a seat knows.

    With an observation that shows all that a seat knows, the average strategy approaches an equilibrium of a zero-sum
    game of two. A coarser observation is an abstraction; the strategy is then that of a simpler game.

    Attributes:
        iterations: the number run so far; each walks the game once for every seat.
        num_info_sets: the number of different observations met.
        decisions: the decisions that walks have met since this object was made.
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
        walks = _walk_of(self.game, self.observation_name)
        goal = self.iterations + iterations
        counters = np.array([self.iterations, self.num_info_sets, self.decisions])
        while True:
            status = walks(
                self._states,
                self._states.view(np.uint8).reshape(_DEPTH + 1, -1),
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


@cache
def _walk_of(game: Game, observation_name: str) -> Any:
    names = {**rules_of(game), "observe": game.observation(observation_name).write}
    return bind(walk, f"{code_name(game, rules_of(game).values())}_{observation_name}", **names)
