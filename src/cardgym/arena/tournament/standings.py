"""The standings of a tournament: payoffs, ratings by Bradley and Terry's model and Nash averaging, with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from cardgym.arena.tournament.ranges import DEALS, LARGEST, LOSSES, PAYOFF, REPLICATES, SQUARE, WINS, Sums
from cardgym.engine.contract import Float64s, Int64s
from cardgym.errors import require
from cardgym.files.json_values import plain
from cardgym.statistics import FEW_DEALS, bounded_interval, mean_of_sums, student

Matrix = Float64s
Vector = Float64s

ELO = 400.0 / math.log(10.0)
"""Points of a rating for each unit of log-odds: 400 points more are odds of 10 to 1."""

_PRIOR = 0.5
"""Wins added to both sides of every pair that met, so that a player that won or lost everything has a finite rating."""
_STEPS, _SLOPE, _LONGEST, _ROUNDING = 100, 1e-10, 2.0, 1e-14
"""The maximum number of steps of Newton's method, the slope of the mean log-likelihood at which it stops, the longest
step in log-odds, and the rounding error of the mean log-likelihood."""


def bradley_terry(wins: Matrix, start: Vector | None = None) -> Vector:
    """Return the most likely ratings in Elo points, (..., players), of mean 0.

    The model: a player of rating a beats one of rating b with probability 1 / (1 + 10^((b - a) / 400)) (Bradley and
    Terry, "Rank analysis of incomplete block designs", Biometrika 1952). The likelihood is concave; half a win is added
    to both sides of every pair. Newton's method, with steps halved when they overshoot, for all tables at once.

    Args:
        wins: how many times the row's player beat the column's, (..., players, players); a draw is half a win for both.
        start: ratings to start from, such as those of nearly the same wins, (players,).
    """
    wins = wins + _PRIOR * ((wins + wins.swapaxes(-1, -2)) > 0)
    wins = wins / np.maximum(wins.sum(axis=(-2, -1), keepdims=True), 1e-300)  # Perhaps nobody has won anything.
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
    """Return the equilibrium of largest entropy of a symmetric zero-sum game for two, (players,), probabilities.

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
    """Return the unbeaten strategy of largest entropy; `start` if the search fails."""
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


@dataclass(frozen=True, eq=False)
class Standings:
    """The results of a tournament. Intervals are over deals, which all matches share.

    Attributes:
        payoff: what payoffs are made of: `return` or the name of a metric.
        payoffs: what the row's player wins from the column's, per game, (players, players): its payoff minus the mean
            of all seats, or in a game of one seat minus the other's on the same deal.
        payoffs_ci95: their 95 % intervals, (players, players, 2); NaN from a single deal.
        win_rates: the share of points (games or hands) that the row's player took, (players, players).
        ratings: Bradley and Terry's, in Elo points of mean 0, (players,).
        nash: the equilibrium of the payoffs, probabilities, (players,).
        nash_payoffs: each player's payoff against it, (players,).
        originals: the first player named that drew every deal with this one and won as much from all others on every
            deal, (players,), int64; the player itself if there is none, or fewer than `FEW_DEALS` deals.
        match_games: how many games each pair played, (players, players), int64.
    """

    env: str
    options: dict[str, int | str]
    names: tuple[str, ...]
    payoff: str
    payoffs: Matrix
    payoffs_ci95: Matrix
    win_rates: Matrix
    ratings: Vector
    ratings_ci95: Matrix
    nash: Vector
    nash_payoffs: Vector
    nash_payoffs_ci95: Matrix
    originals: Int64s
    match_games: Int64s
    seed: int
    seconds: float
    workers: int
    engine: str

    @property
    def games(self) -> int:
        """The games of the longest matches."""
        return int(self.match_games.max())

    @property
    def distinct(self) -> npt.NDArray[np.bool_]:
        """Which players are no copies of one named earlier, (players,)."""
        distinct: npt.NDArray[np.bool_] = self.originals == np.arange(len(self.names))
        return distinct

    @property
    def ranks(self) -> dict[int, int]:
        """The rank of each player that is no copy of another, by its number, best first; equal ranks are ties.

        The players of the equilibrium come first, then those that lose least to it. A player ties with the first of a
        rank unless the interval of its payoff lies below the other's; payoffs of the equilibrium's players are 0.
        """
        ends = np.where((self.nash > 0.0)[:, None], 0.0, self.nash_payoffs_ci95)
        rounding = 1e-6 * float(np.abs(self.payoffs).max())
        ranks: dict[int, int] = {}
        rank, lowest = 1, -math.inf
        for i in np.lexsort((-self.nash_payoffs, -self.nash)).tolist():
            if self.distinct[i]:
                if not ranks or ends[i, 1] + rounding < lowest:
                    rank, lowest = len(ranks) + 1, ends[i, 0]
                ranks[i] = rank
        return ranks

    @property
    def beaten(self) -> Int64s:
        """How many other players each player beats, by intervals above 0, (players,), int64."""
        beaten: Int64s = (self.payoffs_ci95[:, self.distinct, 0] > 0.0).sum(axis=1)
        return beaten

    def exactly(self, payoffs: Matrix) -> Self:
        """Get the standings with these payoffs, (players, players), where they are known, and NaN where they are not.

        An exact payoff has an interval of no width. Ratings are still those of the games played.
        """
        known = np.isfinite(payoffs)
        payoffs = np.where(known, payoffs, self.payoffs)
        ci95 = np.where(known[..., None], payoffs[..., None], self.payoffs_ci95)
        strategy = nash(payoffs)
        against = payoffs @ strategy
        half = np.sqrt((((ci95[..., 1] - ci95[..., 0]) / 2.0 * strategy) ** 2).sum(axis=1))
        return replace(
            self,
            payoffs=payoffs,
            payoffs_ci95=ci95,
            nash=strategy,
            nash_payoffs=against,
            nash_payoffs_ci95=np.stack([against - half, against + half], axis=1),
        )

    @property
    def deals(self) -> int:
        """The deals of the shortest matches."""
        seats = int(self.options.get("num_players", 2))
        return int(self.match_games[self.match_games > 0].min(initial=self.games)) // seats

    def asdict(self) -> dict[str, Any]:
        """Return the results as plain values for JSON; NaN (the interval of one deal) is null. See `fromdict`."""
        values = plain({field.name: getattr(self, field.name) for field in fields(self)})
        columns = [values.pop(name) for name in _PER_PLAYER.values()]
        players = [dict(zip(_PER_PLAYER, player, strict=True)) for player in zip(*columns, strict=True)]
        return {**values, "players": players, "games": self.games}

    @classmethod
    def fromdict(cls, values: Mapping[str, Any]) -> Self:
        """Return the results of `values` that `asdict` wrote."""
        columns = {name: [player[key] for player in values["players"]] for key, name in _PER_PLAYER.items()}
        found = {field.name: values[field.name] for field in fields(cls) if field.name in values} | columns
        arrays = {
            name: np.array(value, np.int64 if name in ("match_games", "originals") else np.float64)
            for name, value in found.items()
            if isinstance(value, list) and name != "names"
        }
        return cls(**{**found, **arrays, "names": tuple(columns["names"])})


