import sys
from pathlib import Path

import pytest
import torch

from cardgym import register
from cardgym.experiments.trainers import Trainer

sys.path.insert(0, str(Path(__file__).parents[1] / "learn"))
from learning_game import TINY, trainer


@pytest.fixture(scope="session")
def tiny():
    """The tiny game, registered."""
    return register(TINY)


@pytest.fixture(scope="session")
def script() -> Trainer:
    """train/sb3.py as a module."""
    return trainer("sb3")


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setenv("SB3_LOGDIR", str(tmp_path))  # Else each model that learns leaves a folder in /tmp.
