"""Runs, their folders and what they print, by the example of DQN, and the pictures of their curves."""

import itertools
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from test_learners import LEARNERS, train

from cardgym.engine.contract import Game
from cardgym.experiments.trainers import Trainer
from cardgym.learn.config import RunArgs
from cardgym.learn.dqn import DQNConfig
from cardgym.learn.replay import ReplayBuffer
from cardgym.learn.run import TrainingResult, run_folder, run_script
from cardgym.learn.saved_state import load_state, restore, save_state
from cardgym.learn.tensorboard import read_curves

QUICK: Any = LEARNERS["dqn"].config.replace(eval_opponents=("random", "perfect"))
SHORT = QUICK.replace(total_steps=2_000)


# -- learning ---------------------------------------------------------------------------------------------------------


def test_rewards_are_scaled(dqn: Trainer, tiny: Game, tmp_path: Path) -> None:
    dqn.train(SHORT.replace(reward_scale=0.5), tmp_path, False)
    options = tiny.parse_options()
    size = tiny.observation(tiny.default_observation).size(options)
    replay = ReplayBuffer(SHORT.buffer_size, size, tiny.actions(options), np.random.default_rng())
    restore(replay, load_state(tmp_path / "resume.safetensors")["replay"])
    assert set(replay.filled["rewards"].tolist()) == {-0.5, -0.375, 0.5, 0.625}


# -- repeating --------------------------------------------------------------------------------------------------------


def test_evaluating_and_saving_more_often_changes_no_weight(dqn: Trainer, tiny: Game, tmp_path: Path) -> None:
    import safetensors.torch

    dqn.train(SHORT, tmp_path / "one", False)
    dqn.train(SHORT.replace(eval_every=300, eval_games=20, save_every=300, log_every=100), tmp_path / "two", False)
    one, two = (safetensors.torch.load_file(tmp_path / name / "model.safetensors") for name in ("one", "two"))
    assert all(one[name].equal(two[name]) for name in one)


def test_a_clock_that_jumps_changes_no_bit(tiny: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings: dict[str, Any] = {"total_steps": 1_200, "save_every": 300, "save_every_minutes": 0.001}
    whole = train("dqn", tmp_path / "whole", **settings)
    year, now, calls = 365.25 * 24 * 3600, time.time, itertools.count()
    monkeypatch.setattr(time, "time", lambda: now() + (-1) ** next(calls) * 10 * year)
    assert train("dqn", tmp_path / "jumping", **settings) == whole
    assert next(calls) > 10


# -- resuming ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"weights": [1.0]}, "not a state that a training script can resume from"),
        (
            {"config": '{"env_id": "Tiny-v0", "iterations": 50}'},
            "saved by another training script or version: it",
        ),
        ({"config": '{"env_id": "Tiny-v0", "seed": "one"}'}, "not a state of this training script (seed='one': "),
    ],
)
def test_another_scripts_run_is_not_resumed(
    tiny: Game, tmp_path: Path, refused: Any, state: dict[str, Any], message: str
) -> None:
    save_state(tmp_path / "resume.safetensors", state)
    line = refused("train", "dqn", "--env-id", "Tiny-v0", "--out", str(tmp_path), "--resume")
    assert f"{tmp_path / 'resume.safetensors'}: {message}" in line


def test_resume_without_a_saved_state_starts_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_folder(RunArgs(out=tmp_path / "x", resume=True), "Tiny-v0", "a") == tmp_path / "x"
    assert capsys.readouterr().err == f"nothing to resume in {tmp_path / 'x'}: starting from the beginning\n"
    latest = run_folder(RunArgs(resume=True), "Tiny-v0", "a")
    assert capsys.readouterr().err == f"nothing to resume in {latest}: starting from the beginning\n"
    latest.mkdir(parents=True)
    (latest / "resume.safetensors").write_bytes(b"")
    assert run_folder(RunArgs(resume=True), "Tiny-v0", "a") == latest
    assert run_folder(RunArgs(), "Tiny-v0", "a") != latest
    assert capsys.readouterr().err == ""


def test_latest_run_is_resumed_though_an_earlier_one_was_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in (1, 3):
        (tmp_path / "runs" / "Tiny-v0" / f"a-{number}").mkdir(parents=True)
    assert run_folder(RunArgs(), "Tiny-v0", "a").name == "a-4"
    assert run_folder(RunArgs(resume=True), "Tiny-v0", "a").name == "a-3"


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        (True, "stopped; to continue, run the same command with `--resume --out {folder}`\n"),
        (False, "stopped with no state to resume from; run the same command to start over\n"),
    ],
)
def test_interrupt_says_how_to_resume(
    tiny: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str], saved: bool, message: str
) -> None:
    def train(config: DQNConfig, folder: Path, resume: bool) -> TrainingResult:
        if saved:
            save_state(folder / "resume.safetensors", {})
        raise KeyboardInterrupt

    assert run_script("dqn.py", DQNConfig, train, ["--env-id", "Tiny-v0", "--out", str(tmp_path)]) == 130
    assert capsys.readouterr().err == message.format(folder=tmp_path)


# -- what the user sees -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory")])
def test_too_little_memory_is_reported_in_one_line(
    tiny: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def train(config: DQNConfig, folder: Path, resume: bool) -> TrainingResult:
        raise error

    assert run_script("dqn.py", DQNConfig, train, ["--env-id", "Tiny-v0", "--out", str(tmp_path / "run")]) == 2
    said = capsys.readouterr().err
    assert "not enough memory" in said
    assert said.count("\n") == 1


def test_finished_run_prints_its_results_and_their_location(
    dqn: Trainer, tiny: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--env-id", "Tiny-v0", "--total-steps", "600", "--num-envs", "8", "--learning-starts", "100"]
    words += ["--hidden-sizes", "8", "--eval-games", "10", "--eval-every", "300", "--final-games", "18"]
    for number in (1, 2):
        assert dqn.run("dqn", words) == 0
        output = capsys.readouterr()
        assert output.err.count("wins") == 2  # Plain lines: stderr is not a terminal here.
        assert "final evaluation, 18 games against each opponent; only 9 deals: intervals of fewer" in output.err
        screen = " ".join(output.out.split())
        for word in ("random", "win rate", "tensorboard", f"double_dqn-seed1-{number}"):
            assert word in screen


def test_training_leaves_torch_with_one_thread(dqn: Trainer, tiny: Game, tmp_path: Path) -> None:
    dqn.train(SHORT.replace(total_steps=100), tmp_path, False)
    assert torch.get_num_threads() == 1


def test_curves_are_drawn_from_runs(dqn: Trainer, tiny: Game, tmp_path: Path) -> None:
    from cardgym.experiments.sweep_report import draw

    for seed in (1, 2):
        config = QUICK.replace(total_steps=600, seed=seed, eval_every=200, eval_games=10, final_games=20, log_every=200)
        dqn.train(config, tmp_path / str(seed), False)
    runs = [read_curves(tmp_path / str(seed)) for seed in (1, 2)]
    steps, values = runs[0]["eval/win_rate/random"]
    assert len(steps) == len(values) == 3
    assert steps == sorted(steps)
    assert steps[0] >= 200
    tags = ["eval/win_rate/perfect", "eval/win_rate/random"]
    figure = draw({"tiny": runs}, tags)
    assert [panel.get_title() for panel in figure.axes] == ["against perfect", "against random"]
    assert all(np.size(panel.lines[0].get_xdata()) == 3 for panel in figure.axes)
    figure = draw({"tiny": runs[:1]}, ["losses/td_loss"])  # A run by itself.
    assert figure.axes[0].get_title() == "losses/td_loss"
