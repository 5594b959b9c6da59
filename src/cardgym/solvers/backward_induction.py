"""The optimum of a game of one player, and the value of a policy, in exact fractions by one pass over its tree.

Each decision is a step. Rewards before the first decision, and the value of that decision, count in full; each later
decision is discounted by another factor of gamma. Rewards are the exact values of their floats.

Sources: Sutton and Barto, "Reinforcement Learning: An Introduction" (2018), on value iteration, which reaches the same
values by repeated sweeps; Sobel, "The variance of discounted Markov decision processes" (1982).
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.errors import CardgymError
from cardgym.solvers.tree import GameTree

_Number = int | Fraction
_GAMMA = re.compile(r"\+?(\d*\.?\d+|\d+\.)(e[+-]?\d\d?)?|\d+/\d+", re.ASCII | re.IGNORECASE)
_MAX_DIGITS = 30  # Of gamma, whose powers are written out in full.
_MAX_OUTCOMES = 1_000_000

Policy = npt.NDArray[np.integer[Any]] | npt.NDArray[np.floating[Any]]
"""An action for each state, (states,), or the probabilities of all actions, (states, actions).

The states are the information sets of a tree by whole states; see `enumerate_tree`.
"""


@dataclass(frozen=True)
class Solution:
    """The optimum of a game.

    Attributes:
        values: the value of each state.
        actions: (states,), int64: the best action, the first in a tie.
        optimal: (states, actions), bool: all best actions.
    """

    value: Fraction
    values: list[Fraction]
    actions: npt.NDArray[np.int64]
    optimal: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class PolicyValue:
    """The expected return of a policy from the start, and the variance of a game's return."""

    mean: Fraction
    variance: Fraction

    @property
    def std(self) -> float:
        """The standard deviation of a game's return."""
        return math.sqrt(self.variance)


def backward_induction(tree: GameTree, gamma: float | str | Fraction = 1) -> Solution:
    """Solve a game of one player exactly, on its tree by whole states."""
    graph = _Graph(tree)
    values, after = graph.backward_pass(check_gamma(gamma), graph.rewards)
    by_set = [Fraction(0)] * tree.num_info_sets
    optimal = np.zeros((tree.num_info_sets, tree.game.actions(tree.options)), np.bool_)
    for node, info_set in enumerate(graph.sets):
        if info_set >= 0:
            by_set[info_set] = values[node]
            best = [graph.rewards[edge] + after[edge] == values[node] for edge in graph.edges(node)]
            optimal[info_set, tree.choice_actions[graph.choices(info_set)]] = best
    value = sum((share * (paid + values[node]) for node, paid, share in graph.openings), Fraction(0))
    return Solution(value, by_set, optimal.argmax(axis=1), optimal)


def policy_value(tree: GameTree, policy: Policy, gamma: float | str | Fraction = 1) -> PolicyValue:
    """Return the exact value of a policy.

    Raises:
        CardgymError: for gamma outside [0, 1], or a policy that does not fit the game.
    """
    gamma, graph = check_gamma(gamma), _Graph(tree)
    weights = _action_weights(tree, policy)
    values, after = graph.backward_pass(gamma, graph.rewards, weights)
    # The mean square is a value too: E[(r + x)^2] = r^2 + 2 r E[x] + E[x^2], where x is the return after an edge.
    rewards = [reward * (reward + 2 * value) for reward, value in zip(graph.rewards, after, strict=True)]
    squares, _ = graph.backward_pass(gamma**2, rewards, weights)
    mean = square = Fraction(0)
    for node, paid, share in graph.openings:
        mean += share * (paid + values[node])
        square += share * (paid * (paid + 2 * values[node]) + squares[node])
    return PolicyValue(mean, square - mean * mean)


def check_gamma(gamma: object) -> Fraction:
    """Return a discount factor as a fraction, from a number or a text such as `0.9` or `9/10`.

    A float is read as the decimal it prints as: 0.9 is 9/10.

    Raises:
        CardgymError: for anything that is not a number from 0 to 1 of at most 30 digits.
    """
    word = str(gamma).strip()
    value = Fraction(-1)
    if len(word) <= 2 * _MAX_DIGITS + 1 and _GAMMA.fullmatch(word):
        with contextlib.suppress(ZeroDivisionError):
            value = Fraction(word)
    if not (0 <= value <= 1 and value.denominator <= 10**_MAX_DIGITS):
        raise CardgymError(
            f"gamma={word if len(word) <= 40 else f'{word[:40]}..'}: allowed are numbers from 0 to 1, such as 0.9 or "
            f"9/10, of at most {_MAX_DIGITS} digits"
        )
    return value


