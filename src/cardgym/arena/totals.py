"""From totals of deals to reports of players."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.arena.report import Difference, PlayerReport
from cardgym.engine.contract import Game
from cardgym.statistics import Moments


@dataclass(frozen=True)
class Totals:
    """The layout of a deal's totals as a vector: the max score, then each player's score, return and metrics.

    Attributes:
        num_players: how many players.
        metrics: the names of the game's metrics.
        counts: those of them that count games; see `Metric`.
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
        """By how much each player's return exceeds that of each player named after it."""
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
