"""Reproduce a paper: train and play everything again, and write a page that compares the figures with the paper's."""

from __future__ import annotations

from cardgym.cli.flags import first_word, listing
from cardgym.errors import require, unknown
from cardgym.papers.commands import papers


def main(words: list[str]) -> int:
    """Run the command of the paper named first, with the words after it."""
    commands = {name.replace("_", "-"): paper.reproduce for name, paper in papers().items()}
    known = listing({name: command.help for name, command in commands.items()})
    word = first_word(words, "cardgym reproduce", "PAPER", f"{__doc__}\npapers:\n{known}")
    if word is None:
        return 0
    name = word.replace("_", "-")
    if name not in commands:
        raise unknown("paper", word, commands)
    if not {"-h", "--help"} & set(words):
        require("cardgym reproduce", "matplotlib")  # The figures come last, after hours.
    return commands[name].run(words[1:])
