from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from cardgym import register

sys.path.insert(0, str(Path(__file__).parent))
from learning_game import SCRIPT, TINY


def load_script(path: Path) -> ModuleType:
    """A script of train/ as a module."""
    spec = importlib.util.spec_from_file_location(f"{path.stem}_script", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def tiny():
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
