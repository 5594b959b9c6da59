"""The commands of the paper on Coda."""

from cardgym.papers.commands import Command, Paper


def _reproduce(words: list[str]) -> int:
    from cardgym.papers.coda.page import main

    return main(words)


def _solve(words: list[str]) -> int:
    from cardgym.papers.coda.one_tile import main

    return main(words)


PAPER = Paper(
    Command(_reproduce, "Coda: both tables, the losses of figures 6 and 7, and the highest win rate possible"),
    {"coda-solve": Command(_solve, "solve Coda with one tile each exactly")},
)
