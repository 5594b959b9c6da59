"""Tables and the texts in their cells: for a terminal, and for Markdown pages."""

from __future__ import annotations

import math
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from cardgym.errors import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_FILE_WIDTH = 160
"""Characters per line where stdout is not a terminal and `COLUMNS` is not set."""
_BORDER = 3


# -- cells ------------------------------------------------------------------------------------------------------------


def number(value: float, form: str) -> str:
    """Return a formatted number; one that rounds to zero has no sign, and NaN is a dash."""
    if math.isnan(value):
        return "-"
    text = f"{value:{form}}"
    return text if text.strip("+-0.") else text.strip("+-")


def interval(ends: Iterable[float | None] | None, form: str, *, percent: bool = False) -> str:
    """Return an interval such as `[59.8, 62.1]`; empty if it is unknown (None or NaN)."""
    factor = 100.0 if percent else 1.0
    known = [end for end in (() if ends is None else ends) if end is not None and not math.isnan(end)]
    return f"[{', '.join(number(factor * end, form) for end in known)}]" if known else ""


def with_interval(
    value: float, ends: Iterable[float | None] | None, form: str, *, percent: bool = False, separator: str = " "
) -> str:
    """Return a figure with its interval, such as `61.0 % [59.8, 62.1]`; without it if it is unknown."""
    figure = f"{number(100.0 * value, form)} %" if percent and not math.isnan(value) else number(value, form)
    text = interval(ends, form, percent=percent)
    return f"{figure}{separator}{text}" if text else figure


def share(value: float) -> str:
    """Return a share in whole percent; only all is 100 %, and only nothing is 0 %."""
    return f"{value if value in (0.0, 1.0) else min(max(value, 0.01), 0.99):.0%}"


_PLAYER_FILE = re.compile(r"(.+)\.(?:json|safetensors|zip)(:\w+)?")


def short_names(names: Sequence[str]) -> list[str]:
    """Players' names for a table: files without their suffix, and with only as many folders as make them distinct."""
    files = {name: found for name in names if (found := _PLAYER_FILE.fullmatch(name))}
    short = {name: printable(name) for name in names}
    depth = dict.fromkeys(files, 1)
    while True:
        for name, found in files.items():
            parts = PurePath(found[1]).parts
            short[name] = printable("/".join(parts[-depth[name] :]) + (found[2] or ""))
        ambiguous = {name for name in files if list(short.values()).count(short[name]) > 1}
        ambiguous = {name for name in ambiguous if depth[name] < len(PurePath(name).parts)}
        if not ambiguous:
            return [short[name] for name in names]
        for name in ambiguous:
            depth[name] += 1


# -- Markdown ---------------------------------------------------------------------------------------------------------


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], align: str = "") -> list[str]:
    """Return the lines of a Markdown table.

    Args:
        rows: the cells of each row; `|` in a cell is escaped.
        align: for each column `l` (left) or `r` (right); left if it is shorter.
    """
    rule = "|".join("---:" if side == "r" else "---" for side in align.ljust(len(head), "l"))
    return [markdown_row(head), f"|{rule}|", *map(markdown_row, rows)]


def markdown_row(cells: Sequence[str]) -> str:
    escaped = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


MARKER = re.compile(r" (?=(?:\d+\.|[-+*]) )")
"""A space before text that would turn a line into a list item."""


def wrapped(page: str, width: int = 120) -> str:
    """Get a Markdown page with its prose and lists wrapped to `width`; tables, code and pictures stay as they are."""
    blocks = []
    for block in page.split("\n\n"):
        if max(map(len, block.split("\n"))) > width and not block.startswith(("|", "!", "#", "`", "<")):
            items = (re.sub(MARKER, "\0", " ".join(item.split())) for item in re.split(r"\n(?=- )", block))
            block = "\n".join(
                textwrap.fill(
                    item, width, subsequent_indent="  " * item.startswith("- "),
                    break_long_words=False, break_on_hyphens=False,
                )
                for item in items
            ).replace("\0", " ")  # fmt: skip
        blocks.append(block)
    return "\n\n".join(blocks)


# -- terminal ---------------------------------------------------------------------------------------------------------


def results_width() -> int:
    """Characters per line of results on stdout: from `COLUMNS`, else the terminal's width, else 160."""
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() else 0
    return width or (shutil.get_terminal_size().columns if sys.stdout.isatty() else _FILE_WIDTH)


def results_console() -> Console:
    """Return the rich console that prints results on stdout, `results_width()` wide."""
    from rich.console import Console

    return Console(width=results_width())


def print_results(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], footer: str) -> None:
    """Print a title, rows of figures as tables that fit the terminal, and a footer; see `fitting_tables`."""
    from rich.text import Text

    console = results_console()
    console.print(
        Text(_clean(title), "bold"), *fitting_tables(head, rows, console.width), Text(_clean(footer), "dim"), sep="\n"
    )


def fitting_tables(head: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[Table]:
    """Rows of figures as tables no wider than `width`; each table repeats the first column.

    Args:
        head: the names of the columns, wrapped to the width of the figures below them.
        rows: the cells of each row, which may have several lines. The first column wraps between words if it is wider
            than a third of `width`; a word is broken only if it is longer than half of `width`.
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


def _clean(text: str) -> str:
    """Return a text without control characters: names of players and metrics may come from a file."""
    return "\n".join(printable(line, 500) for line in text.split("\n"))
