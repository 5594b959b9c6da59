"""The commands of the paper on Coda."""

from cardgym.papers.commands import Paper


def _reproduce(words: list[str]) -> int:
    from cardgym.papers.coda.page import main

    return main(words)


PAPER = Paper(
    "Coda: both tables, the losses of figures 6 and 7, and the highest win rate possible",
    _reproduce,
)
