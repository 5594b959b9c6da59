from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tests" / "learn"))

TINY = """
env_id = "register_tiny:Tiny-v0"
total_steps = 2000
num_envs = 32
hidden_sizes = [16]
learning_starts = 200
train_frequency = 16
batch_size = 32
buffer_size = 2000
eval_opponents = ["random"]
eval_every = 500
eval_games = 100
final_games = 100
save_every = 200
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A training of seconds, for double DQN; workers find its game."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests" / "learn")]))
    path = tmp_path / "double_dqn.toml"
    path.write_text(TINY)
    return path
