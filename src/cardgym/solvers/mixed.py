"""Mixtures of strategies over the tree of a game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.solvers.tree import GameTree, Strategy


def mixed_strategy(tree: GameTree, strategies: Sequence[Strategy], weights: Sequence[float]) -> Strategy:
    """The strategy that plays as a mixture does that draws one strategy for each game, each seat by itself.

    At an information set each strategy counts with its weight and the probability that its own choices lead there
    (Kuhn, "Extensive games and the problem of information", 1953); uniform where none leads there.

    Args:
        tree: the game.
        strategies: each (num_choices,), float64.
        weights: how likely each of them is, summing to 1.
    """
    decisions = np.flatnonzero(tree.info_sets >= 0)
    sets, first = np.unique(tree.info_sets[decisions], return_index=True)
    nodes = np.empty(tree.num_info_sets, np.int64)
    nodes[sets] = decisions[first]  # With perfect recall, all nodes of a set have the same own choices behind them.
    sizes = np.diff(tree.first_choice)
    sums = np.zeros(tree.num_choices)
    for strategy, weight in zip(strategies, weights, strict=True):
        reach = np.ones((tree.num_nodes, tree.options.num_players))
        _own_reach(tree.seats, tree.info_sets, tree.first_child, tree.num_children, tree.first_choice, strategy, reach)
        sums += weight * np.repeat(reach[nodes, tree.set_seats], sizes) * strategy
    totals = np.repeat(np.add.reduceat(sums, tree.first_choice[:-1]), sizes)
    return np.where(totals > 0, sums / np.where(totals > 0, totals, 1.0), tree.uniform())


@compiled
def _own_reach(
    seats: npt.NDArray[np.int64],
    info_sets: npt.NDArray[np.int64],
    first_child: npt.NDArray[np.int64],
    num_children: npt.NDArray[np.int64],
    first_choice: npt.NDArray[np.int64],
    strategy: npt.NDArray[np.float64],
    reach: npt.NDArray[np.float64],
) -> None:
    """The probability that each seat's own choices lead to each node, (num_nodes, num_players)."""
    for node in range(seats.shape[0]):
        for number in range(num_children[node]):
            child = first_child[node] + number
            for seat in range(reach.shape[1]):
                reach[child, seat] = reach[node, seat]
            if seats[node] >= 0:
                reach[child, seats[node]] *= strategy[first_choice[info_sets[node]] + number]
