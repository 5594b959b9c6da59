"""Ratings by Bradley and Terry's model, and Nash averaging."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.errors import require

Matrix = npt.NDArray[np.float64]
Vector = npt.NDArray[np.float64]

ELO = 400.0 / math.log(10.0)
"""Points of a rating for each unit of log-odds: 400 points more are odds of 10 to 1."""

_PRIOR = 0.5
"""Wins added to both sides of every pair that met, so that a player that won or lost everything has a finite rating."""
_STEPS, _SLOPE, _LONGEST, _ROUNDING = 100, 1e-10, 2.0, 1e-14
"""The most steps of Newton's method, the slope of the mean log-likelihood at which they end, the longest step in
log-odds, and the rounding error of the mean log-likelihood."""


def bradley_terry(wins: Matrix, start: Vector | None = None) -> Vector:
    """The most likely ratings in Elo points, (..., players), of mean 0.

    The model: a player of rating a beats one of rating b with probability 1 / (1 + 10^((b - a) / 400)) (Bradley and
    Terry, "Rank analysis of incomplete block designs", Biometrika 1952). The likelihood is concave; half a win is added
    to both sides of every pair. Newton's method, with steps halved where they overshoot, for all tables at once.

    Args:
        wins: how often the row's player beat the column's, (..., players, players); a draw is half a win for both.
        start: ratings to start from, such as those of nearly the same wins, (players,).
    """
    wins = wins + _PRIOR * ((wins + wins.swapaxes(-1, -2)) > 0)
    wins = wins / wins.sum(axis=(-2, -1), keepdims=True)
    met = wins + wins.swapaxes(-1, -2)
    size = wins.shape[-1]
    ratings = np.zeros(wins.shape[:-1]) + (0.0 if start is None else start / ELO)

    def loss(ratings: Vector) -> Vector:
        values: Vector = (wins * np.logaddexp(0.0, ratings[..., None, :] - ratings[..., None])).sum(axis=(-2, -1))
        return values

    for _ in range(_STEPS):
        lost = 1.0 / (1.0 + np.exp(ratings[..., None] - ratings[..., None, :]))  # To each other player.
        slope = (met * lost).sum(axis=-2) - wins.sum(axis=-1)
        if np.abs(slope).max() < _SLOPE:
            break
        weights = met * lost * (1.0 - lost)
        # Only differences count: a penalty on the sum makes the minimum unique and keeps it at 0.
        curvature = weights.sum(axis=-1)[..., None] * np.eye(size) - weights + 1.0 / size
        step = np.linalg.solve(curvature, slope[..., None])[..., 0]
        step /= np.maximum(np.abs(step).max(axis=-1, keepdims=True) / _LONGEST, 1.0)
        before = loss(ratings)[..., None] + _ROUNDING
        while (worse := loss(ratings - step)[..., None] > before).any():
            step = np.where(worse, step / 2.0, step)
        ratings = ratings - step
    centered: Vector = (ratings - ratings.mean(axis=-1, keepdims=True)) * ELO
    return centered


def nash(payoffs: Matrix) -> Vector:
    """The equilibrium of largest entropy of a symmetric zero-sum game for two, (players,), probabilities.

    This is Nash averaging (Balduzzi et al., "Re-evaluating evaluation", NeurIPS 2018): copies of a player share its
    probability, and a player that a mixture of the others beats has none.

    Args:
        payoffs: what the row's player wins from the column's, (players, players); only its antisymmetric half counts.
    """
    require("a tournament", "scipy")
    from scipy.optimize import linprog

    size = len(payoffs)
    game = (payoffs - payoffs.T) / 2.0
    game = game / max(float(np.abs(game).max()), 1e-300)
    # Variables: the probabilities, and the minimum payoff, which is maximized.
    found = linprog(
        np.r_[np.zeros(size), -1.0],
        A_ub=np.c_[-game.T, np.ones(size)],
        b_ub=np.zeros(size),
        A_eq=np.r_[np.ones(size), 0.0][None, :],
        b_eq=[1.0],
        bounds=[(0.0, 1.0)] * size + [(None, None)],
        method="highs",
    )
    return _most_even(game, _distribution(found.x[:size]))


def _most_even(game: Matrix, start: Vector) -> Vector:
    """The unbeaten strategy of largest entropy; `start` if the search fails."""
    from scipy.optimize import minimize

    size = len(game)
    slack = max(1e-9, -float((game.T @ start).min()))

    def loss(strategy: Vector) -> float:
        return float((strategy * np.log(np.maximum(strategy, 1e-300))).sum())

    def slope(strategy: Vector) -> Vector:
        return np.log(np.maximum(strategy, 1e-12)) + 1.0

    constraints: list[dict[str, Any]] = [
        {"type": "eq", "fun": lambda strategy: strategy.sum() - 1.0, "jac": lambda strategy: np.ones(size)},
        {"type": "ineq", "fun": lambda strategy: game.T @ strategy + slack, "jac": lambda strategy: game.T},
    ]
    found = minimize(
        loss,
        0.99 * start + 0.01 / size,
        jac=slope,
        bounds=[(0.0, 1.0)] * size,
        constraints=constraints,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    strategy = _distribution(found.x)
    kept = float((game.T @ strategy).min()) >= -slack - 1e-6
    return strategy if found.success and kept and loss(strategy) <= loss(start) + 1e-12 else start


def _distribution(numbers: Vector) -> Vector:
    """Probabilities from numbers with rounding errors; those below 10^-6 are 0."""
    kept = np.where(numbers > 1e-6, numbers, 0.0)
    probabilities: Vector = kept / kept.sum()
    return probabilities
