"""What people see in a terminal: tables that fit it, and the progress of long tasks."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import re
import shutil
import sys
import textwrap
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Self

from cardgym.errors import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDE = 160
"""Characters a line where stdout is no terminal and `COLUMNS` is not set."""
QUIET = 50.0
"""Where stderr is no terminal, so many seconds pass without a line of a task's progress, and a little more."""
_REFRESH = 0.1
"""Seconds from one change of a bar to the next, whatever is counted."""
_BORDER = 3


# -- streams ----------------------------------------------------------------------------------------------------------

_PLAIN = {"♠": "S", "♥": "H", "♦": "D", "♣": "C", "…": "...", "±": "+-", "→": "->"}
"""Characters that a console may lack, and what is printed in their place; `?` for any other."""


def adapt_streams() -> None:
    """Let stdout and stderr print whatever their encoding lacks in plain characters, instead of failing."""
    codecs.register_error("cardgym.plain", _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().replace("-", "").startswith("utf8"):
            stream.reconfigure(errors="cardgym.plain")


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(_PLAIN.get(letter, "?") for letter in letters), error.end


def silence_stdout() -> None:
    """Whoever read stdout has stopped, or its disk is full: keep Python's flush at exit from saying so again."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# -- tables -----------------------------------------------------------------------------------------------------------


def results_width() -> int:
    """Characters a line of results on stdout: those of `COLUMNS` or the terminal, or `WIDE` without either."""
    columns = os.environ.get("COLUMNS", "")
    told = int(columns) if columns.isdecimal() else 0
    return told or (shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDE)


def results_console() -> Console:
    """The console that prints results on stdout; see `results_width`."""
    from rich.console import Console

    return Console(width=results_width())


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
        rows: the cells of each row, which may have several lines. The first column wraps between words where it is
            wider than a third of `width`; a word is broken only where it is longer than half of `width`.
        width: characters a line.
    """
    from rich.table import Table
    from rich.text import Text

    head = [_clean(name) for name in head]
    rows = [[_clean(cell) for cell in row] for row in rows]
    names, widths = [], []
    for column, name in enumerate(head):
        cells = max((len(line) for row in rows for line in row[column].split("\n")), default=0)
        lines = textwrap.wrap(name, max([cells, 1, *map(len, name.split())])) or [""]
        names.append("\n".join(lines))
        widths.append(max(cells, *map(len, lines)))
    longest = max((len(word) for row in rows for word in row[0].split()), default=0)
    first = min(widths[0], max(width // 3, len(head[0]), min(longest, width // 2)))
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


_PLAYER_FILE = re.compile(r"(.+)\.(?:json|npz|safetensors|zip)(:\w+)?")


def short_names(names: Sequence[str]) -> list[str]:
    """Names of players as tables show them: a file's without folders and suffix, as far as that tells files apart."""
    files = {name: found for name in names if (found := _PLAYER_FILE.fullmatch(name))}
    shown = {name: name for name in names}
    depth = dict.fromkeys(files, 1)
    while True:
        for name, found in files.items():
            parts = PurePath(found[1]).parts
            shown[name] = "/".join(parts[-depth[name] :]) + (found[2] or "")
        alike = {name for name in files if list(shown.values()).count(shown[name]) > 1}
        alike = {name for name in alike if depth[name] < len(PurePath(name).parts)}
        if not alike:
            return [shown[name] for name in names]
        for name in alike:
            depth[name] += 1


def _clean(text: str) -> str:
    """A text without control characters: names of players and metrics may come from a file."""
    return "\n".join(printable(line, 500) for line in text.split("\n"))


# -- progress ---------------------------------------------------------------------------------------------------------

_now = time.monotonic
_on_show: list[Progress] = []
"""The tasks whose progress is shown now, the last one begun last."""


class Progress:
    """How far a long task is, on stderr: a bar on a terminal; elsewhere a line now and then, so that none is silent.

    Both show the description, what is done of the total, the rate, the time left and the last note. Use it as a
    context manager, and call it as the task advances:

        with Progress("evaluation", "games") as progress:
            progress(done, total)
            progress.note("wins 61.0 % against random")
    """

    def __init__(
        self, description: str, unit: str = "", *, total: int | None = None, done: int = 0, lines: bool = False
    ) -> None:
        """Show the task.

        Args:
            description: what the task is, in a few words.
            unit: what is counted, such as `decisions`.
            total: how much there is to do, if it is known already.
            done: how much was done before this task started; it is no part of the rate.
            lines: print each note as a line where stderr is no terminal.
        """
        self._description = description
        self._unit = unit
        self._total = total
        self._done = done
        self._lines = lines
        self._note = self._waits_for = ""
        self._begun = _now(), done
        self._first: tuple[float, int] | None = None
        self._last_line = self._begun[0]
        self._last_update = -_REFRESH
        self._bar: Any = None
        self._closed = threading.Event()
        _on_show.append(self)
        if sys.stderr.isatty():
            self._show()
        else:
            threading.Thread(target=self._beat_on, name="progress", daemon=True).start()

    def __call__(self, done: int, total: int | None = None) -> None:
        """Say how much is done, and of how much if that has changed."""
        self._first = self._first or (_now(), done)
        self._done = done
        self._total = self._total if total is None else total
        if self._bar is not None and _now() - self._last_update >= _REFRESH:
            self._update()

    def advance(self, steps: int = 1) -> None:
        """Say that so much more is done."""
        self(self._done + steps)

    def note(self, text: str) -> None:
        """Show a note beside the bar, or print it as a line; see `lines`."""
        self._note = text
        self._update()
        if self._bar is None and self._lines:
            total = "" if self._total is None else f" of {self._total:,}"
            self._print(f"{self._done:>12,}{total} {self._unit}: {text}")

    def beat(self) -> None:
        """Print a line if stderr is no terminal and none was printed for `QUIET` seconds."""
        if self._bar is None and _now() - self._last_line >= QUIET:
            self._print(f"cardgym: {self._line()}")

    def close(self) -> None:
        """Take the bar away."""
        self._closed.set()
        if self in _on_show:
            _on_show.remove(self)
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def waiting(self, reason: str) -> Iterator[None]:
        """Show what the task waits for while the block runs."""
        before, self._waits_for = self._waits_for, reason
        self._update()
        try:
            yield
        finally:
            self._waits_for = before
            self._update()

    # -- what is shown ------------------------------------------------------------------------------------------------

    def _count(self) -> str:
        """What is done of the total, such as `50 of 100 games`; empty where nothing is counted yet."""
        if self._total is None and not self._done:
            return ""
        total = "" if self._total is None else f" of {self._total:,}"
        return f"{self._done:,}{total} {self._unit}".rstrip()

    def _pace(self) -> tuple[str, str]:
        """The rate and the time left in words; empty where they are not known yet."""
        # From the first figure on, if there are more: what came before it, such as compiling, is not the task's pace.
        since, done_then = self._first if self._first and self._first[1] < self._done else self._begun
        seconds, done = _now() - since, self._done - done_then
        if seconds <= 0 or done <= 0:
            return "", ""
        rate = done / seconds
        to_do = 0 if self._total is None else self._total - self._done
        left = f"{_time(to_do / rate)} left" if to_do > 0 else ""
        if rate * 60 < 10:
            return f"{_time(1 / rate)} each", left
        shown = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
        return f"{shown}{' ' if self._unit else ''}{self._unit}/s", left

    def _remarks(self) -> str:
        return "; ".join(part for part in (self._waits_for, self._note) if part)

    def _line(self) -> str:
        """The progress as a line."""
        elapsed = f"after {_time(_now() - self._begun[0])}"
        figures = ", ".join(part for part in (self._count(), elapsed, *self._pace()) if part)
        remarks = self._remarks()
        return f"{self._description}: {figures}" + (f" ({remarks})" if remarks else "")

    def _print(self, line: str) -> None:
        self._last_line = _now()
        print(line, file=sys.stderr, flush=True)

    def _beat_on(self) -> None:
        while not self._closed.wait(5.0):
            self.beat()

    def _update(self) -> None:
        if self._bar is not None:
            self._last_update = _now()
            rate, left = self._pace()
            figures = {"count": self._count(), "rate": rate, "left": left, "note": self._remarks()}
            self._bar.update(self._task, completed=self._done, total=self._total, **figures)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        fields = [TextColumn(f"{{task.fields[{name}]}}", markup=False) for name in ("count", "rate", "left", "note")]
        self._bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),  # It pulses while the total is not known.
            TimeElapsedColumn(),  # It moves where nothing else does.
            *fields,
            console=Console(stderr=True),
            transient=True,
            redirect_stdout=sys.stdout.isatty(),  # Into a file, results are no part of the bar's terminal.
            refresh_per_second=4,  # More would be felt by what is measured beside it.
        )
        self._task = self._bar.add_task(
            self._description, total=self._total, completed=self._done, count="", rate="", left="", note=""
        )
        self._bar.start()


@contextlib.contextmanager
def waiting(reason: str) -> Iterator[None]:
    """Show what everybody waits for while the block runs: beside the task on show, or as a task of its own."""
    if _on_show:
        with _on_show[-1].waiting(reason):
            yield
    else:
        with Progress(reason):
            yield


def _time(seconds: float) -> str:
    """A time in words, such as `42 s`, `3 min 20 s` or `2 h 05 min`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s" if minutes < 10 else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02} min"
