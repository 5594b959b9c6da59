"""Value iteration in floating point over an enumerated game.

Each decision is a step. Rewards before the first decision, and the value of that decision, count in full; each later
decision is discounted by gamma once more.

Source: Sutton and Barto, "Reinforcement Learning: An Introduction" (2018), section 4.4.
"""

from __future__ import annotations

import contextlib
import math
import re
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.numba.compilation import compiled
from cardgym.engine.numba.rules import rule
from cardgym.errors import CardgymError
from cardgym.solvers.enumeration import Mdp

THETA = 1e-10
_MAX_SWEEPS = 100_000
_NUMBER = re.compile(r"\+?(\d*\.?\d+|\d+\.)(e[+-]?\d\d?)?|\d+/\d+", re.ASCII | re.IGNORECASE)
_MOST_DIGITS = 30  # Of a discount factor: its powers are written out in full.
_TIE = 1e-12  # Actions that differ by less are equally good in floating point; the first of them is taken.

Policy = npt.NDArray[np.integer] | npt.NDArray[np.floating] | Literal["random"]
"""An action for each state, (num_states,); or probabilities of the actions, (num_states, actions); or `random`."""


@dataclass(frozen=True)
class Solution:
    """The result of value iteration.

    Attributes:
        values: (num_states,), float64: the value of each decision state.
        actions: (num_states,), int64: the best action, the first of several.
        value: the expected return from the start.
        sweeps: the number of sweeps over all states.
        residual: the largest change of a value in the last sweep, below theta.
        seconds: the time it took.
    """

    values: npt.NDArray[np.float64]
    actions: npt.NDArray[np.int64]
    value: float
    sweeps: int
    residual: float
    seconds: float


def value_iteration(mdp: Mdp, gamma: float | Fraction = 0.9, theta: float = THETA) -> Solution:
    """Solve a game by synchronous sweeps, until no state's value changes by theta or more.

    Raises:
        CardgymError: for gamma outside [0, 1], theta not above 0, or values that do not converge.
    """
    discount = float(check_gamma(gamma))
    theta = check_theta(theta)
    started = time.perf_counter()
    values = np.zeros(mdp.num_states)
    actions = np.zeros(mdp.num_states, np.int64)
    graph = _graph(mdp)
    sweeps, residual = _iterate(graph, discount, theta, _MAX_SWEEPS, values, actions)
    _check_converged(residual, theta)
    value = _value_at_start(graph, values)
    return Solution(values, actions, value, sweeps, residual, time.perf_counter() - started)


def action_values(mdp: Mdp, values: npt.NDArray[np.float64], gamma: float | Fraction = 0.9) -> npt.NDArray[np.float64]:
    """The value of each action in each state, given the values of the states after it; NaN for illegal actions.

    Args:
        mdp: the game.
        values: (num_states,), float64, as from `value_iteration` with the same gamma.
        gamma: the discount of a decision.

    Returns:
        (num_states, actions), float64.
    """
    worth = np.full((mdp.num_states, mdp.game.num_actions), np.nan)
    _action_values(_graph(mdp), float(check_gamma(gamma)) * values, worth)
    return worth


def check_gamma(gamma: object) -> Fraction:
    """A discount factor as a fraction, from a number or a text such as `0.9` or `9/10`.

    A float is read as the decimal it prints as: 0.9 is 9/10.

    Raises:
        CardgymError: for anything that is not a number from 0 to 1 of at most 30 digits.
    """
    word = str(gamma).strip()
    value = Fraction(-1)
    if len(word) <= 2 * _MOST_DIGITS + 1 and _NUMBER.fullmatch(word):
        with contextlib.suppress(ZeroDivisionError):
            value = Fraction(word)
    if not (0 <= value <= 1 and value.denominator <= 10**_MOST_DIGITS):
        raise CardgymError(
            f"gamma={_short(word)}: allowed are numbers from 0 to 1, such as 0.9 or 9/10, of at most "
            f"{_MOST_DIGITS} digits"
        )
    return value


def check_theta(theta: object) -> float:
    """The change of a value below which sweeps stop, from a number or a text.

    Raises:
        CardgymError: for anything that is not a number above 0.
    """
    try:
        value = float(str(theta))
    except ValueError:
        value = -1.0
    if not 0 < value < math.inf:
        raise CardgymError(f"theta={_short(str(theta))}: allowed are numbers above 0, such as {THETA}")
    return value


def _short(word: str) -> str:
    return word if len(word) <= 40 else f"{word[:40]}.."


def _check_converged(residual: float, theta: float) -> None:
    if not residual < theta:
        raise CardgymError(f"values still change by {residual:.3g} after {_MAX_SWEEPS:,} sweeps: use a gamma below 1")


