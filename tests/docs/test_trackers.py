"""The page on trackers: its code runs, shortened."""

from __future__ import annotations

import re
import time
from pathlib import Path
from statistics import median
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "trackers.md"
pytestmark = pytest.mark.slow


def run(library: str, changes: dict[str, str]) -> dict[str, Any]:
    """Run the page's block that imports a library, with some words changed."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (program,) = (block for block in blocks if f"import {library}\n" in block)
    for words, others in changes.items():
        assert words in program, words
        program = program.replace(words, others)
    names: dict[str, Any] = {"__name__": "trackers"}
    exec(compile(program, str(PAGE), "exec"), names)
    return names


def test_weights_and_biases_copies_what_tensorboard_gets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb", reason="wandb is not installed: a large package, which no extra brings")
    monkeypatch.chdir(tmp_path)
    run("wandb", {'"100000"': '"2048", "--num-envs", "16", "--num-steps", "16", "--log-every", "512"'})
    (tracked,) = tmp_path.glob("wandb/offline-run-*/run-*.wandb")
    tags, end = {b"charts/SPS", b"losses/", b"final/"}, time.monotonic() + 60
    while (missing := {tag for tag in tags if tag not in tracked.read_bytes()}) and time.monotonic() < end:
        time.sleep(0.2)  # A process of wandb writes the file, and goes on after the run's end.
    assert not missing


def test_optuna_prunes_by_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    optuna: Any = pytest.importorskip("optuna")
    monkeypatch.chdir(tmp_path)
    few = '"--final-games", "20", "--num-envs", "16", "--num-steps", "16", "--env-id"'
    shorter = {"(50_000, 200_000)": "(512, 1024)", '"--env-id"': few, "n_trials=10": "n_trials=3"}
    study = run("optuna", {**shorter, "n_startup_trials=2": "n_startup_trials=1"})["study"]
    complete, pruned = optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED
    assert study.trials[0].state is complete
    for trial in study.trials[1:]:
        worse = trial.intermediate_values[512] > median(
            other.intermediate_values[512] for other in study.trials[: trial.number]
        )
        assert trial.state is (pruned if worse else complete)
        assert worse == (1024 not in trial.intermediate_values)
