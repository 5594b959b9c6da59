"""Reports as tables for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cardgym.console import WIDE, fitting_tables, results_console

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


def print_report(report: Mapping[str, Any]) -> None:
    """Print a report, as `Report.asdict` gives it, on stdout."""
    console = results_console()
    console.print(*report_tables(report, console.width), sep="\n")


def report_tables(report: Mapping[str, Any], width: int = WIDE) -> list[Text | Table]:
    """The title, the tables and the last line of a report, for rich to print on lines of so many characters."""
    from rich.text import Text

    settings = ", ".join(f"{name}={value}" for name, value in report["settings"].items())
    title = f"{report['env']}: {report['games']:,} game{'s' if report['games'] != 1 else ''}"
    if report.get("seed") is not None:
        title += f", seed {report['seed']}"
    figures = [name for name in report["players"][0]["extra"] if not name.endswith("_ci95")]
    counted = ["won"] if "contests" in report else []
    head = ["player", *counted, "win rate", "mean return", *(figure.replace("_", " ") for figure in figures)]
    rows = []
    for player in report["players"]:
        extra = player["extra"]
        won = [f"{player['won']:g} of {report['contests']:g}"] if counted else []
        cells = [
            _cell(player["win_rate"], player["win_rate_ci95"], percent=True),
            _cell(player["mean_return"], player["mean_return_ci95"]),
            *(_cell(extra[name], extra.get(f"{name}_ci95")) for name in figures),
        ]
        rows.append([player["name"], *won, *cells])
    tables = fitting_tables(head, rows, width)
    return [Text(title, "bold"), *tables, Text(settings + _speed(report), "dim")]


def _speed(report: Mapping[str, Any]) -> str:
    if report.get("seconds") is None:
        return ""
    return f"; {report['seconds']:.2f} s, {report['decisions_per_second']:,.0f} decisions/s"


def _cell(value: float | None, interval: list[float | None] | None, percent: bool = False) -> str:
    if value is None:
        return "-"
    if isinstance(value, int) and interval is None:
        return f"{value:,}"
    if percent:
        shown, ends = (
            f"{100 * value:.2f} %",
            [None if x is None else f"{100 * x:.2f}" for x in interval or ()],
        )
    else:
        shown, ends = f"{value:+.2f}", [None if x is None else f"{x:+.2f}" for x in interval or ()]
    known = [end for end in ends if end is not None]
    return f"{shown}\n[{', '.join(known)}]" if known else shown
