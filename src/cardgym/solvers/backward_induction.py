"""The optimum of an enumerated game, and the value of a policy, in exact fractions by one backward pass.

Each decision is a step. Rewards before the first decision, and the value of that decision, count in full; each later
decision is discounted by another factor of gamma. Rewards and probabilities are the exact values of their floats.

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
from cardgym.solvers.enumeration import Mdp

_Number = int | Fraction
_GAMMA = re.compile(r"\+?(\d*\.?\d+|\d+\.)(e[+-]?\d\d?)?|\d+/\d+", re.ASCII | re.IGNORECASE)
_MAX_DIGITS = 30  # Of gamma, whose powers are written out in full.

Policy = npt.NDArray[np.integer[Any]] | npt.NDArray[np.floating[Any]]
"""An action for each state, (num_states,), or the probabilities of all actions, (num_states, actions)."""


@dataclass(frozen=True)
class Solution:
    """The optimum of a game.

    Attributes:
        actions: (num_states,), int64: the best action, the first in a tie.
        optimal: (num_states, actions), bool: all best actions.
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


def backward_induction(mdp: Mdp, gamma: float | str | Fraction = 1) -> Solution:
    """Solve a game exactly."""
    graph = _Graph(mdp, check_gamma(gamma))
    values, after = graph.backward_pass(graph.gamma, graph.rewards)
    optimal = np.zeros((mdp.num_states, mdp.game.actions(mdp.options)), np.bool_)
    moves = mdp.moves.tolist()
    for state in range(mdp.num_states):
        for edge in graph.edges(state):
            optimal[state, moves[edge]] = graph.rewards[edge] + after[edge] == values[state]
    return Solution(values[mdp.start], values[: mdp.num_states], optimal.argmax(axis=1), optimal)


def policy_value(mdp: Mdp, policy: Policy, gamma: float | str | Fraction = 1) -> PolicyValue:
    """The exact value of a policy.

    Raises:
        CardgymError: for gamma outside [0, 1], or a policy that does not fit the game.
    """
    graph = _Graph(mdp, check_gamma(gamma))
    weights = _action_weights(mdp, policy)
    values, after = graph.backward_pass(graph.gamma, graph.rewards, weights)
    # The mean square is a value too: E[(r + x)^2] = r^2 + 2 r E[x] + E[x^2], where x is the return after an edge.
    rewards = [reward * (reward + 2 * value) for reward, value in zip(graph.rewards, after, strict=True)]
    squares, _ = graph.backward_pass(graph.gamma**2, rewards, weights)
    mean = values[mdp.start]
    return PolicyValue(mean, squares[mdp.start] - mean * mean)


def check_gamma(gamma: object) -> Fraction:
    """A discount factor as a fraction, from a number or a text such as `0.9` or `9/10`.

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


def _action_weights(mdp: Mdp, policy: Policy) -> list[float]:
    """The probability of every action of every state under a policy, in the order of the edges."""
    actions = mdp.game.actions(mdp.options)
    source = np.repeat(np.arange(mdp.num_states), np.diff(mdp.offsets[: mdp.num_states + 1]))
    moves = mdp.moves[: len(source)]
    if policy.shape == (mdp.num_states,):
        weights = (moves == policy[source]).astype(np.float64)
    elif policy.shape == (mdp.num_states, actions):
        weights = policy[source, moves].astype(np.float64)
        if not np.all(policy >= 0):
            raise CardgymError("a policy's probabilities must not be negative")
    else:
        raise CardgymError(
            f"a policy of shape {policy.shape}: {mdp.game.id} with these options has {mdp.num_states} states "
            f"and {actions} actions"
        )
    totals = np.bincount(source, weights, mdp.num_states)
    wrong = np.flatnonzero(~(np.abs(totals - 1.0) < 1e-6))
    if len(wrong):
        raise CardgymError(
            f"a policy's legal actions have probability {totals[wrong[0]]:g} in state {wrong[0]}: they must sum to 1"
        )
    return list(weights.tolist())


class _Graph:
    """The edges of a game as plain Python numbers, which are faster to loop over than arrays."""

    def __init__(self, mdp: Mdp, gamma: Fraction) -> None:
        self.gamma = gamma
        self.rewards: list[_Number] = [int(r) if r.is_integer() else Fraction(r) for r in mdp.rewards.tolist()]
        self._num_states = mdp.num_states
        self._targets: list[int] = mdp.targets.tolist()
        self._offsets: list[int] = mdp.offsets.tolist()
        self._last_first: list[int] = mdp.order[::-1].tolist()
        # The chance nodes before the first decision. What follows them is not discounted.
        self._opening: set[int] = set()
        found = [mdp.start]
        while found:
            node = found.pop()
            if mdp.num_states <= node < mdp.end and node not in self._opening:
                self._opening.add(node)
                found.extend(self._targets[edge] for edge in self.edges(node))
        sources = np.repeat(np.arange(mdp.end + 1), np.diff(mdp.offsets))
        opening = list(self._opening)
        if gamma != 1 and np.isin(mdp.targets[~np.isin(sources, opening)], opening).any():
            raise CardgymError(f"{mdp.game.id}: a decision leads back to the opening chance, so gamma must be 1")

    def edges(self, node: int) -> range:
        """The edges of a node."""
        return range(self._offsets[node], self._offsets[node + 1])

    def backward_pass(
        self, discount: Fraction, rewards: Sequence[_Number], weights: Sequence[float] | None = None
    ) -> tuple[list[Fraction], list[Fraction]]:
        """The value of every node, and the discounted value of the node after every edge.

        Args:
            discount: the factor of every decision but the first.
            weights: the probability of each action, by edge; None for the best action.
        """
        values = [Fraction(0)] * len(self._offsets)
        discounted = values.copy()
        after = [Fraction(0)] * len(rewards)
        for node in self._last_first:
            edges = self.edges(node)
            ahead = values if node in self._opening else discounted
            for edge in edges:
                after[edge] = ahead[self._targets[edge]]
            worth = [rewards[edge] + after[edge] for edge in edges]
            if node >= self._num_states:
                values[node] = discounted[node] = Fraction(sum(worth), len(worth))
                continue
            values[node] = max(worth) if weights is None else _mean(worth, weights[edges.start : edges.stop])
            discounted[node] = discount * values[node]
        return values, after


def _mean(worth: list[Fraction], weights: Sequence[float]) -> Fraction:
    """The weighted mean; equal weights are treated as exactly 1/n, which floats such as 1/3 are not."""
    if len(set(weights)) == 1:
        return Fraction(sum(worth), len(worth))
    return sum((Fraction(w) * value for w, value in zip(weights, worth, strict=True) if w), Fraction(0))
