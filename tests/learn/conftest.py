from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from cardgym import register

sys.path.insert(0, str(Path(__file__).parent))
from learning_game import SCRIPT, TINY


@pytest.fixture(scope="session")
def tiny():
    """The tiny game, registered."""
    return register(TINY)


@pytest.fixture(scope="session")
def dqn() -> ModuleType:
    """The training script as a module."""
    spec = importlib.util.spec_from_file_location("dqn_script", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
