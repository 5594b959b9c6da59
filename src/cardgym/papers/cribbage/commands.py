"""The commands of the paper on cribbage."""

from cardgym.papers.commands import Command, Paper


def _reproduce(words: list[str]) -> int:
    from cardgym.papers.cribbage.page import main

    return main(words)


def _experts(words: list[str]) -> int:
    from cardgym.papers.cribbage.training import main

    return main(words)


PAPER = Paper(
    Command(_reproduce, "Cribbage: weighted experts trained from several starts, as the paper does"),
    {
        "experts": Command(_experts, "train weighted experts at cribbage", trains=True),
    },
)
