"""The results of a match, as plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from cardgym.statistics import Interval


@dataclass(frozen=True)
class PlayerReport:
    """The results of one player over all its games.

    Attributes:
        name: the player's name.
        win_rate: its scores as a share of the scores to be had: games won, or hands won in a game of hands.
        win_rate_ci95: the 95 % interval of that, within [0, 1].
        mean_return: the mean over games of the rewards paid to it.
        mean_return_ci95: the 95 % interval of that.
        metrics: the game's metrics by name: means over games, each followed by `<name>_ci95`, and counts of games.
    """

    name: str
    win_rate: float
    win_rate_ci95: Interval
    mean_return: float
    mean_return_ci95: Interval
    metrics: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Difference:
    """By how much one player's return exceeded another's on the same deals.

    Attributes:
        player: the number of the first player, in the order named.
        other: the number of the second.
        mean: the mean difference a game.
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
        settings: its options.
        games: how many games were played, over all seatings.
        seed: the seed of the deals.
        seconds: the time the games took, without compiling.
        decisions_per_second: decisions of all seats a second.
        players: a report for each player, in the order named.
        differences: the differences between players' returns, for each pair; not part of `asdict`.
    """

    env: str
    settings: dict[str, int | str]
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
            "settings": dict(self.settings),
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
