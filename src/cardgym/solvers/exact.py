"""Backward induction, and the value of a policy, in exact fractions over an enumerated game without cycles.

Gamma is applied as in `value_iteration`. Rewards and probabilities count as the exact values of their floats. The
variance of the return is that of Sobel, "The variance of discounted Markov decision processes" (1982).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from cardgym.errors import CardgymError
from cardgym.solvers.enumeration import Mdp, topological_order
from cardgym.solvers.value_iteration import Policy, check_gamma, edge_weights

_Number = int | Fraction


@dataclass(frozen=True)
class ExactSolution:
    """The result of backward induction.

    Attributes:
        value: the expected return from the start.
        values: the value of each decision state.
        actions: (num_states,), int64: the best action, the first of several.
        optimal: (num_states, actions), bool: all best actions.
    """

    value: Fraction
    values: list[Fraction]
    actions: npt.NDArray[np.int64]
    optimal: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class ExactValue:
    """The expected return of a policy from the start, and the variance of a game's return."""

    mean: Fraction
    variance: Fraction

    @property
    def std(self) -> float:
        """The standard deviation of a game's return."""
        return math.sqrt(self.variance)


def backward_induction(mdp: Mdp, gamma: float | str | Fraction = Fraction(9, 10)) -> ExactSolution:
    """Solve a game exactly, from its last decisions to its first.

    Raises:
        CardgymError: for gamma outside [0, 1], or a game with a cycle.
    """
    discount = check_gamma(gamma)
    edges = _Edges(mdp)
    values = [Fraction(0)] * mdp.num_states
    actions = np.zeros(mdp.num_states, np.int64)
    optimal = np.zeros((mdp.num_states, mdp.game.num_actions), np.bool_)
    ahead: list[_Number] = [0] * (mdp.end + 1)
    for node in edges.last_first:
        if node >= mdp.num_states:
            ahead[node] = edges.mean(node, ahead)
            continue
        worth = [edges.rewards[edge] + ahead[edges.targets[edge]] for edge in edges.of(node)]
        best = max(worth)
        best_moves = [edges.moves[edge] for edge, value in zip(edges.of(node), worth, strict=True) if value == best]
        optimal[node, best_moves] = True
        actions[node] = best_moves[0]
        values[node] = Fraction(best)
        ahead[node] = discount * best
    ahead[: mdp.num_states] = values  # The first decision is not discounted.
    for node in edges.opening():
        ahead[node] = edges.mean(node, ahead)
    return ExactSolution(Fraction(ahead[mdp.start]), values, actions, optimal)


def exact_policy_value(mdp: Mdp, policy: Policy, gamma: float | str | Fraction = 1) -> ExactValue:
    """The value of a policy from the start, discounted by `gamma` a decision; 1 is undiscounted.

    Raises:
        CardgymError: for gamma outside [0, 1], a policy that does not fit the game, or a game with a cycle.
    """
    discount = check_gamma(gamma)
    edges = _Edges(mdp)
    probabilities = edge_weights(mdp, policy)
    weights = None if isinstance(policy, str) else probabilities.tolist()
    means: list[_Number] = [0] * (mdp.end + 1)
    squares: list[_Number] = [0] * (mdp.end + 1)
    undiscounted: list[tuple[_Number, _Number]] = [(0, 0)] * mdp.num_states
    for node in edges.last_first:
        if node >= mdp.num_states:
            squares[node] = edges.mean_square(node, means, squares)
            means[node] = edges.mean(node, means)
            continue
        square = edges.mean_square(node, means, squares, weights)
        mean = edges.mean(node, means, weights)
        undiscounted[node] = mean, square
        means[node], squares[node] = discount * mean, discount * discount * square
    for node, moments in enumerate(undiscounted):  # The first decision is not discounted.
        means[node], squares[node] = moments
    for node in edges.opening():
        squares[node] = edges.mean_square(node, means, squares)
        means[node] = edges.mean(node, means)
    mean = Fraction(means[mdp.start])
    return ExactValue(mean, Fraction(squares[mdp.start]) - mean * mean)


class _Edges:
    """The edges of a game as plain Python numbers, which are faster than arrays to loop over."""

    def __init__(self, mdp: Mdp) -> None:
        self.mdp = mdp
        order = np.empty(mdp.end, np.int64)
        among = np.arange(mdp.end + 1) < mdp.end
        if topological_order(mdp.offsets, mdp.targets, among, order) < mdp.end:
            raise CardgymError(
                f"{mdp.game.id}: play can come back to a state, so there is no last decision to start from; "
                "use value iteration (cardgym.solvers.value_iteration)"
            )
        self.last_first: list[int] = order[::-1].tolist()
        self.moves: list[int] = mdp.moves.tolist()
        self.targets: list[int] = mdp.targets.tolist()
        self.rewards: list[_Number] = [int(r) if r.is_integer() else Fraction(r) for r in mdp.rewards.tolist()]
        self._offsets: list[int] = mdp.offsets.tolist()

    def of(self, node: int) -> range:
        """The edges of a node."""
        return range(self._offsets[node], self._offsets[node + 1])

    def opening(self) -> list[int]:
        """The chance nodes before the first decision, last first."""
        first, reached = self.mdp.num_states, {self.mdp.start}
        for node in range(first, self.mdp.end):
            if node in reached:
                reached.update(self.targets[edge] for edge in self.of(node))
        return sorted((node for node in reached if first <= node < self.mdp.end), reverse=True)

    def mean(self, node: int, means: list[_Number], weights: list[float] | None = None) -> Fraction:
        """The mean over a node's edges of reward and value of the target; equally likely without `weights`."""
        if weights is None:
            total = sum(self.rewards[edge] + means[self.targets[edge]] for edge in self.of(node))
            return Fraction(total) / len(self.of(node))
        return sum(
            (
                Fraction(weights[edge]) * (self.rewards[edge] + means[self.targets[edge]])
                for edge in self.of(node)
                if weights[edge]
            ),
            Fraction(0),
        )

    def mean_square(
        self, node: int, means: list[_Number], squares: list[_Number], weights: list[float] | None = None
    ) -> Fraction:
        """The mean square of the same, from the means and mean squares of the targets."""
        total: _Number = 0
        for edge in self.of(node):
            reward, target = self.rewards[edge], self.targets[edge]
            square = reward * reward + 2 * reward * means[target] + squares[target]
            if weights is None:
                total += square
            elif weights[edge]:
                total += Fraction(weights[edge]) * square
        return Fraction(total) / (len(self.of(node)) if weights is None else 1)
