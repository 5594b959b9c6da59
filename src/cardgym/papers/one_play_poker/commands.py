"""The command of the paper on One Play Poker."""

from cardgym.papers.commands import Paper


def _reproduce(words: list[str]) -> int:
    from cardgym.papers.one_play_poker.page import main

    return main(words)


PAPER = Paper("One Play Poker: the table of results, filled, and a picture of the optimal policy", _reproduce)
