"""Reproduce a paper: train and play everything again, and write a page that compares the figures with the paper's."""

from __future__ import annotations

from cardgym.cli.dispatch import listing
from cardgym.cli.flags import first_word
from cardgym.errors import require, unknown
from cardgym.papers.commands import papers


def main(words: list[str]) -> int:
    """Run the command of the paper named first, with the words after it."""
    known = {name.replace("_", "-"): paper for name, paper in papers().items()}
    lines = listing({name: paper.help for name, paper in known.items()})
    word = first_word(words, "cardgym reproduce", "PAPER", f"{__doc__}\npapers:\n{lines}")
    if word is None:
        return 0
    name = word.replace("_", "-")
    if name not in known:
        raise unknown("paper", word, known)
    if not {"-h", "--help"} & set(words):
        require("cardgym reproduce", "matplotlib")  # The figures come last, after hours.
    return known[name].reproduce(words[1:])
