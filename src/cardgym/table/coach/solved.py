"""Exact values of actions in a game of two that can be solved in seconds, against an equilibrium of it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cardgym.engine.contract import Float64s, Game, Options, State
from cardgym.solvers.best_response import best_response, nash_conv, node_values, reach_probabilities
from cardgym.solvers.cfr import CFR
from cardgym.solvers.exact import small_tree
from cardgym.solvers.tree import GameTree, Strategy
from cardgym.table.coach.advice import ActionAdvice, Advice, ranked
from cardgym.table.coach.playouts import look
from cardgym.table.presentation import text_of

_NODES_WALKED = 60_000_000
"""The budget for an equilibrium, some seconds: 60 iterations in a tree of a million nodes."""
_MAX_ITERATIONS = 10_000
_TREMBLE = 1e-6
"""The share of `random` in the equilibrium, so that every position has a probability."""
_RARE = 0.03
"""Positions that the others lead to less often have the errors of those that they lead to this often."""


class SolvedGame:
    """What every action pays if the opponent plays an equilibrium and the seat plays as well as possible from there on.

    The error is what the strategy may still change: what both seats together gain from it by best responses, divided by
    the probability that chance and the opponent lead to the position.
    """

    def __init__(self, tree: GameTree) -> None:
        """Approach an equilibrium by discounted CFR, then find the values."""
        self._game, self._options = tree.game, tree.options
        solver = CFR(tree, "dcfr")
        solver.run(min(_NODES_WALKED // tree.num_nodes, _MAX_ITERATIONS))
        gain = nash_conv(tree, solver.average)
        sums, reached = _choice_sums(tree, (1.0 - _TREMBLE) * solver.average + _TREMBLE * tree.uniform())
        cuts, (views, _) = tree.arrays.first_choice[1:-1], tree.look()
        found: dict[tuple[bytes, tuple[int, ...]], tuple[Float64s, float]] = {}
        for view, actions, part, share in zip(
            views, np.split(tree.choice_actions, cuts), np.split(sums, cuts), reached.tolist(), strict=True
        ):
            key = view.tobytes(), tuple(actions.tolist())  # Shared by sets that differ in what the view forgets.
            total, weight = found.get(key, (np.zeros(len(part)), 0.0))
            found[key] = total + part, weight + share
        self._values = {key: (total / weight, gain / max(weight, _RARE)) for key, (total, weight) in found.items()}

    def advise(
        self, state: State, seat: int, kind: str = "decision", *, blunder: float = 0.2, base: float = 0.0
    ) -> Advice:
        """The advice for the seat to decide; values are what it is paid from then on, less `base`."""
        observation, legal = look(self._game, self._options, state, seat)
        values, error = self._values[observation.tobytes(), tuple(legal)]
        best = values.max()
        actions = [
            ActionAdvice(action, text_of(self._game, state, action), value - base, error=error if value < best else 0.0)
            for action, value in zip(legal, values.tolist(), strict=True)
        ]
        unit = self._game.unit
        return Advice(kind, unit, "exact values against an equilibrium", ranked(actions, unit), blunder)


def _choice_sums(tree: GameTree, strategy: Strategy) -> tuple[Float64s, Float64s]:
    """What every choice pays from then on, times the probability that the others lead to its set, and that."""
    arrays = tree.arrays
    sums, reached = np.zeros(tree.num_choices), np.zeros(tree.num_info_sets)
    for seat in range(tree.num_players):
        values = node_values(tree, best_response(tree, strategy, seat).strategy, seat)
        reach = reach_probabilities(tree, strategy, seat)
        nodes = np.flatnonzero(arrays.seats == seat)
        sets = arrays.info_sets[nodes]
        np.add.at(reached, sets, reach[nodes])
        sizes = tree.sizes[sets]
        node, number = np.repeat(nodes, sizes), np.arange(sizes.sum()) - np.repeat(sizes.cumsum() - sizes, sizes)
        gains = values[arrays.targets[arrays.first_edge[node] + number]] - tree.paid_before[node, seat]
        np.add.at(sums, arrays.first_choice[arrays.info_sets[node]] + number, reach[node] * gains)
    return sums, reached


@lru_cache(8)  # Values take megabytes, the tree hundreds, and solving it seconds.
def solved_game(game: Game, options: Options) -> SolvedGame | None:
    """The values of a game; None if it is too large or does not have two seats."""
    tree = small_tree(game, options) if options.num_players == 2 else None
    small_tree.cache_clear()
    return None if tree is None else SolvedGame(tree)
