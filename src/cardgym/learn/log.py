"""Old names, until their last users have moved."""

from __future__ import annotations

from cardgym.console import Progress
from cardgym.learn.evaluation import Metrics as Figures
from cardgym.learn.evaluation import evaluate_learner as evaluation
from cardgym.learn.evaluation import results_tables as results_tables
from cardgym.learn.evaluation import summary as summary
from cardgym.learn.evaluation import write_results
from cardgym.learn.tensorboard import TensorBoard as TensorBoard

__all__ = ["Figures", "Reporter", "TensorBoard", "conclude", "evaluation", "results_tables", "summary"]


def conclude(folder, board, config, step, found, **more):  # type: ignore
    """See `write_results`."""
    write_results(folder, board, config, step, found, **more)


class Reporter(Progress):
    """See `Progress`."""

    def __init__(self, total: int, done: int = 0, unit: str = "decisions") -> None:
        super().__init__("training", unit, total=total, done=done, lines=True)

    def advance(self, steps: int = 1) -> None:
        """See `Progress`."""
        self(steps)

    def say(self, done: int, text: str) -> None:
        """See `Progress`."""
        self(done)
        self.note(text)
