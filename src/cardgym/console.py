"""What people see in a terminal: tables that fit it, and the progress of long tasks."""

from __future__ import annotations

import sys
import textwrap
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from cardgym.errors import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDE = 160
"""Characters a line where stdout is no terminal."""
_BORDER = 3


# -- tables -----------------------------------------------------------------------------------------------------------


def results_console() -> Console:
    """The console that prints results on stdout: as wide as the terminal, or `WIDE` where there is none."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else WIDE)


def print_results(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], below: str) -> None:
    """Print a title, rows of figures as tables that fit the terminal, and a line below them; see `fitting_tables`."""
    from rich.text import Text

    console = results_console()
    console.print(
        Text(_clean(title), "bold"), *fitting_tables(head, rows, console.width), Text(_clean(below), "dim"), sep="\n"
    )


def fitting_tables(head: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[Table]:
    """Rows of figures as tables no wider than `width`; each table repeats the first column.

    Args:
        head: the names of the columns, wrapped to the width of the figures below them.
        rows: the cells of each row, which may have several lines. The first column wraps where it is wider than a
            third of `width`.
        width: characters a line.
    """
    from rich.table import Table
    from rich.text import Text

    head = [_clean(name) for name in head]
    rows = [[_clean(cell) for cell in row] for row in rows]
    names, widths = [], []
    for column, name in enumerate(head):
        cells = max((len(line) for row in rows for line in row[column].split("\n")), default=0)
        lines = textwrap.wrap(name, max(cells, *map(len, name.split()), 1))
        names.append("\n".join(lines))
        widths.append(max(cells, *map(len, lines)))
    first = min(widths[0], max(width // 3, len(head[0])))
    parts: list[list[int]] = [[]]
    room = width - first - _BORDER - 1
    left = room
    for column in range(1, len(head)):
        if parts[-1] and widths[column] + _BORDER > left:
            parts.append([])
            left = room
        parts[-1].append(column)
        left -= widths[column] + _BORDER
    tables = []
    for part in parts:
        table = Table()
        table.add_column(Text(names[0]), overflow="fold", width=first)
        for column in part:
            table.add_column(Text(names[column], justify="right"), justify="right", no_wrap=True)
        for row in rows:
            table.add_row(*(Text(row[column]) for column in (0, *part)))
        tables.append(table)
    return tables


def _clean(text: str) -> str:
    """A text without control characters: names of players and metrics may come from a file."""
    return "\n".join(printable(line, 500) for line in text.split("\n"))


# -- progress ---------------------------------------------------------------------------------------------------------


class Progress:
    """How far a long task is, on stderr: a bar on a terminal, nothing or plain lines elsewhere.

    The bar shows the description, what is done of the total, the rate, the time left and the last note. Use it as a
    context manager, and call it as the task advances:

        with Progress("games") as progress:
            progress(done, total)
            progress.note("wins 61.0 % against random")
    """

    def __init__(
        self, description: str, unit: str = "", *, total: int | None = None, done: int = 0, lines: bool = False
    ) -> None:
        """Show the bar.

        Args:
            description: the words before the bar.
            unit: what is counted, such as `decisions`, for the rate and for plain lines.
            total: how much there is to do, if it is known already.
            done: how much was done before this task started; it is no part of the rate.
            lines: print each note as a line where stderr is no terminal.
        """
        self._unit = unit
        self._total = total
        self._first = self._done = done
        self._lines = lines
        self._start = time.monotonic()
        self._bar: Any = None
        if sys.stderr.isatty():
            self._show(description)

    def __call__(self, done: int, total: int | None = None) -> None:
        """Say how much is done, and of how much if that has changed."""
        self._done = done
        self._total = self._total if total is None else total
        if self._bar is not None:
            rate = (done - self._first) / max(time.monotonic() - self._start, 1e-9)
            self._bar.update(self._task, completed=done, total=self._total, rate=self._rate(rate))

    def advance(self, steps: int = 1) -> None:
        """Say that so much more is done."""
        self(self._done + steps)

    def note(self, text: str) -> None:
        """Show a note beside the bar, or print it as a line; see `lines`."""
        if self._bar is not None:
            self._bar.update(self._task, note=text)
        elif self._lines:
            total = "" if self._total is None else f" of {self._total:,}"
            print(f"{self._done:>12,}{total} {self._unit}: {text}", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _show(self, description: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(description, total=self._total, completed=self._done, rate="", note="")
        self._bar.start()

    def _rate(self, rate: float) -> str:
        shown = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
        return f"{shown} {self._unit}/s" if self._unit else f"{shown}/s"
