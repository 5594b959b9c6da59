"""The commands of the paper on Corellian Spike."""

from cardgym.experiments.trainers import Trainer
from cardgym.papers.commands import Paper


def _reproduce(words: list[str]) -> int:
    from cardgym.papers.corellian_spike.page import main

    return main(words)


def batch_q() -> Trainer:
    """Batch Q-learning at Corellian Spike, as in the paper."""
    from cardgym.papers.corellian_spike.batch_q import BatchQConfig, train

    return Trainer(BatchQConfig, train)


PAPER = Paper(
    "Corellian Spike: tables 2, 3 and 4, the figures of the appendix, and which claims hold",
    _reproduce,
    {"batch_q": batch_q},
)
