"""What the pages of all papers share: their command line, their steps, and how they are written."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from cardgym.console.arguments import Parser, whole
from cardgym.console.progress import Progress
from cardgym.console.tables import wrapped
from cardgym.files import replacing

PAGE = "results.md"
BY_HAND = "<!-- Written by hand; `cardgym reproduce` keeps what follows. -->"
"""Divides a paper's page: above it what the command writes, below it what is new."""
Report = Callable[[int, int], None]
"""Called with how many experiments are done and how many there are."""


def page_parser(paper: str, description: str | None, games: int, of: str) -> Parser:
    """The arguments of every page: the seed, the folder and the number of games `of` something."""
    parser = Parser(prog=f"cardgym reproduce {paper}", description=description)
    folder = Path("docs/papers") / paper.replace("-", "_")
    parser.add_argument("--seed", type=whole(0), default=0, metavar="S", help="seed of all games and trainings (0)")
    parser.add_argument("--out", type=Path, default=folder, metavar="FOLDER", help=f"where to write ({folder})")
    parser.add_argument(
        "--games", type=whole(2, 1_000_000), default=games, metavar="N", help=f"games of each {of} ({games:,})"
    )
    return parser


def reproduce(
    parser: Parser, words: Sequence[str], unit: str, write: Callable[[Namespace, Report], Iterable[Path]]
) -> int:
    """Write a paper's page from the command line, print the paths of what was written, and return the exit code.

    Args:
        parser: what `page_parser` returns, with the paper's own arguments.
        unit: what the progress counts, in the plural.
        write: writes the page with the parsed arguments, and reports its progress.
    """
    arguments = parser.parse_args(words)
    with Progress(parser.prog.replace("cardgym reproduce", "reproducing"), unit) as progress:
        for path in write(arguments, progress):
            print(path)
    return 0


def add_deep(parser: Parser, checkpoints: str) -> None:
    """Add `--deep`, the checkpoints to evaluate; without it those that match `checkpoints`."""
    parser.add_argument(
        "--deep", type=Path, action="append", metavar="PATH",
        help=f"a checkpoint to evaluate too; may be repeated ({checkpoints})",
    )  # fmt: skip


def deep_paths(given: list[Path] | None, checkpoints: str) -> list[Path]:
    """The checkpoints named by `--deep`."""
    return sorted(Path().glob(checkpoints)) if given is None else given


def section(title: str, *blocks: str | Sequence[str]) -> str:
    """A section of a page: its heading, then paragraphs, and lists of lines such as those of a table."""
    return (
        "\n\n".join([f"## {title}", *(block if isinstance(block, str) else "\n".join(block) for block in blocks)])
        + "\n"
    )


def write_page(folder: Path, parts: Iterable[str]) -> Path:
    """Write a page of Markdown, its prose wrapped, above what an earlier one has by hand; returns its path.

    Raises:
        CardgymError: if it cannot be written.
    """
    path = folder / PAGE
    earlier = path.read_text(encoding="utf-8") if path.exists() else ""
    by_hand = "\n" + "".join(earlier.partition(BY_HAND)[1:]) if BY_HAND in earlier else ""
    with replacing(path) as temporary:
        temporary.write_text(wrapped("\n".join(parts).rstrip()) + f"\n{by_hand}", encoding="utf-8")
    return path


class Steps:
    """Counts the experiments that are done, and reports them."""

    def __init__(self, total: int, progress: Report | None) -> None:
        self.total = total
        self.done = 0
        self._progress = progress
        self._report()

    def advance(self) -> None:
        """Report that one more experiment is done."""
        self.done += 1
        self._report()

    def _report(self) -> None:
        if self._progress is not None:
            self._progress(self.done, self.total)
