"""What papers add to the command line: each has a module `commands` with a `PAPER`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import cardgym.papers


@dataclass(frozen=True)
class Command:
    """A command of `cardgym`.

    Attributes:
        run: runs it with the words after its name and returns the exit code; imports what it needs.
        help: its line in `cardgym --help`.
        trains: whether it is a training with a config, so that `cardgym train` runs it, too.
    """

    run: Callable[[list[str]], int]
    help: str
    trains: bool = False


@dataclass(frozen=True)
class Paper:
    """A paper: the command behind `cardgym reproduce`, and further commands by name."""

    reproduce: Command
    commands: Mapping[str, Command] = field(default_factory=dict)


def papers() -> dict[str, Paper]:
    """Return the papers by the names of their packages."""
    names = sorted(module.name for module in pkgutil.iter_modules(cardgym.papers.__path__) if module.ispkg)
    return {name: importlib.import_module(f"cardgym.papers.{name}.commands").PAPER for name in names}
