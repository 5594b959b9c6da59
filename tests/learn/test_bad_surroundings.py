"""A training on a disk that fills up, under a quota, or by a clock that jumps loses nothing."""

from __future__ import annotations

import errno
import itertools
import os
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from learning_game import ROOT, load_script

from cardgym.console.progress import Progress
from cardgym.engine.contract import Game
from cardgym.files.tensors import read_document
from killing import check_same_bits

TINY = ["--env-id", "Tiny-v0", "--eval-every", "0", "--final-games", "0"]
DQN = [
    *TINY, "--total-steps", "1200", "--num-envs", "16", "--hidden-sizes", "16", "--learning-starts", "100",
    "--train-frequency", "16", "--batch-size", "32", "--buffer-size", "500", "--save-every", "300",
    "--log-every", "100",
]  # fmt: skip
PPO = [
    *TINY, "--total-steps", "1600", "--num-envs", "16", "--num-steps", "8", "--hidden-sizes", "16",
    "--save-every", "300", "--log-every", "100",
]  # fmt: skip
NFSP = [*DQN, "--opponents", "self=1", "--anticipatory-param", "0.5", "--reservoir-size", "100"]
TABULAR = [
    *TINY, "--observation", "plain", "--table-size", "4000", "--total-steps", "200000", "--save-every", "50000",
]  # fmt: skip
SCRIPTS = {
    "dqn": (DQN, ".safetensors"),
    "ppo": (PPO, ".safetensors"),
    "nfsp": (NFSP, ".safetensors"),
    "tabular": (TABULAR, ".safetensors"),
}


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("number", [errno.ENOSPC, pytest.param(errno.EDQUOT, marks=pytest.mark.slow)])
def test_full_disk_ends_a_training_in_one_line_and_it_resumes_when_there_is_room(
    tiny: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    name: str, number: int,
) -> None:  # fmt: skip
    words, suffix = SCRIPTS[name]
    script = load_script(ROOT / "train" / f"{name}.py")
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    assert script.main([*words, "--out", str(whole)]) == 0
    saves = itertools.count()

    def refuse(file: int) -> None:
        if next(saves) >= 3:  # Two files a save: the second save has its checkpoint, and no state.
            raise OSError(number, os.strerror(number))

    capsys.readouterr()
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", refuse)
        assert script.main([*words, "--out", str(stopped)]) == 2
    *_, line = capsys.readouterr().err.splitlines()
    assert line == f"{name}.py: cannot write {stopped / 'resume.safetensors'}: {os.strerror(number)}"
    assert not list(stopped.glob(".*.part"))
    assert script.main([*words, "--out", str(stopped), "--resume"]) == 0
    assert "nothing to resume" not in capsys.readouterr().err
    check_same_bits(whole, stopped, (suffix,))


def test_clock_jumps_change_no_bit(
    dqn: ModuleType, tiny: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, jumping = tmp_path / "whole", tmp_path / "jumping"
    assert dqn.main([*DQN, "--out", str(whole)]) == 0
    year, now, calls = 365.25 * 24 * 3600, time.time, itertools.count()
    monkeypatch.setattr(time, "time", lambda: now() + (-1) ** next(calls) * 10 * year)
    with Progress("seen", total=2) as progress:
        progress(1)
    assert dqn.main([*DQN, "--save-every-minutes", "0.001", "--out", str(jumping)]) == 0
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
