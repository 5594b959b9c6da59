"""Reports as tables for people."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


def print_report(report: Mapping[str, Any]) -> None:
    """Print a report, as `Report.asdict` gives it, as a table on stdout."""
    from rich.console import Console

    # A pipe has no width: nothing is folded there.
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(*report_table(report), sep="\n")


def report_table(report: Mapping[str, Any]) -> tuple[Text, Table, Text]:
    """The title, the table and the last line of a report, for rich to print."""
    from rich.table import Table
    from rich.text import Text

    settings = ", ".join(f"{name}={value}" for name, value in report["settings"].items())
    title = f"{report['env']}: {report['games']:,} game{'s' if report['games'] != 1 else ''}"
    if report.get("seed") is not None:
        title += f", seed {report['seed']}"
    figures = [name for name in report["players"][0]["extra"] if not name.endswith("_ci95")]
    table = Table()
    table.add_column("player", overflow="fold")
    if "contests" in report:
        table.add_column("won", justify="right", no_wrap=True)
    for name in ("win rate", "mean return", *(figure.replace("_", " ") for figure in figures)):
        table.add_column(name, justify="right", no_wrap=True)
    for player in report["players"]:
        extra = player["extra"]
        cells = [
            _cell(player["win_rate"], player["win_rate_ci95"], percent=True),
            _cell(player["mean_return"], player["mean_return_ci95"]),
            *(_cell(extra[name], extra.get(f"{name}_ci95")) for name in figures),
        ]
        if "contests" in report:
            cells.insert(0, f"{player['won']:g} of {report['contests']:g}")
        table.add_row(Text(player["name"]), *map(Text, cells))
    return Text(title, "bold"), table, Text(settings + _speed(report), "dim")


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
