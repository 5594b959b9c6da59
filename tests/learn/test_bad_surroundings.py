"""A training by a clock that jumps loses nothing."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from typing import Any

import pytest

from cardgym.console.progress import Progress
from cardgym.engine.contract import Game
from cardgym.experiments.trainers import Trainer
from cardgym.files.tensors import read_document

DQN = [
    "--env-id", "Tiny-v0", "--eval-every", "0", "--final-games", "0", "--total-steps", "1200", "--num-envs", "16",
    "--hidden-sizes", "16", "--learning-starts", "100", "--train-frequency", "16", "--batch-size", "32",
    "--buffer-size", "500", "--save-every", "300", "--log-every", "100",
]  # fmt: skip


def test_clock_jumps_change_no_bit(dqn: Trainer, tiny: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, jumping = tmp_path / "whole", tmp_path / "jumping"
    assert dqn.run("dqn", [*DQN, "--out", str(whole)]) == 0
    year, now, calls = 365.25 * 24 * 3600, time.time, itertools.count()
    monkeypatch.setattr(time, "time", lambda: now() + (-1) ** next(calls) * 10 * year)
    with Progress("seen", total=2) as progress:
        progress(1)
    assert dqn.run("dqn", [*DQN, "--save-every-minutes", "0.001", "--out", str(jumping)]) == 0
    assert next(calls) > 10
    check_weights(whole, jumping)
    metadata = [read_metadata(folder / "model.safetensors") for folder in (whole, jumping)]
    assert [one["config"].pop("save_every_minutes") for one in metadata] == [0.0, 0.001]
    assert metadata[0] == metadata[1]


def read_metadata(path: Path) -> dict[str, Any]:
    return read_document(path, str(path))


def check_weights(one: Path, other: Path) -> None:
    import safetensors.torch

    weights = [safetensors.torch.load_file(folder / "model.safetensors") for folder in (one, other)]
    assert all(weights[0][name].equal(weights[1][name]) for name in weights[0])
