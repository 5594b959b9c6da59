"""What the pages of all papers share: their command line, claims with verdicts, and how they are written."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from cardgym.console.arguments import Parser, whole
from cardgym.console.progress import Progress
from cardgym.console.tables import markdown_table, wrapped
from cardgym.files import write_text
from cardgym.files.locks import locked
from cardgym.statistics import Estimate

PAGE = "results.md"
BY_HAND = "<!-- Written by hand; `cardgym reproduce` keeps what follows. -->"
"""Divides a paper's page: above it what the command writes, below it what is new."""


def page_parser(paper: str, description: str | None, games: int, of: str) -> Parser:
    """Return the arguments of every page: the seed, the folder and the number of games `of` something."""
    parser = Parser(prog=f"cardgym reproduce {paper}", description=description)
    folder = Path("docs/papers") / paper.replace("-", "_")
    parser.add_argument("--seed", type=whole(0), default=0, metavar="S", help="seed of all games and trainings (0)")
    parser.add_argument("--out", type=Path, default=folder, metavar="FOLDER", help=f"where to write ({folder})")
    parser.add_argument(
        "--games", type=whole(2, 1_000_000), default=games, metavar="N", help=f"games of each {of} ({games:,})"
    )
    return parser


def reproduce(
    parser: Parser, words: Sequence[str], unit: str, write: Callable[[Namespace, Progress], Iterable[Path]]
) -> int:
    """Write a paper's page from the command line, print the paths of what was written, and return the exit code.

    Args:
        parser: what `page_parser` returns, with the paper's own arguments.
        unit: what the progress counts, in the plural.
        write: writes the page with the parsed arguments, and reports its progress.
    """
    arguments = parser.parse_args(words)
    task = parser.prog.replace("cardgym reproduce", "reproducing")
    # A folder that cannot be written fails now, not after minutes.
    with locked(arguments.out, file=PAGE), Progress(task, unit) as progress:
        for path in write(arguments, progress):
            print(path)
    return 0


def section(title: str, *blocks: str | Sequence[str]) -> str:
    """Return a section of a page: its heading, then paragraphs, and lists of lines such as those of a table."""
    return (
        "\n\n".join([f"## {title}", *(block if isinstance(block, str) else "\n".join(block) for block in blocks)])
        + "\n"
    )


RULE = "[One rule](../README.md#verdicts) gives the verdicts."


class Claim(NamedTuple):
    """A claim of a paper as a range, and what we measure of it.

    Attributes:
        section: the paper's section.
        text: the claim in words.
        low: the lowest value with which it holds.
        high: the highest.
        measured: the estimate of that value, one for each column of the table.
        form: the format of the estimates.
        notes: what follows the verdicts: one text for all, or one for each.
    """

    section: str
    text: str
    low: float
    high: float
    measured: Sequence[Estimate]
    form: str = "+.1f"
    notes: str | Sequence[str] = ""


class Answer(NamedTuple):
    """A sentence of a paper of which nothing is measured, and our answer: one for all columns, or one for each."""

    section: str
    text: str
    answers: str | Sequence[str]


def verdict(estimate: Estimate, low: float, high: float) -> str:
    """Return whether a claim, a range, holds, fails or stays open (docs/papers/README.md); a value alone is exact."""
    first, last = estimate.interval if estimate.known else (estimate.value, estimate.value)
    if low <= first and last <= high:
        return "holds"
    return "fails" if last < low or first > high else "open"


def claims_table(columns: Sequence[str], rows: Iterable[Claim | Answer]) -> list[str]:
    """Return the lines of the table of a paper's claims, in its order."""
    cells = []
    for row in rows:
        if isinstance(row, Answer):
            answers = [row.answers, *[""] * (len(columns) - 1)] if isinstance(row.answers, str) else row.answers
            cells.append([row.section, row.text, "", *answers])
            continue
        low, high = f"{row.low:g}", f"{row.high:g}"
        allowed = low if low == high else f"{low} to {high}"
        allowed = f"at most {high}" if math.isinf(row.low) else f"at least {low}" if math.isinf(row.high) else allowed
        notes = [row.notes] * len(columns) if isinstance(row.notes, str) else row.notes
        ours = [
            f"{one.text(row.form)}: {verdict(one, row.low, row.high)}{note}"
            for one, note in zip(row.measured, notes, strict=True)
        ]
        cells.append([row.section, row.text, allowed, *ours])
    return markdown_table(("section", "claim", "range", *columns), cells)


def write_page(folder: Path, parts: Iterable[str]) -> Path:
    """Write a page of Markdown, its prose wrapped, above what an earlier one has by hand; returns its path.

    Raises:
        CardgymError: if it cannot be written.
    """
    path = folder / PAGE
    earlier = path.read_text(encoding="utf-8") if path.exists() else ""
    by_hand = "\n" + "".join(earlier.partition(BY_HAND)[1:]) if BY_HAND in earlier else ""
    write_text(path, wrapped("\n".join(parts).rstrip()) + f"\n{by_hand}")
    return path
