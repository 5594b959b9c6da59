"""Tables of figures that fit a terminal: what is too broad for one goes on in another below."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDE = 160
"""Characters a line where no terminal says how many it has."""
_BORDER = 3


def results_console() -> Console:
    """Where results are printed: stdout, as broad as the terminal; a pipe has no width, and nothing is folded there."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else WIDE)


def fitting_tables(head: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[Table]:
    """Rows of figures as tables of at most so many characters a line, the first column in each of them.

    Args:
        head: the columns' names; they are broken into lines no longer than the figures below them.
        rows: the cells of each row, which may have several lines. Names in the first column are folded where they
            are longer than a third of the width.
        width: characters a line.
    """
    from rich.table import Table
    from rich.text import Text

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
