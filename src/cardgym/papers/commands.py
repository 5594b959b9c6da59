"""What papers add to the command line: each has a module `commands` with a `PAPER`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import cardgym.papers
from cardgym.experiments.trainers import Trainer


@dataclass(frozen=True)
class Paper:
    """A paper.

    Attributes:
        help: its line in `cardgym reproduce --help`.
        reproduce: runs `cardgym reproduce` with the words after its name and returns the exit code.
        trainers: its trainings by name, for `cardgym train`. As `reproduce`, they import what they need.
    """

    help: str
    reproduce: Callable[[list[str]], int]
    trainers: Mapping[str, Callable[[], Trainer]] = field(default_factory=dict)


def papers() -> dict[str, Paper]:
    """Return the papers by the names of their packages."""
    names = sorted(module.name for module in pkgutil.iter_modules(cardgym.papers.__path__) if module.ispkg)
    return {name: importlib.import_module(f"cardgym.papers.{name}.commands").PAPER for name in names}
