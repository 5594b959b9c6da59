from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

from cardgym import register

sys.path.insert(0, str(Path(__file__).parents[1] / "learn"))
from learning_game import ROOT, TINY, load_script


@pytest.fixture(scope="session")
def tiny():
    """The tiny game, registered."""
    return register(TINY)


@pytest.fixture(scope="session")
def script() -> ModuleType:
    """train/sb3.py as a module."""
    return load_script(ROOT / "train" / "sb3.py")


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)
