"""Mixtures of strategies over the tree of a game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cardgym.engine.numba.compilation import compiled
from cardgym.solvers.cfr import walk_down
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
    sizes = np.diff(tree.first_choice)
    sums = np.zeros(tree.num_choices)
    reach = np.empty((tree.num_nodes, tree.options.num_players + 1))
    own_reach = np.empty(tree.num_info_sets)
    for strategy, weight in zip(strategies, weights, strict=True):
        shape = tree.seats, tree.info_sets, tree.first_child, tree.num_children, tree.first_choice
        _find_own_reach(*shape, strategy, reach, own_reach)
        sums += weight * np.repeat(own_reach, sizes) * strategy
    totals = np.repeat(np.add.reduceat(sums, tree.first_choice[:-1]), sizes)
    return np.where(totals > 0, sums / np.where(totals > 0, totals, 1.0), tree.uniform())


@compiled
def _find_own_reach(
    seats: npt.NDArray[np.int64],
    info_sets: npt.NDArray[np.int64],
    first_child: npt.NDArray[np.int64],
    num_children: npt.NDArray[np.int64],
    first_choice: npt.NDArray[np.int64],
    strategy: npt.NDArray[np.float64],
    reach: npt.NDArray[np.float64],
    own_reach: npt.NDArray[np.float64],
) -> None:
    """The probability that the own choices of its seat lead to each information set, (num_info_sets,)."""
    walk_down(seats, info_sets, first_child, num_children, first_choice, strategy, reach, own_reach)