def edge_weights(mdp: Mdp, policy: Policy) -> npt.NDArray[np.float64]:
    """The probability of every edge under a policy, outcomes of chance included, (num_edges,), float64.

    Raises:
        CardgymError: for a policy of another shape, an illegal action, or probabilities that do not sum to 1.
    """
    degrees = np.diff(mdp.offsets)
    weights = np.repeat(1.0 / np.maximum(degrees, 1), degrees)
    if isinstance(policy, str):
        if policy != "random":
            raise CardgymError(f"policy {policy!r}: allowed are arrays of actions or probabilities, and 'random'")
        return weights
    source = np.repeat(np.arange(mdp.num_states), degrees[: mdp.num_states])
    moves = mdp.moves[: len(source)]
    if policy.shape == (mdp.num_states,):
        weights[: len(source)] = moves == policy[source]
    elif policy.shape == (mdp.num_states, mdp.game.num_actions):
        weights[: len(source)] = policy[source, moves]
        if not np.all(policy >= 0):
            raise CardgymError("a policy's probabilities must not be negative")
    else:
        raise CardgymError(
            f"a policy of shape {policy.shape}: {mdp.game.id} with these options has {mdp.num_states} states "
            f"and {mdp.game.num_actions} actions"
        )
    totals = np.bincount(source, weights[: len(source)], mdp.num_states)
    wrong = np.flatnonzero(~(np.abs(totals - 1.0) < 1e-6))
    if len(wrong):
        raise CardgymError(
            f"a policy's legal actions have probability {totals[wrong[0]]:g} in state {wrong[0]}: they must sum to 1"
        )
    return weights


# -- compiled ---------------------------------------------------------------------------------------------------------
# `arrivals[i]` is the value of arriving at node i: gamma x value at a decision state, 0 at the end.


class _Graph(NamedTuple):
    """The edges of an `Mdp` for compiled functions."""

    offsets: npt.NDArray[np.int64]
    moves: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float64]
    num_states: int
    num_nodes: int
    start: int


def _graph(mdp: Mdp) -> _Graph:
    return _Graph(mdp.offsets, mdp.moves, mdp.targets, mdp.rewards, mdp.num_states, mdp.end + 1, mdp.start)


@rule
def _fill_chance(graph: _Graph, arrivals: npt.NDArray[np.float64]) -> None:
    """Compute the chance nodes, last first, from the decision states."""
    for node in range(graph.num_nodes - 2, graph.num_states - 1, -1):
        total = 0.0
        for edge in range(graph.offsets[node], graph.offsets[node + 1]):
            total += graph.rewards[edge] + arrivals[graph.targets[edge]]
        arrivals[node] = total / (graph.offsets[node + 1] - graph.offsets[node])


@compiled
def _iterate(
    graph: _Graph,
    gamma: float,
    theta: float,
    max_sweeps: int,
    values: npt.NDArray[np.float64],
    actions: npt.NDArray[np.int64],
) -> tuple[int, float]:
    """Sweep until the values converge; returns the number of sweeps and the largest change in the last one."""
    arrivals = np.zeros(graph.num_nodes)
    residual = np.inf
    sweeps = 0
    while sweeps < max_sweeps and not residual < theta:
        _fill_chance(graph, arrivals)
        residual = 0.0
        for state in range(graph.num_states):
            best = -np.inf
            for edge in range(graph.offsets[state], graph.offsets[state + 1]):
                worth = graph.rewards[edge] + arrivals[graph.targets[edge]]
                if worth > best + _TIE:
                    best = worth
                    actions[state] = graph.moves[edge]
            residual = max(residual, abs(best - values[state]))
            values[state] = best
        for state in range(graph.num_states):
            arrivals[state] = gamma * values[state]
        sweeps += 1
    return sweeps, residual


@compiled
def _value_at_start(graph: _Graph, values: npt.NDArray[np.float64]) -> float:
    """The value at the start: the first decision is not discounted."""
    arrivals = np.zeros(graph.num_nodes)
    arrivals[: graph.num_states] = values
    _fill_chance(graph, arrivals)
    return float(arrivals[graph.start])


@compiled
def _action_values(graph: _Graph, arrivals_at_states: npt.NDArray[np.float64], worth: npt.NDArray[np.float64]) -> None:
    """Write the value of every legal action, from the values of arriving at the decision states."""
    arrivals = np.zeros(graph.num_nodes)
    arrivals[: graph.num_states] = arrivals_at_states
    _fill_chance(graph, arrivals)
    for state in range(graph.num_states):
        for edge in range(graph.offsets[state], graph.offsets[state + 1]):
            worth[state, graph.moves[edge]] = graph.rewards[edge] + arrivals[graph.targets[edge]]
