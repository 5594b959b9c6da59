"""Exact values, best responses and exploitability of strategies over the tree of a game."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.solvers.cfr import walk_down
from cardgym.solvers.tree import ExactTree, Floats, Integers, Strategy, TreeArrays


@dataclass(frozen=True, eq=False)
class BestResponse:
    """A seat's best response while the others keep their strategies: the first of equally good actions."""

    value: float
    strategy: Strategy


def expected_returns(tree: ExactTree, strategy: Strategy) -> Floats:
    """The expected return of each seat if all follow the strategy, (num_players,), float64."""
    reach = reach_probabilities(tree, strategy, -1)
    returns: Floats = reach[tree.num_nodes :][::-1] @ tree.arrays.payments
    return returns


def reach_probabilities(tree: ExactTree, strategy: Strategy, without: int) -> Floats:
    """The probability of reaching each node, and each end from the back, (num_nodes + num_ends,), float64.

    The seat `without` (-1 for none) is assumed always to play towards them.
    """
    reach = np.empty(tree.num_nodes + len(tree.arrays.payments))
    _reach(tree.arrays, strategy, without, reach)
    return reach


def best_response(tree: ExactTree, strategy: Strategy, seat: int) -> BestResponse:
    """The best response of a seat to the others' strategies.

    It goes through the information sets from the seat's last decisions to its first. Every history of a set is reached
    with the same own actions, so its best action has the largest value weighted by the probabilities of the others and
    of chance (Zinkevich et al., "Regret minimization in games with incomplete information", NeurIPS 2007).
    """
    reach = reach_probabilities(tree, strategy, seat)
    turns = np.zeros(len(reach), np.int16)
    order = np.empty(tree.num_nodes, np.int64)
    _order_by_turns(tree.arrays, seat, turns, order)
    values = np.zeros(len(reach))
    totals = np.zeros(tree.num_choices)
    best = np.full(tree.num_info_sets, -1)
    _respond(order, turns, tree.arrays, strategy, reach, seat, values, totals, best)
    response = strategy.copy()
    first, own = tree.arrays.first_choice, tree.arrays.set_seats == seat
    response[np.repeat(own, np.diff(first))] = 0.0
    response[(first[:-1] + np.maximum(best, 0))[own]] = 1.0
    return BestResponse(float(values[tree.num_nodes - 1]), response)


def nash_conv(tree: ExactTree, strategy: Strategy) -> float:
    """What all seats together gain from best responses; 0 at an equilibrium.

    Lanctot et al., "A unified game-theoretic approach to multiagent reinforcement learning", NeurIPS 2017.
    """
    own = expected_returns(tree, strategy)
    return float(sum(best_response(tree, strategy, seat).value - own[seat] for seat in range(len(own))))


def exploitability(tree: ExactTree, strategy: Strategy) -> float:
    """NashConv divided by the number of seats: in a two-player zero-sum game, what a best responder wins per game.

    The responder sits in either seat equally often.
    """
    return nash_conv(tree, strategy) / tree.num_players


@compiled
def _reach(tree: TreeArrays, strategy: Strategy, without: int, reach: Floats) -> None:
    walk_down(tree, strategy, without, reach)


@compiled
def _order_by_turns(tree: TreeArrays, seat: int, turns: npt.NDArray[np.int16], order: Integers) -> None:
    """Order the nodes by the number of the seat's decisions before them, descending; in a tie, its own decisions first.

    A node then comes after those that it leads to. `turns` is 0 for every node and is filled in.
    """
    num_nodes = tree.seats.shape[0]
    most = 0
    for node in range(num_nodes - 1, -1, -1):
        after = turns[node] + (1 if tree.seats[node] == seat else 0)
        most = max(most, after)
        for edge in range(tree.first_edge[node], tree.first_edge[node + 1]):
            # Only nodes that no decision follows have parents that differ: the latest of them counts.
            turns[tree.targets[edge]] = max(turns[tree.targets[edge]], after)
    starts = np.zeros(2 * most + 3, np.int64)
    for node in range(num_nodes):
        starts[2 * (most - turns[node]) + (1 if tree.seats[node] != seat else 0) + 1] += 1
    for place in range(1, starts.shape[0]):
        starts[place] += starts[place - 1]
    for node in range(num_nodes):
        place = 2 * (most - turns[node]) + (1 if tree.seats[node] != seat else 0)
        order[starts[place]] = node
        starts[place] += 1


@compiled
def _respond(
    order: Integers, turns: npt.NDArray[np.int16], tree: TreeArrays, strategy: Strategy, reach: Floats, seat: int,
    values: Floats, totals: Floats, best: Integers,
) -> None:  # fmt: skip
    """Fill the nodes' values, in the order of `_order_by_turns`.

    All decisions of the seat with the same number of own turns before them are adjacent: their totals are first summed
    over whole information sets, then the best choices are made.
    """
    for end in range(tree.payments.shape[0]):
        values[values.shape[0] - 1 - end] = tree.payments[end, seat]
    at = 0
    while at < order.shape[0]:
        node = order[at]
        first = tree.first_edge[node]
        if tree.seats[node] != seat:
            choice = tree.first_choice[tree.info_sets[node]] if tree.seats[node] >= 0 else 0
            value = 0.0
            for edge in range(first, tree.first_edge[node + 1]):
                share = tree.chances[edge] if tree.seats[node] < 0 else strategy[choice + edge - first]
                value += share * values[tree.targets[edge]]
            values[node] = value
            at += 1
            continue
        end = at
        while end < order.shape[0] and tree.seats[order[end]] == seat and turns[order[end]] == turns[node]:
            last = order[end]
            choice, first = tree.first_choice[tree.info_sets[last]], tree.first_edge[last]
            for edge in range(first, tree.first_edge[last + 1]):
                totals[choice + edge - first] += reach[last] * values[tree.targets[edge]]
            end += 1
        for place in range(at, end):
            node = order[place]
            info_set = tree.info_sets[node]
            if best[info_set] < 0:
                best[info_set] = 0
                choice = tree.first_choice[info_set]
                for number in range(tree.first_choice[info_set + 1] - choice):
                    if totals[choice + number] > totals[choice + best[info_set]]:
                        best[info_set] = number
            values[node] = values[tree.targets[tree.first_edge[node] + best[info_set]]]
        at = end
