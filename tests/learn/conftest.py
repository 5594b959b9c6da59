from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from cardgym import register
from cardgym.engine.contract import Game

sys.path.insert(0, str(Path(__file__).parent))
from learning_game import SCRIPT, TINY, load_script


@pytest.fixture(scope="session")
def tiny() -> Game:
    """The tiny game, registered."""
    return register(TINY)


@pytest.fixture(scope="session")
def dqn() -> ModuleType:
    """train/dqn.py as a module."""
    return load_script(SCRIPT)


@pytest.fixture(scope="session")
def curves() -> ModuleType:
    """train/curves.py as a module."""
    return load_script(SCRIPT.with_name("curves.py"))


@pytest.fixture(scope="session")
def tabular() -> ModuleType:
    """train/tabular.py as a module."""
    return load_script(SCRIPT.with_name("tabular.py"))
