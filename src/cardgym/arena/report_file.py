"""Reports as files and as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from cardgym.console.tables import print_results, short_names, with_interval
from cardgym.errors import quoted
from cardgym.files.documents import Count, Document, Items, Name, Number, at_most, parse_document
from cardgym.files.json_values import read_bytes
from cardgym.players.compatibility import OptionValues

_MAX_PLAYERS = 64

Ends = Annotated[Items[Number | None], Field(min_length=2), at_most(2)]
"""The ends of an interval; null if there were too few deals."""


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
        """The names of intervals, and no others, end in `_ci95`."""
        for name, value in self.metrics.items():
            if value is not None and name.endswith("_ci95") != isinstance(value, Sequence):
                raise ValueError(
                    f"metric {quoted(name)} should be {'an interval' if name.endswith('_ci95') else 'a number'}"
                )
        return self


class SavedReport(Document):
    """The results of a match; see `cardgym.arena.report.Report`."""

    env: Name
    options: OptionValues
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
        CardgymError: for a file that is missing or is not a report.
    """
    what = f"file {path}"
    content = read_bytes(path, what)
    report = parse_document(SavedReport, content, f"{what}: holds no report that `cardgym evaluate --json` printed")
    return report.model_dump(mode="json")


TableTexts = tuple[str, Sequence[str], Sequence[Sequence[str]], str]
"""The title, the column heads, the rows and a line below; see `cardgym.console.tables.print_results`."""


def print_report(report: Mapping[str, Any]) -> None:
    """Print a report, as `Report.asdict` gives it, on stdout."""
    print_results(*report_texts(report))


def report_texts(report: Mapping[str, Any]) -> TableTexts:
    """The texts of a report, as `Report.asdict` gives it."""
    title = f"{report['env']}: {report['games']:,} game{'s' if report['games'] != 1 else ''}"
    if report.get("seed") is not None:
        title += f", seed {report['seed']}"
    metrics = [name for name in report["players"][0]["metrics"] if not name.endswith("_ci95")]
    with_scores = ["score"] if "max_score" in report else []
    head = ["player", *with_scores, "win rate", "mean return", *(name.replace("_", " ") for name in metrics)]
    rows = []
    names = short_names([player["name"] for player in report["players"]])
    for name, player in zip(names, report["players"], strict=True):
        score = [f"{player['score']:g} of {report['max_score']:g}"] if with_scores else []
        cells = [
            _cell(player["win_rate"], player["win_rate_ci95"], percent=True),
            _cell(player["mean_return"], player["mean_return_ci95"]),
            *(_cell(player["metrics"][metric], player["metrics"].get(f"{metric}_ci95")) for metric in metrics),
        ]
        rows.append([name, *score, *cells])
    below = ", ".join(f"{name}={value}" for name, value in report["options"].items())
    if report.get("seconds") is not None:
        below += f"; {report['seconds']:.2f} s"
    if report.get("decisions_per_second") is not None:
        below += f", {report['decisions_per_second']:,.0f} decisions/s"
    return title, head, rows, below


def _cell(value: float | None, interval: list[float | None] | None, percent: bool = False) -> str:
    if value is None:
        return "-"
    if isinstance(value, int) and interval is None:
        return f"{value:,}"
    return with_interval(value, interval, ".2f" if percent else "+.2f", percent=percent, separator="\n")