_PER_PLAYER = {
    "name": "names",
    "rating": "ratings",
    "rating_ci95": "ratings_ci95",
    "nash": "nash",
    "nash_payoff": "nash_payoffs",
    "nash_payoff_ci95": "nash_payoffs_ci95",
    "original": "originals",
}
"""The keys of a player in `asdict`, and the attributes of `Standings`."""


def standings(sums: Mapping[tuple[int, int], Sums], names: Sequence[str], seats: int, **about: Any) -> Standings:
    """Return the results of a tournament from the sums of its matches.

    Args:
        sums: by the numbers of the two players. In games of more than two seats both orders are separate matches.
        seats: how many seats the game has, which is the number of games per deal.
        about: `env`, `options`, `payoff`, `seed`, `seconds`, `workers` and `engine`, as in `Standings`.
    """
    size = len(names)
    payoffs = np.zeros((1 + REPLICATES, size, size))
    wins = np.zeros((1 + REPLICATES, size, size))
    ci95, largest = np.zeros((size, size, 2)), np.zeros((size, size))
    match_games = np.zeros((size, size), np.int64)
    for (i, j), match in sums.items():
        # A resample of few deals may be empty; it is then replaced by all deals.
        part = np.where(match[:, [DEALS]] > 0, match, match[0])
        means = part[:, PAYOFF] / part[:, DEALS] / seats
        pairs = [((i, j), 1.0)] if seats > 2 else [((i, j), 1.0), ((j, i), -1.0)]
        for place, sign in pairs:
            payoffs[:, *place] = sign * means
            own = mean_of_sums(match[0, DEALS], sign * match[0, PAYOFF], match[0, SQUARE], match[0, LARGEST])
            ci95[place], largest[place] = np.array(own.interval) / seats, match[0, LARGEST] / seats
            match_games[place] += round(match[0, DEALS]) * seats
        wins[:, i, j] += part[:, WINS]
        wins[:, j, i] += part[:, LOSSES]
    ratings = bradley_terry(wins[0])
    resampled = bradley_terry(wins[1:], ratings)
    strategy = nash(payoffs[0])
    against = payoffs @ strategy
    deals = min((int(match[0, DEALS]) for match in sums.values()), default=0)
    alike = np.stack([(payoffs == payoffs[:, [i]]).all(axis=(0, 2)) for i in range(size)])
    alike &= deals >= FEW_DEALS  # Fewer show nothing.
    played = wins[0] + wins[0].T
    return Standings(
        names=tuple(names),
        payoffs=payoffs[0],
        payoffs_ci95=ci95,
        win_rates=np.divide(wins[0], played, out=np.full_like(played, 0.5), where=played > 0),
        ratings=ratings,
        ratings_ci95=ratings[:, None] + np.outer(student(deals) * np.sqrt(_variances(resampled, deals)), (-1.0, 1.0)),
        nash=strategy,
        nash_payoffs=against[0],
        nash_payoffs_ci95=np.array(
            [
                bounded_interval(mean, variance, deals, most)
                for mean, variance, most in zip(
                    against[0], _variances(against[1:], deals), largest @ strategy, strict=True
                )
            ]
        ),
        originals=(alike | np.eye(size, dtype=bool)).argmax(axis=1),
        match_games=match_games,
        **about,
    )


def _variances(resampled: Matrix, deals: int) -> Vector:
    """Return the variance of each column by the bootstrap, without the bias of few deals."""
    variances: Vector = resampled.var(axis=0, ddof=1) * deals / max(deals - 1, 1)
    return variances
