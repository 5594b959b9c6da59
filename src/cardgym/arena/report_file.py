"""Reports that `cardgym evaluate --json` printed, read from files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from cardgym.players.compatibility import OptionValues
from cardgym.untrusted.documents import Count, Document, Items, Name, Number, at_most, parse_document, read_bytes

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


class SavedReport(Document):
    """The results of a match; see `cardgym.arena.report.Report`."""

    env: Name
    settings: OptionValues
    games: Count
    seed: Annotated[int, Field(ge=0, lt=2**64)] | None = None
    seconds: Number | None = None
    decisions_per_second: Number | None = None
    players: Annotated[Items[SavedPlayer], Field(min_length=1), at_most(_MAX_PLAYERS)]


def read_report(path: Path) -> dict[str, Any]:
    """A report, as `Report.asdict` gives it.

    Raises:
        CardgymError: for a file that is missing, or holds no report.
    """
    what = f"file {path}"
    content = read_bytes(path, what)
    report = parse_document(SavedReport, content, f"{what}: holds no report that `cardgym evaluate --json` printed")
    return report.model_dump(mode="json")
