"""Exact values, best responses and exploitability of strategies over the tree of a game."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cardgym.engine.compilation import compiled
from cardgym.solvers.cfr import find_values, walk_down
from cardgym.solvers.tree import ExactTree, Floats, Integers, Strategy, TreeArrays


@dataclass(frozen=True, eq=False)
class BestResponse:
    """A seat's best response while the others keep their strategies: the first of equally good actions."""

    value: float
    strategy: Strategy


def expected_returns(tree: ExactTree, strategy: Strategy) -> Floats:
    """Return the expected return of each seat if all follow the strategy, (num_players,), float64."""
    reach = reach_probabilities(tree, strategy, -1)
    returns: Floats = reach[tree.num_nodes :][::-1] @ tree.arrays.payments
    return returns


def reach_probabilities(tree: ExactTree, strategy: Strategy, without: int) -> Floats:
    """Return the probability of reaching each node, and each end from the back, (num_nodes + num_ends,), float64.

    The seat `without` (-1 for none) is assumed always to play towards them.
    """
    reach = np.empty(tree.num_nodes + len(tree.arrays.payments))
    _reach(tree.arrays, strategy, without, reach)
    return reach


def best_response(tree: ExactTree, strategy: Strategy, seat: int) -> BestResponse:
    """Return the best response of a seat to the others' strategies.

    It goes through the information sets from the seat's last decisions to its first. Every history of a set is reached
    with the same own actions, so its best action has the largest value weighted by the probabilities of the others and
    of chance (Zinkevich et al., "Regret minimization in games with incomplete information", NeurIPS 2007).
    """
    response = strategy.copy()
    values = np.zeros(tree.num_nodes + len(tree.arrays.payments))
    _respond(tree.arrays, seat, _turns(tree), reach_probabilities(tree, strategy, seat), response, values)
    return BestResponse(float(values[tree.num_nodes - 1]), response)


def _turns(tree: ExactTree) -> Integers:
    """How many decisions a seat takes before each of its information sets, (num_info_sets,), int64."""
    before = tree.arrays.set_before.tolist()
    owners = (np.searchsorted(tree.arrays.first_choice, before, side="right") - 1).tolist()
    turns = [0] * len(before)
    for info_set, choice in enumerate(before):
        if choice >= 0:
            turns[info_set] = turns[owners[info_set]] + 1
    return np.array(turns, np.int64)


def deviating(tree: ExactTree, strategy: Strategy, response: Strategy, seat: int) -> Strategy:
    """Return a strategy with the response's choices at the information sets of one seat, (choices,), float64."""
    return np.where(np.repeat(tree.arrays.set_seats == seat, tree.sizes), response, strategy)


def nash_conv(tree: ExactTree, strategy: Strategy) -> float:
    """Return what the seats gain together from best responses to a strategy, in the game's unit; 0 at an equilibrium.

    Lanctot et al., "A unified game-theoretic approach to multiagent reinforcement learning", NeurIPS 2017.
    """
    own = expected_returns(tree, strategy)
    return float(sum(best_response(tree, strategy, seat).value - own[seat] for seat in range(len(own))))


def exploitability(tree: ExactTree, strategy: Strategy) -> float:
    """Compute NashConv divided by the number of seats (Lanctot et al., "A unified game-theoretic approach", 2017).

    In a zero-sum game for two it is what a best responder, in either seat equally often, wins per game.

    Args:
        tree: the game, from `enumerate_tree`.
        strategy: the probabilities of all seats' actions, as `tree.uniform()` has them.

    Returns:
        The exploitability per game, in the unit of the game's rewards.
    """
    return nash_conv(tree, strategy) / tree.num_players


def node_values(tree: ExactTree, strategy: Strategy, seat: int) -> Floats:
    """Return what a seat is paid from each node on, then at each end, the last first, (nodes + ends,), float64."""
    values = np.zeros(tree.num_nodes + len(tree.arrays.payments))
    _fill_values(tree.arrays, strategy, seat, values)
    return values


@compiled
def _fill_values(tree: TreeArrays, strategy: Strategy, seat: int, values: Floats) -> None:
    find_values(tree, strategy, seat, values)


@compiled
def _reach(tree: TreeArrays, strategy: Strategy, without: int, reach: Floats) -> None:
    walk_down(tree, strategy, without, reach)


@compiled
def _respond(tree: TreeArrays, seat: int, turns: Integers, reach: Floats, response: Strategy, values: Floats) -> None:
    """Make the response from the seat's last decisions to its first, and fill the values of the nodes."""
    num_nodes = tree.seats.shape[0]
    totals = np.zeros_like(response)
    for turn in range(turns.max(), -1, -1):
        find_values(tree, response, seat, values)
        for node in range(num_nodes):
            info_set = tree.info_sets[node]
            if tree.seats[node] == seat and turns[info_set] == turn:
                first, choice = tree.first_edge[node], tree.first_choice[info_set]
                for edge in range(first, tree.first_edge[node + 1]):
                    totals[choice + edge - first] += reach[node] * values[tree.targets[edge]]
        for info_set in range(turns.shape[0]):
            if tree.set_seats[info_set] == seat and turns[info_set] == turn:
                first, last = tree.first_choice[info_set], tree.first_choice[info_set + 1]
                best = first
                for choice in range(first, last):
                    response[choice] = 0.0
                    if totals[choice] > totals[best]:
                        best = choice
                response[best] = 1.0
    find_values(tree, response, seat, values)
