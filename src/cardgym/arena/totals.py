"""From totals of deals to reports of players."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.arena.report import Difference, PlayerReport
from cardgym.arena.statistics import Moments


@dataclass(frozen=True)
class Totals:
    """A deal's totals as a vector: the contests, then what each player won, its return and its extras.

    Attributes:
        num_players: how many players.
        extra: the names of the game's further figures.
    """

    num_players: int
    extra: tuple[str, ...]

    @property
    def each(self) -> int:
        """How many totals a player has."""
        return 2 + len(self.extra)

    @property
    def size(self) -> int:
        """How many totals there are."""
        return 1 + self.num_players * self.each

    def at(self, player: int) -> int:
        """The place of a player's first total."""
        return 1 + player * self.each

    def vector(self, contests: float, players: Iterable[Mapping[str, Any]]) -> npt.NDArray[np.float64]:
        """The totals of one game, from each player's `won`, `return` and `extra` by name."""
        numbers = [contests]
        for player in players:
            numbers += [player["won"], player["return"], *(player["extra"][name] for name in self.extra)]
        return np.array(numbers, np.float64)

    def reports(self, moments: Moments, names: Iterable[str], games_per_deal: int = 1) -> tuple[PlayerReport, ...]:
        """What the totals say of the players; means are a game, of which each deal had some."""
        return tuple(self._report(moments, player, name, games_per_deal) for player, name in enumerate(names))

    def _report(self, moments: Moments, player: int, name: str, games_per_deal: int) -> PlayerReport:
        at = self.at(player)
        share = 1.0 / games_per_deal
        extra: dict[str, Any] = {}
        for place, figure in enumerate(self.extra, at + 2):
            if figure.endswith("_games"):
                extra[figure] = round(float(moments.sums[place]))
            else:
                extra[figure], extra[f"{figure}_ci95"] = moments.mean(self._weights({place: share}))
        return PlayerReport(
            name,
            *moments.share(at, 0),
            *moments.mean(self._weights({at + 1: share})),
            extra,
        )

    def differences(self, moments: Moments, games_per_deal: int = 1) -> tuple[Difference, ...]:
        """By how much each player's return exceeds that of each one named after it."""
        found = []
        for player, other in itertools.combinations(range(self.num_players), 2):
            places = {self.at(player) + 1: 1.0 / games_per_deal, self.at(other) + 1: -1.0 / games_per_deal}
            found.append(Difference(player, other, *moments.mean(self._weights(places))))
        return tuple(found)

    def _weights(self, places: Mapping[int, float]) -> npt.NDArray[np.float64]:
        weights = np.zeros(self.size, np.float64)
        for place, weight in places.items():
            weights[place] = weight
        return weights
