"""What papers add to the command line: packages with a module `page`, whose docstrings are their lines of help."""

from __future__ import annotations

import importlib
import pkgutil

import cardgym.papers
from cardgym.experiments.trainers import Trainer


def papers() -> dict[str, str]:
    """Return the papers by the names of their packages, each with its line of help."""
    names = sorted(module.name for module in pkgutil.iter_modules(cardgym.papers.__path__) if module.ispkg)
    return {name: (importlib.import_module(f"cardgym.papers.{name}").__doc__ or "").strip() for name in names}


def reproduce(name: str, words: list[str]) -> int:
    """Run `cardgym reproduce` for a paper with the words after its name; the exit code."""
    return int(importlib.import_module(f"cardgym.papers.{name}.page").main(words))


def batch_q() -> Trainer:
    """Batch Q-learning at Corellian Spike, as in the paper."""
    from cardgym.learn.training import Training
    from cardgym.papers.corellian_spike.batch_q import BatchQConfig, train

    return Trainer(BatchQConfig, Training.running(train))


def experts() -> Trainer:
    """Weighted experts at cribbage."""
    from cardgym.papers.cribbage.training import ExpertsConfig, ExpertsTraining, train

    return Trainer(ExpertsConfig, ExpertsTraining.running(train))


TRAINERS = {"batch_q": batch_q, "experts": experts}
"""The papers' trainings by name, for `cardgym train`."""
