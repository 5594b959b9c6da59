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
    """The training of train/dqn.py."""
    return load_script(SCRIPT)


@pytest.fixture(scope="session")
def curves() -> ModuleType:
    """What train/curves.py calls."""
    from cardgym.experiments import curves

    return curves


@pytest.fixture(scope="session")
def tabular() -> ModuleType:
    """The training of train/tabular.py."""
    return load_script(SCRIPT.with_name("tabular.py"))
