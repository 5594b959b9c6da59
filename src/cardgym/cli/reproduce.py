"""Reproduce a paper's results as a page: train, play and count again, beside the paper's own figures."""

from __future__ import annotations

import importlib
from pathlib import Path

from cardgym.cli.parser import Parser, first_word, whole
from cardgym.engine.registry import packages
from cardgym.errors import unknown


def papers() -> dict[str, str]:
    """The names of the papers, as the command takes them, and the modules that reproduce them."""
    return {package.name.replace("_", "-"): package.paper for package in packages() if package.paper is not None}


def main(words: list[str]) -> int:
    """Reproduce the paper named first.

    A paper is a module that its game's package names: `add_arguments(parser)` adds its arguments,
    `run(arguments, progress)` writes its files and returns or yields their paths, and `UNIT`, which may be left out,
    says what its progress counts; see `cardgym.console.output.Progress`.
    """
    from cardgym.console.output import Progress

    known = papers()
    names = ", ".join(sorted(known)) or "none"
    paper = first_word(words, "cardgym reproduce", "PAPER", f"{__doc__}\npapers: {names}")
    if paper is None:
        return 0
    if paper not in known:
        raise unknown("paper", paper, known)
    module = importlib.import_module(known[paper])
    parser = Parser(prog=f"cardgym reproduce {paper}", description=module.__doc__)
    folder = Path("docs/games") / paper.replace("-", "_")
    parser.add_argument("--seed", type=whole(0), default=0, metavar="S", help="seed of all games and trainings (0)")
    parser.add_argument("--out", type=Path, default=folder, metavar="FOLDER", help=f"where to write ({folder})")
    module.add_arguments(parser)
    arguments = parser.parse_args(words[1:])
    with Progress(f"reproducing {paper}", getattr(module, "UNIT", "")) as progress:
        for path in module.run(arguments, progress):
            print(path)
    return 0
