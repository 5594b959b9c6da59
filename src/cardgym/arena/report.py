"""The results of a match, as plain values, and the totals they come from."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game
from cardgym.statistics import Interval, Moments


@dataclass(frozen=True)
class PlayerReport:
    """The results of one player over all its games.

    Attributes:
        name: the player's name.
        win_rate: its scores divided by the maximum scores: games won, or hands won in a game of hands.
        win_rate_ci95: the 95 % interval of that, within [0, 1].
        mean_return: the mean reward per game.
        mean_return_ci95: the 95 % interval of that.
        metrics: the game's metrics by name: means per game, each followed by `<name>_ci95`, and counts of games.
    """

    name: str
    win_rate: float
    win_rate_ci95: Interval
    mean_return: float
    mean_return_ci95: Interval
    metrics: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Difference:
    """How much one player's return exceeded another's on the same deals.

    Attributes:
        player: the index of the first player, in the order given.
        other: the index of the second.
        mean: the mean difference per game.
        ci95: its 95 % interval.
    """

    player: int
    other: int
    mean: float
    ci95: Interval


@dataclass(frozen=True)
class Report:
    """The results of a match.

    Attributes:
        env: the game's id.
        options: its options.
        games: how many games were played, over all seatings.
        seed: the seed of the deals.
        seconds: the time the games took, without compiling.
        decisions_per_second: decisions of all seats per second.
        players: a report for each player, in the order given.
        differences: the differences between players' returns, for each pair; `asdict` leaves them out.
    """

    env: str
    options: dict[str, int | str]
    games: int
    seed: int
    seconds: float
    decisions_per_second: float
    players: tuple[PlayerReport, ...]
    differences: tuple[Difference, ...] = ()

    def asdict(self) -> dict[str, Any]:
        """The report as plain values for JSON: intervals are lists, and NaN (the interval of one deal) is null."""
        return {
            "env": self.env,
            "options": dict(self.options),
            "games": self.games,
            "seed": self.seed,
            "seconds": self.seconds,
            "decisions_per_second": self.decisions_per_second,
            "players": [
                {
                    "name": player.name,
                    "win_rate": _plain(player.win_rate),
                    "win_rate_ci95": _plain(player.win_rate_ci95),
                    "mean_return": _plain(player.mean_return),
                    "mean_return_ci95": _plain(player.mean_return_ci95),
                    "metrics": {name: _plain(value) for name, value in player.metrics.items()},
                }
                for player in self.players
            ],
        }


def _plain(value: float | Interval) -> Any:
    if isinstance(value, tuple):
        return [_plain(end) for end in value]
    return None if math.isnan(value) else value


@dataclass(frozen=True)
class Totals:
    """The layout of a deal's totals as a vector: the max score, then each player's score, return and metrics.

    Attributes:
        num_players: how many players.
        metrics: the names of the game's metrics.
        counts: those that count games; see `Metric`.
    """

    num_players: int
    metrics: tuple[str, ...]
    counts: tuple[str, ...] = ()

    @classmethod
    def of(cls, game: Game, num_players: int) -> Totals:
        """The layout for a game of `num_players`."""
        counts = tuple(name for name, metric in game.metrics.items() if metric.counts)
        return cls(num_players, tuple(game.metrics), counts)

    @property
    def per_player(self) -> int:
        """How many totals a player has."""
        return 2 + len(self.metrics)

    @property
    def size(self) -> int:
        """How many totals there are."""
        return 1 + self.num_players * self.per_player

    def start(self, player: int) -> int:
        """The place of a player's first total, its score."""
        return 1 + player * self.per_player

    def vector(self, max_score: float, players: Iterable[Mapping[str, Any]]) -> npt.NDArray[np.float64]:
        """The totals of one game, (size,) float64, from each player's `score`, `return` and `metrics` by name."""
        numbers = [max_score]
        for player in players:
            numbers += [player["score"], player["return"], *(player["metrics"][name] for name in self.metrics)]
        return np.array(numbers, np.float64)

    def reports(self, moments: Moments, names: Iterable[str], games_per_deal: int = 1) -> tuple[PlayerReport, ...]:
        """The players' reports. Means are per game, and each deal had `games_per_deal` of them."""
        return tuple(self._report(moments, player, name, games_per_deal) for player, name in enumerate(names))

    def _report(self, moments: Moments, player: int, name: str, games_per_deal: int) -> PlayerReport:
        score = self.start(player)
        share = 1.0 / games_per_deal
        metrics: dict[str, Any] = {}
        for place, metric in enumerate(self.metrics, score + 2):
            if metric in self.counts:
                metrics[metric] = round(float(moments.sums[place]))
            else:
                metrics[metric], metrics[f"{metric}_ci95"] = moments.mean(self._weights({place: share}))
        return PlayerReport(
            name,
            *moments.share(score, 0),
            *moments.mean(self._weights({score + 1: share})),
            metrics,
        )

    def differences(self, moments: Moments, games_per_deal: int = 1) -> tuple[Difference, ...]:
        """How much each player's return exceeds that of each later player."""
        differences = []
        for player, other in itertools.combinations(range(self.num_players), 2):
            places = {self.start(player) + 1: 1.0 / games_per_deal, self.start(other) + 1: -1.0 / games_per_deal}
            differences.append(Difference(player, other, *moments.mean(self._weights(places))))
        return tuple(differences)

    def _weights(self, places: Mapping[int, float]) -> npt.NDArray[np.float64]:
        weights = np.zeros(self.size, np.float64)
        for place, weight in places.items():
            weights[place] = weight
        return weights
