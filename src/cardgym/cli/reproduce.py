"""Reproduce a paper: train and play everything again, and write a page that compares the figures with the paper's.

`cardgym reproduce PAPER` runs the same file as `python papers/GAME/GAME_paper.py` in a checkout.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cardgym.errors import CardgymError, require, unknown
from cardgym.files import shipped


def papers() -> dict[str, Path]:
    """The scripts by the names that the command takes, such as `kuhn-poker`."""
    return {name.replace("_", "-"): path for name, path in shipped.papers().items()}


def main(words: list[str]) -> int:
    """Run the script of the paper named first, with the words after it."""
    scripts = papers()
    if words and words[0] in ("-h", "--help"):
        print(_help(scripts))
        return 0
    if not words or words[0].startswith("-"):
        raise CardgymError(f"PAPER comes first: {', '.join(scripts)} (see cardgym reproduce --help)")
    name = words[0].replace("_", "-")
    if name not in scripts:
        raise unknown("paper", words[0], scripts)
    if not {"-h", "--help"} & set(words):
        require("cardgym reproduce", "matplotlib")  # The figures come last, after hours.
    return shipped.run_script(scripts[name], words[1:])


def _help(scripts: Mapping[str, Path]) -> str:
    width = max(map(len, scripts), default=0)
    lines = [f"  {name:<{width}}  {shipped.first_line(path)}" for name, path in scripts.items()]
    head = ["usage: cardgym reproduce PAPER [--seed S] [--out FOLDER] ...", "", (__doc__ or "").strip()]
    return "\n".join([*head, "", "papers; cardgym reproduce PAPER --help lists the arguments of one:", *lines])
