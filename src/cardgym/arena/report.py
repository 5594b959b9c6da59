"""What a match showed, as plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from cardgym.arena.statistics import Interval


@dataclass(frozen=True)
class PlayerReport:
    """How one player did, over all its games.

    Attributes:
        name: as it was named.
        win_rate: the share it won of all that could be won: of games, or of hands in a game of hands.
        win_rate_ci95: its 95 % interval, within [0, 1].
        mean_return: the mean over games of the rewards paid to it.
        mean_return_ci95: its 95 % interval.
        extra: the game's further figures: means a game, each followed by `<name>_ci95`, and counts of games.
    """

    name: str
    win_rate: float
    win_rate_ci95: Interval
    mean_return: float
    mean_return_ci95: Interval
    extra: dict[str, float | Interval] = field(default_factory=dict)


@dataclass(frozen=True)
class Difference:
    """By how much one player's return exceeded another's on the same deals; players by their places."""

    player: int
    other: int
    mean: float
    ci95: Interval


@dataclass(frozen=True)
class Report:
    """What a match showed.

    Attributes:
        env: the game's id.
        settings: its options.
        games: how many games were played, over all seatings.
        seed: what they were dealt from.
        seconds: the time they took, without compiling.
        decisions_per_second: decisions of all seats, each second.
        players: one report each, in the order named.
        differences: of mean returns, for each pair of players; not part of `asdict`.
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
        """The report as JSON has it: lists for intervals, and null for what one deal cannot tell."""
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
                    "extra": {name: _plain(value) for name, value in player.extra.items()},
                }
                for player in self.players
            ],
        }


def _plain(value: float | Interval) -> Any:
    if isinstance(value, tuple):
        return [_plain(end) for end in value]
    return None if math.isnan(value) else value
