"""The standings of a tournament: payoffs, ratings and the equilibrium, each with 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.arena.tournament.ranges import DEALS, LOSSES, PAYOFF, REPLICATES, SQUARE, WINS, Sums
from cardgym.arena.tournament.ranking import Matrix, Vector, bradley_terry, nash
from cardgym.statistics import Z95, half_width


@dataclass(frozen=True, eq=False)
class Standings:
    """The results of a tournament. Intervals are over deals, which all matches share.

    Attributes:
        names: the players, in the order named.
        payoff: what the payoffs are sums of: `return` or the name of a metric.
        payoffs: what the row's player wins from the column's, per game, (players, players): its payoff minus the mean
            of all seats, or in a game of one seat minus the other's on the same deal.
        payoffs_ci95: their 95 % intervals, (players, players, 2); NaN from a single deal.
        win_rates: the share of points (games or hands) that the row's player took, (players, players).
        ratings: Bradley and Terry's, in Elo points of mean 0, (players,).
        ratings_ci95: their 95 % intervals, (players, 2).
        nash: the equilibrium of the payoffs, probabilities, (players,).
        nash_payoffs: each player's payoff against it, (players,).
        nash_payoffs_ci95: their 95 % intervals, (players, 2).
        match_games: how many games each pair played, (players, players), int64.
        seed: the seed of the deals.
        seconds: the wall-clock time of the games.
        workers: how many workers played.
        engine: where they ran.
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
    match_games: npt.NDArray[np.int64]
    seed: int
    seconds: float
    workers: int
    engine: str

    @property
    def games(self) -> int:
        """The games of the longest matches."""
        return int(self.match_games.max())

    def asdict(self) -> dict[str, Any]:
        """The results as plain values for JSON; NaN (the interval of one deal) is null."""
        players = [
            {
                "name": name,
                "rating": _plain(self.ratings[i]),
                "rating_ci95": _plain(self.ratings_ci95[i]),
                "nash": _plain(self.nash[i]),
                "nash_payoff": _plain(self.nash_payoffs[i]),
                "nash_payoff_ci95": _plain(self.nash_payoffs_ci95[i]),
            }
            for i, name in enumerate(self.names)
        ]
        return {
            "env": self.env,
            "options": dict(self.options),
            "players": players,
            "payoff": self.payoff,
            "payoffs": _plain(self.payoffs),
            "payoffs_ci95": _plain(self.payoffs_ci95),
            "win_rates": _plain(self.win_rates),
            "games": self.games,
            "match_games": self.match_games.astype(int).tolist(),
            "seed": self.seed,
            "seconds": self.seconds,
            "workers": self.workers,
            "engine": self.engine,
        }


def standings(sums: Mapping[tuple[int, int], Sums], names: Sequence[str], seats: int, **about: Any) -> Standings:
    """The results of a tournament from the sums of its matches.

    Args:
        sums: by the numbers of the two players. In games of more than two seats both orders are separate matches.
        names: the players.
        seats: how many seats the game has, which is the number of games per deal.
        about: `env`, `options`, `payoff`, `seed`, `seconds`, `workers` and `engine`, as `Standings` has them.
    """
    size = len(names)
    payoffs = np.zeros((1 + REPLICATES, size, size))
    wins = np.zeros((1 + REPLICATES, size, size))
    half_widths = np.zeros((size, size))
    match_games = np.zeros((size, size), np.int64)
    for (i, j), match in sums.items():
        # A resample of few deals may be empty; all deals then take its place.
        part = np.where(match[:, [DEALS]] > 0, match, match[0])
        means = part[:, PAYOFF] / part[:, DEALS] / seats
        pairs = [((i, j), 1.0)] if seats > 2 else [((i, j), 1.0), ((j, i), -1.0)]
        for place, sign in pairs:
            payoffs[:, *place] = sign * means
            half_widths[place] = half_width(match[0, DEALS], match[0, PAYOFF], match[0, SQUARE]) / seats
            match_games[place] += round(match[0, DEALS]) * seats
        wins[:, i, j] += part[:, WINS]
        wins[:, j, i] += part[:, LOSSES]
    ratings = bradley_terry(wins[0])
    resampled = bradley_terry(wins[1:], ratings)
    strategy = nash(payoffs[0])
    against = payoffs @ strategy
    known = min((match[0, DEALS] for match in sums.values()), default=0) > 1
    played = wins[0] + wins[0].T
    return Standings(
        names=tuple(names),
        payoffs=payoffs[0],
        payoffs_ci95=_interval(payoffs[0], half_widths),
        win_rates=np.divide(wins[0], played, out=np.full_like(played, 0.5), where=played > 0),
        ratings=ratings,
        ratings_ci95=_interval(ratings, _spread(resampled, known)),
        nash=strategy,
        nash_payoffs=against[0],
        nash_payoffs_ci95=_interval(against[0], _spread(against[1:], known)),
        match_games=match_games,
        **about,
    )


def _spread(resampled: Matrix, known: bool) -> Vector:
    """Half the 95 % interval of each column, by the bootstrap's standard error."""
    spread: Vector = Z95 * resampled.std(axis=0, ddof=1)
    return spread if known else np.full_like(spread, math.nan)


def _interval(centres: npt.NDArray[np.float64], half_widths: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.stack([centres - half_widths, centres + half_widths], axis=-1)


def _plain(numbers: Any) -> Any:
    """Arrays as lists, with null for NaN."""
    if isinstance(numbers, np.ndarray):
        return [_plain(number) for number in numbers]
    return None if math.isnan(numbers) else float(numbers)