def _action_weights(tree: GameTree, policy: Policy) -> list[float]:
    """Return the probability of every choice of the tree under a policy."""
    states, actions = tree.num_info_sets, tree.game.actions(tree.options)
    source = np.repeat(np.arange(states), tree.sizes)
    if policy.shape == (states,):
        weights = (tree.choice_actions == policy[source]).astype(np.float64)
    elif policy.shape == (states, actions):
        weights = policy[source, tree.choice_actions].astype(np.float64)
        if not np.all(policy >= 0):
            raise CardgymError("a policy's probabilities must not be negative")
    else:
        raise CardgymError(
            f"a policy of shape {policy.shape}: {tree.game.id} with these options has {states} states "
            f"and {actions} actions"
        )
    totals = np.bincount(source, weights, states)
    wrong = np.flatnonzero(~(np.abs(totals - 1.0) < 1e-6))
    if len(wrong):
        raise CardgymError(
            f"a policy's legal actions have probability {totals[wrong[0]]:g} in state {wrong[0]}: they must sum to 1"
        )
    return list(weights.tolist())


class _Graph:
    """A tree as plain Python numbers, which are faster to loop over than arrays.

    As in `TreeArrays`, ends are indices from the back.

    Attributes:
        sets: the information set of each node; -1 at chance nodes.
        rewards: what is paid on each edge.
        openings: the nodes and ends that chance can lead to before the first decision: with what was paid before, and
            the probability.
    """

    def __init__(self, tree: GameTree) -> None:
        arrays = tree.arrays
        self.sets: list[int] = arrays.info_sets.tolist()
        self.rewards = _exact(tree.rewards[:, 0])
        self._targets: list[int] = arrays.targets.tolist()
        self._first_edge: list[int] = arrays.first_edge.tolist()
        self._first_choice: list[int] = arrays.first_choice.tolist()
        self._size = tree.num_nodes + len(arrays.payments)
        # A share is a sum of a few floats 1 / n: the fraction nearest to it is its exact value.
        exact = {share: Fraction(share).limit_denominator(_MAX_OUTCOMES) for share in set(arrays.chances.tolist())}
        self._chances = [exact[share] for share in arrays.chances.tolist()]
        paid = _exact(np.concatenate([tree.paid_before[:, 0], arrays.payments[::-1, 0]]))
        reach = {tree.num_nodes - 1: Fraction(1)}
        for node in range(tree.num_nodes - 1, -1, -1):
            if node in reach and self.sets[node] < 0:
                share = reach.pop(node)
                for edge in self.edges(node):
                    target = self._targets[edge]
                    reach[target] = reach.get(target, Fraction(0)) + share * self._chances[edge]
        self.openings = [(node, paid[node], share) for node, share in reach.items()]

    def edges(self, node: int) -> range:
        """Return the edges of a node."""
        return range(self._first_edge[node], self._first_edge[node + 1])

    def choices(self, info_set: int) -> slice:
        """Return the choices of an information set, in the order of the edges of its nodes."""
        return slice(self._first_choice[info_set], self._first_choice[info_set + 1])

    def backward_pass(
        self, discount: Fraction, rewards: Sequence[_Number], weights: Sequence[float] | None = None
    ) -> tuple[list[Fraction], list[Fraction]]:
        """Return the value of every node and end, and the discounted value of what follows every edge.

        Args:
            discount: the factor of every decision that an edge leads to.
            weights: the probability of each choice; None for the best one.
        """
        values = [Fraction(0)] * self._size
        discounted = values.copy()
        after = [Fraction(0)] * len(rewards)
        for node, info_set in enumerate(self.sets):
            edges = self.edges(node)
            for edge in edges:
                after[edge] = discounted[self._targets[edge]]
            worth = [rewards[edge] + after[edge] for edge in edges]
            if info_set < 0:
                shares = self._chances[edges.start : edges.stop]
                values[node] = sum((share * value for share, value in zip(shares, worth, strict=True)), Fraction(0))
                discounted[node] = values[node]
                continue
            values[node] = max(worth) if weights is None else _mean(worth, weights[self.choices(info_set)])
            discounted[node] = discount * values[node]
        return values, after


def _exact(numbers: npt.NDArray[np.float64]) -> list[_Number]:
    return [int(number) if number.is_integer() else Fraction(number) for number in numbers.tolist()]


def _mean(worth: list[Fraction], weights: Sequence[float]) -> Fraction:
    """Return the weighted mean; equal weights are treated as exactly 1/n, which floats such as 1/3 are not."""
    if len(set(weights)) == 1:
        return Fraction(sum(worth), len(worth))
    return sum((Fraction(w) * value for w, value in zip(weights, worth, strict=True) if w), Fraction(0))
