from pathlib import Path

import pytest
import torch

from cardgym.experiments.trainers import Trainer
from learning_game import trainer


@pytest.fixture(scope="session")
def script() -> Trainer:
    """train/sb3.py as a module."""
    return trainer("sb3")


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setenv("SB3_LOGDIR", str(tmp_path))  # Else each model that learns leaves a folder in /tmp.
