"""The commands of the paper on cribbage."""

from cardgym.experiments.trainers import Trainer
from cardgym.papers.commands import Paper


def _reproduce(words: list[str]) -> int:
    from cardgym.papers.cribbage.page import main

    return main(words)


def experts() -> Trainer:
    """Weighted experts at cribbage."""
    from cardgym.papers.cribbage.training import ExpertsConfig, train

    return Trainer(ExpertsConfig, train)


PAPER = Paper(
    "Cribbage: weighted experts trained from several starts, as the paper does",
    _reproduce,
    {"experts": experts},
)
