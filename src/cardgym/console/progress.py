"""The progress of a long task, on stderr."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

QUIET = 50.0
"""If stderr is not a terminal, a running task prints a line of progress after about this many quiet seconds."""

_now = time.monotonic
_active: list[Progress] = []
"""The tasks in progress, the latest last."""


class Progress:
    """The progress of a long task: a bar on a terminal, otherwise an occasional line.

    Both show the description, the count, the rate, the time left and the latest note. Use it as a context manager, and
    call it as the task advances:

        with Progress("evaluation", "games") as progress:
            progress(done, total)
            progress.note("wins 61.0 % against random")
    """

    def __init__(
        self,
        description: str,
        unit: str = "",
        *,
        total: int | None = None,
        done: int = 0,
        lines: bool = False,
    ) -> None:
        """Show the task.

        Args:
            unit: what is counted, such as `decisions`.
            total: how much there is to do, if it is known.
            done: how much was done before this task started; the rate does not include it.
            lines: print each note as a line if stderr is not a terminal.
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
        self._closed = threading.Event()
        self._bar = self._start_bar() if sys.stderr.isatty() else None
        if self._bar is None:
            threading.Thread(target=self._beat_until_closed, name="progress", daemon=True).start()
        _active.append(self)

    def __call__(self, done: int, total: int | None = None) -> None:
        self._first = self._first or (_now(), done)
        self._done = done
        self._total = self._total if total is None else total
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=done, total=self._total)

    def advance(self, steps: int = 1) -> None:
        self(self._done + steps)

    def note(self, text: str) -> None:
        """Show a note next to the bar, or print it as a line; see `lines`."""
        self._note = text
        if self._bar is None and self._lines:
            total = "" if self._total is None else f" of {self._total:,}"
            self.line(f"{self._done:>12,}{total} {self._unit}: {text}")

    def line(self, text: str) -> None:
        """Print a line that stays, above the bar."""
        self._last_line = _now()
        print(text, file=sys.stderr, flush=True)

    def beat(self) -> None:
        """Print a line if stderr is not a terminal and none was printed for `QUIET` seconds."""
        if self._bar is None and _now() - self._last_line >= QUIET:
            elapsed = f"after {_time(_now() - self._begun[0])}"
            numbers = ", ".join(part for part in (self._count(), elapsed, *self._pace()) if part)
            remarks = self._remarks()
            self.line(f"cardgym: {self._description}: {numbers}" + (f" ({remarks})" if remarks else ""))

    def close(self) -> None:
        self._closed.set()
        if self in _active:
            _active.remove(self)
        if self._bar is not None:
            self._bar.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def waiting(self, reason: str) -> Iterator[None]:
        """Show what the task waits for, while the block runs."""
        before, self._waits_for = self._waits_for, reason
        try:
            yield
        finally:
            self._waits_for = before

    # -- display ------------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        """Return the text after the bar."""
        return " ".join(part for part in (self._count(), *self._pace(), self._remarks()) if part)

    def _count(self) -> str:
        """Return the count, such as `50 of 100 games`; empty if nothing is counted yet."""
        if self._total is None and not self._done:
            return ""
        total = "" if self._total is None else f" of {self._total:,}"
        return f"{self._done:,}{total} {self._unit}".rstrip()

    def _pace(self) -> tuple[str, str]:
        """Return the rate and the time left in words; empty if they are unknown."""
        # Measured from the first update on, if there are more: compilation before it would distort the pace.
        since, done_then = self._first if self._first and self._first[1] < self._done else self._begun
        seconds, done = _now() - since, self._done - done_then
        if seconds <= 0 or done <= 0:
            return "", ""
        rate = done / seconds
        remaining = 0 if self._total is None else self._total - self._done
        left = f"{_time(remaining / rate)} left" if remaining > 0 else ""
        if rate * 60 < 10:
            return f"{_time(1 / rate)} each", left
        speed = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
        return f"{speed}{' ' if self._unit else ''}{self._unit}/s", left

    def _remarks(self) -> str:
        return "; ".join(part for part in (self._waits_for, self._note) if part)

    def _beat_until_closed(self) -> None:
        while not self._closed.wait(5.0):
            self.beat()

    def _start_bar(self) -> Bar:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            TimeElapsedColumn(),
            TextColumn("{task.fields[text]}", markup=False),  # Formatted when it is drawn.
            console=Console(stderr=True),
            transient=True,
            redirect_stdout=sys.stdout.isatty(),
            refresh_per_second=4,  # A faster bar slows down what is measured.
        )
        bar.add_task(self._description, total=self._total, completed=self._done, text=self)
        bar.start()
        return bar


@contextlib.contextmanager
def waiting(reason: str) -> Iterator[None]:
    """Show what the program waits for, while the block runs: as part of the current task, or as a task itself."""
    if _active:
        with _active[-1].waiting(reason):
            yield
    else:
        with Progress(reason):
            yield


def _time(seconds: float) -> str:
    """Return a time in words, such as `42 s`, `3 min 20 s` or `2 h 05 min`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s" if minutes < 10 else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60:02} min"
