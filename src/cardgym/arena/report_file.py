"""Reports that `cardgym evaluate --json` printed, read from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from cardgym.errors import quoted
from cardgym.files.documents import Count, Document, Items, Name, Number, at_most, parse_document, read_bytes
from cardgym.players.compatibility import OptionValues

_MAX_PLAYERS = 64

Ends = Annotated[Items[Number | None], Field(min_length=2), at_most(2)]
"""The ends of an interval; null where there were too few deals."""


class SavedPlayer(Document):
    """The results of one player; see `cardgym.arena.report.PlayerReport`."""

    name: Name
    win_rate: Number | None
    win_rate_ci95: Ends
    mean_return: Number | None
    mean_return_ci95: Ends
    metrics: Annotated[dict[Name, int | Number | Ends | None], at_most(128)]

    @model_validator(mode="after")
    def _check_metrics(self) -> Self:
        """Intervals are under names that end in `_ci95`, and nothing else is."""
        for name, value in self.metrics.items():
            if value is not None and name.endswith("_ci95") != isinstance(value, Sequence):
                raise ValueError(
                    f"metric {quoted(name)} should be {'an interval' if name.endswith('_ci95') else 'a number'}"
                )
        return self


class SavedReport(Document):
    """The results of a match; see `cardgym.arena.report.Report`."""

    env: Name
    settings: OptionValues
    games: Count
    seed: Annotated[int, Field(ge=0, lt=2**64)] | None = None
    seconds: Number | None = None
    decisions_per_second: Number | None = None
    players: Annotated[Items[SavedPlayer], Field(min_length=1), at_most(_MAX_PLAYERS)]

    @model_validator(mode="after")
    def _check_players(self) -> Self:
        """All players have the same metrics."""
        if len({frozenset(player.metrics) for player in self.players}) > 1:
            raise ValueError("the players should have the same metrics")
        return self


def read_report(path: Path) -> dict[str, Any]:
    """A report, as `Report.asdict` gives it.

    Raises:
        CardgymError: for a file that is missing, or holds no report.
    """
    what = f"file {path}"
    content = read_bytes(path, what)
    report = parse_document(SavedReport, content, f"{what}: holds no report that `cardgym evaluate --json` printed")
    return report.model_dump(mode="json")
