"""Reports as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cardgym.console.tables import print_results, short_names, with_interval

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
    below = options_text(report["options"])
    if report.get("seconds") is not None:
        below += f"; {report['seconds']:.2f} s"
    if report.get("decisions_per_second") is not None:
        below += f", {report['decisions_per_second']:,.0f} decisions/s"
    return title, head, rows, below


def options_text(options: Mapping[str, Any]) -> str:
    """A game's options with their values."""
    return ", ".join(f"{name}={value}" for name, value in options.items()) or "no options"


def _cell(value: float | None, interval: list[float | None] | None, percent: bool = False) -> str:
    if value is None:
        return "-"
    if isinstance(value, int) and interval is None:
        return f"{value:,}"
    return with_interval(value, interval, ".2f" if percent else "+.2f", percent=percent, separator="\n")
