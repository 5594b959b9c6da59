"""Reproduce a paper: train and play everything again, and write a page that compares the figures with the paper's."""

from __future__ import annotations

from cardgym.cli.dispatch import listing
from cardgym.cli.flags import first_word
from cardgym.errors import require, unknown
from cardgym.papers.commands import papers, reproduce


def main(words: list[str]) -> int:
    """Run the command of the paper named first, with the words after it."""
    known = {name.replace("_", "-"): help for name, help in papers().items()}
    word = first_word(words, "cardgym reproduce", "PAPER", f"{__doc__}\npapers:\n{listing(known)}")
    if word is None:
        return 0
    if word.replace("_", "-") not in known:
        raise unknown("paper", word, known)
    if not {"-h", "--help"} & set(words):
        require("cardgym reproduce", "matplotlib")  # The figures come last, after hours.
    return reproduce(word.replace("-", "_"), words[1:])
