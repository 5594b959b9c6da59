"""What a sweep shows while it runs: one table of all runs on a terminal, a line for each run that ends elsewhere."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from cardgym.console.progress import Progress, read_progress
from cardgym.experiments.launch import Run
from cardgym.experiments.sweep.runner import RunResult

if TYPE_CHECKING:
    from rich.table import Table

_FURTHER_LINES = 8
"""Lines of a terminal that the table leaves free."""


class SweepDisplay:
    """The progress of a sweep on stderr. Use it as a context manager, and call it back as runs begin and end."""

    def __init__(self, folder: Path, total: int | None) -> None:
        """Show a sweep in this folder; `total` is None where the number of runs is unknown."""
        self._folder = folder
        self._total = total
        self._running: dict[str, Run] = {}
        self._problems: list[RunResult] = []
        self._ended = Counter[str]()
        self._live: Any = None
        self._lines: Progress | None = None

    def begun(self, run: Run) -> None:
        """Show a run as under way."""
        self._running[run.name] = run

    def ended(self, result: RunResult) -> None:
        """Show how a run ended; one that failed gets its own line, with the path of its log."""
        self._running.pop(result.run.name, None)
        state = "stopped early" if result.stopped else "failed" if result.problem else "done"
        self._ended[state] += 1
        line = f"{result.run.name}: {state}" + (f": {result.problem}" if result.problem else "")
        if self._live is not None and result.problem:
            from rich.text import Text

            self._live.console.print(Text(line))
        elif self._lines is not None:
            self._lines.advance()
            self._lines.note(line)

    def refresh(self) -> None:
        """Redraw the table."""
        if self._live is not None:
            self._live.update(self._table(), refresh=True)

    def _table(self) -> Table:
        from rich.table import Table
        from rich.text import Text

        known = sum(self._ended.values()) + len(self._running)
        waiting = 0 if self._total is None else max(self._total - known, 0)
        counts = [*self._ended.items(), ("under way", len(self._running)), ("waiting", waiting)]
        table = Table(title=", ".join(f"{count} {state}" for state, count in counts if count))
        table.add_column("run", overflow="ellipsis", no_wrap=True)
        table.add_column("steps", overflow="ellipsis", no_wrap=True, ratio=1)
        room = max(self._live.console.height - _FURTHER_LINES, 3)
        for name in list(self._running)[:room]:
            table.add_row(Text(name), Text(str(read_progress(self._folder / name) or "starts")))
        if len(self._running) > room:
            table.add_row("...", f"and {len(self._running) - room} more")
        return table

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self._live.start()
        else:
            self._lines = Progress("sweep", "runs", total=self._total, lines=True)
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
        if self._lines is not None:
            self._lines.close()
