"""Reproduce a paper: train and play everything again, and write a page that compares the figures with the paper's.

`cardgym reproduce PAPER` runs the same file as `python papers/GAME/GAME_paper.py` in a checkout.
"""

from __future__ import annotations

from pathlib import Path

from cardgym.cli.flags import first_word, listing
from cardgym.errors import require, unknown
from cardgym.files import shipped


def papers() -> dict[str, Path]:
    """The scripts by the names that the command takes, such as `kuhn-poker`."""
    return {name.replace("_", "-"): path for name, path in shipped.papers().items()}


def main(words: list[str]) -> int:
    """Run the script of the paper named first, with the words after it."""
    scripts = papers()
    known = listing({name: shipped.first_line(path) for name, path in scripts.items()})
    word = first_word(words, "cardgym reproduce", "PAPER", f"{__doc__}\npapers:\n{known}")
    if word is None:
        return 0
    name = word.replace("_", "-")
    if name not in scripts:
        raise unknown("paper", word, scripts)
    if not {"-h", "--help"} & set(words):
        require("cardgym reproduce", "matplotlib")  # The figures come last, after hours.
    return shipped.run_script(scripts[name], words[1:])
