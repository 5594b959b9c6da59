"""Exact values, best responses and exploitability of strategies over the tree of a game."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cardgym.engine.numba.compilation import compiled
from cardgym.solvers.tree import GameTree, Strategy, TreeArrays


@dataclass(frozen=True, eq=False)
class BestResponse:
    """What is best for one seat while the others keep to their strategies.

    Attributes:
        value: the expected return of the seat.
        strategy: the strategy with the seat's best actions (the first of several) instead of its own.
    """

    value: float
    strategy: Strategy


def expected_returns(tree: GameTree, strategy: Strategy) -> npt.NDArray[np.float64]:
    """The expected return of each seat if all follow the strategy, (num_players,), float64."""
    reach = reach_probabilities(tree, strategy, -1)
    ends = tree.arrays.num_children == 0
    returns: npt.NDArray[np.float64] = reach[ends] @ tree.arrays.payments[ends]
    return returns


def reach_probabilities(tree: GameTree, strategy: Strategy, without: int) -> npt.NDArray[np.float64]:
    """The probability that play comes to each node, (num_nodes,), with the seat `without` playing towards it surely."""
    reach = np.zeros(tree.num_nodes)
    _reach(tree.arrays, strategy, without, reach)
    return reach


def best_response(tree: GameTree, strategy: Strategy, seat: int) -> BestResponse:
    """The best response of a seat to the others' strategies.

    By information sets, from the seat's last decisions to its first: every history of a set is reached with the same
    own actions, so its best action is that of the largest value weighted by the others' and chance's probabilities
    (Zinkevich et al., "Regret minimization in games with incomplete information", NeurIPS 2007).
    """
    reach = reach_probabilities(tree, strategy, seat)
    turns = tree.own_turns[:, seat]
    order = np.lexsort((-np.arange(tree.num_nodes), tree.arrays.seats != seat, -turns))
    values = np.zeros(tree.num_nodes)
    totals = np.zeros(tree.num_choices)
    best = np.full(tree.num_info_sets, -1)
    _respond(
        order,
        turns,
        tree.arrays,
        strategy,
        reach,
        seat,
        values,
        totals,
        best,
    )
    response = strategy.copy()
    for info_set in np.flatnonzero(tree.arrays.set_seats == seat):
        first, last = tree.arrays.first_choice[info_set : info_set + 2]
        response[first:last] = 0.0
        response[first + max(best[info_set], 0)] = 1.0
    return BestResponse(float(values[0]), response)


def nash_conv(tree: GameTree, strategy: Strategy) -> float:
    """What all seats together gain by best responses; 0 at an equilibrium.

    Lanctot et al., "A unified game-theoretic approach to multiagent reinforcement learning", NeurIPS 2017.
    """
    own = expected_returns(tree, strategy)
    return float(sum(best_response(tree, strategy, seat).value - own[seat] for seat in range(len(own))))


def exploitability(tree: GameTree, strategy: Strategy) -> float:
    """NashConv divided by the number of seats: in a zero-sum game of two, what a best responder wins a game.

    The responder sits in either seat equally often.
    """
    return nash_conv(tree, strategy) / tree.options.num_players


@compiled
def _reach(
    tree: TreeArrays,
    strategy: npt.NDArray[np.float64],
    without: int,
    reach: npt.NDArray[np.float64],
) -> None:
    reach[0] = 1.0
    for node in range(tree.seats.shape[0]):
        for number in range(tree.num_children[node]):
            if tree.seats[node] < 0:
                share = 1.0 / tree.num_children[node]
            elif tree.seats[node] == without:
                share = 1.0
            else:
                share = strategy[tree.first_choice[tree.info_sets[node]] + number]
            reach[tree.first_child[node] + number] = reach[node] * share


@compiled
def _respond(
    order: npt.NDArray[np.int64],
    turns: npt.NDArray[np.int64],
    tree: TreeArrays,
    strategy: npt.NDArray[np.float64],
    reach: npt.NDArray[np.float64],
    seat: int,
    values: npt.NDArray[np.float64],
    totals: npt.NDArray[np.float64],
    best: npt.NDArray[np.int64],
) -> None:
    """Fill the nodes' values; `order` has a node after its children, and the seat's decisions before the others.

    All decisions of the seat with the same number of own turns behind them follow each other: their totals are summed
    over whole information sets first, then the best choices are made.
    """
    at = 0
    while at < order.shape[0]:
        node = order[at]
        if tree.seats[node] != seat:
            value = tree.payments[node, seat] if tree.num_children[node] == 0 else 0.0
            for number in range(tree.num_children[node]):
                if tree.seats[node] < 0:
                    share = 1.0 / tree.num_children[node]
                else:
                    share = strategy[tree.first_choice[tree.info_sets[node]] + number]
                value += share * values[tree.first_child[node] + number]
            values[node] = value
            at += 1
            continue
        end = at
        while end < order.shape[0] and tree.seats[order[end]] == seat and turns[order[end]] == turns[node]:
            last = order[end]
            choice, child = tree.first_choice[tree.info_sets[last]], tree.first_child[last]
            for number in range(tree.num_children[last]):
                totals[choice + number] += reach[last] * values[child + number]
            end += 1
        for place in range(at, end):
            node = order[place]
            info_set = tree.info_sets[node]
            if best[info_set] < 0:
                best[info_set] = 0
                first = tree.first_choice[info_set]
                for number in range(tree.num_children[node]):
                    if totals[first + number] > totals[first + best[info_set]]:
                        best[info_set] = number
            values[node] = values[tree.first_child[node] + best[info_set]]
        at = end
