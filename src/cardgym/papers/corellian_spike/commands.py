"""The commands of the paper on Corellian Spike."""

from cardgym.papers.commands import Command, Paper


def _reproduce(words: list[str]) -> int:
    from cardgym.papers.corellian_spike.page import main

    return main(words)


def _batch_q(words: list[str]) -> int:
    from cardgym.papers.corellian_spike.batch_q import main

    return main(words)


PAPER = Paper(
    Command(_reproduce, "Corellian Spike: tables 2, 3 and 4, the figures of the appendix, and which claims hold"),
    {"batch-q": Command(_batch_q, "train the Corellian Spike paper's batch Q-learning", trains=True)},
)
