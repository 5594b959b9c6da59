"""Exact values of actions in a game of two that can be solved in seconds, against an equilibrium or a known player."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cardgym.engine.contract import Float64s, Game, Options, State
from cardgym.engine.digest import keeps_results
from cardgym.players import Player, resolve
from cardgym.solvers.best_response import best_response, nash_conv, node_values, reach_probabilities
from cardgym.solvers.cfr import CFR
from cardgym.solvers.exact import small_tree
from cardgym.solvers.strategies import known_strategy, sampled_strategy
from cardgym.solvers.tree import GameTree, Strategy
from cardgym.table.coach.advice import ActionAdvice, Advice, ranked
from cardgym.table.coach.playouts import look
from cardgym.table.people import shown_name
from cardgym.table.presentation import text_of

_NODES_WALKED = 60_000_000
"""The budget for an equilibrium, some seconds: 60 iterations in a tree of a million nodes."""
_MAX_ITERATIONS = 10_000
_TREMBLE = 1e-6
"""The share of `random` in the equilibrium, so that every position has a probability."""
_RARE = 0.03
"""Positions that the others lead to less often have the errors of those that they lead to this often."""
_DRAWS, _MOST_DRAWS = 2_000_000, 1_000
"""How often a player whose probabilities are unknown is asked: in all, and at most at each information set."""


class SolvedGame:
    """What every action pays if the seat plays as well as possible from there on, against an equilibrium or a player.

    The error is what the strategy may still change: what both seats together gain from it by best responses, divided by
    the probability that chance and the opponent lead to the position. Values against a player have none.
    """

    def __init__(self, tree: GameTree, opponent: Player | None = None) -> None:
        """Find the values against a player, or against an equilibrium, which discounted CFR approaches."""
        self._game, self._options = tree.game, tree.options
        if opponent is None:
            self._source, solver = "exact values against an equilibrium", CFR(tree, "dcfr")
            solver.run(min(_NODES_WALKED // tree.num_nodes, _MAX_ITERATIONS))
            strategy, gain = solver.average, nash_conv(tree, solver.average)
        else:
            self._source, gain = f"exact values against {shown_name(opponent.name)}", 0.0
            known = known_strategy(tree, opponent)
            draws = min(_DRAWS // tree.num_info_sets, _MOST_DRAWS)
            strategy = sampled_strategy(tree, opponent, draws, seed=0) if known is None else known
        sums, reached = _choice_sums(tree, (1.0 - _TREMBLE) * strategy + _TREMBLE * tree.uniform())
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
        self,
        state: State,
        seat: int,
        kind: str = "decision",
        *,
        blunder: float = 0.2,
        base: float = 0.0,
        unit: str = "",
        scale: float = 1.0,
    ) -> Advice:
        """Return the advice for the seat to decide: its payment from then on, less `base`, times `scale`, in `unit`."""
        observation, legal = look(self._game, self._options, state, seat)
        values, error = self._values[observation.tobytes(), tuple(legal)]
        values, error, unit = scale * (values - base), scale * error, unit or self._game.unit
        best = values.max()
        actions = [
            ActionAdvice(action, text_of(self._game, state, action), value, error=error if value < best else 0.0)
            for action, value in zip(legal, values.tolist(), strict=True)
        ]
        return Advice(kind, unit, self._source, ranked(actions, unit), blunder)


def _choice_sums(tree: GameTree, strategy: Strategy) -> tuple[Float64s, Float64s]:
    """Return what every choice pays from then on, times the probability that the others lead to its set, and that."""
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


@keeps_results
@lru_cache(8)  # Values take megabytes, the tree hundreds, and solving it seconds.
def solved_game(game: Game, options: Options, opponent: str = "") -> SolvedGame | None:
    """Return the values of a game against a player of it, by name; for an empty one against an equilibrium.

    None if the game is too large or does not have two seats.
    """
    tree = small_tree(game, options) if options.num_players == 2 else None
    small_tree.cache_clear()
    return None if tree is None else SolvedGame(tree, resolve(opponent, game, options) if opponent else None)
