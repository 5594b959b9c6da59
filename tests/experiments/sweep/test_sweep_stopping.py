from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from cardgym.experiments.launch import STOP, Run, TrainingScript
from cardgym.experiments.sweep.early_stopping import ASHARule, MedianRule, StoppingRule, Watch
from cardgym.experiments.sweep.plan import parse_grid, runs_of
from cardgym.learn.tensorboard import TensorBoard

CURVES = {
    "a": {10: 0.5, 20: 0.6, 30: 0.7},
    "b": {10: 0.4, 20: 0.6, 30: 0.7},
    "c": {10: 0.5, 20: 0.5, 30: 0.6},
    "behind": {10: 0.2, 20: 0.3},
    "early": {10: 0.1},
}


def test_median_rule_stops_variants_below_the_median() -> None:
    """Up to step 20 the means of the others are 0.55, 0.5 and 0.5; the variant at step 10 still has time."""
    stopped = MedianRule(grace=20).behind(CURVES)
    assert stopped == {"behind": "best 0.300 at step 20, median 0.500"}
    assert MedianRule(grace=30).behind(CURVES) == {}
    assert MedianRule(grace=20).behind({name: CURVES[name] for name in ("a", "b", "behind")}) == {}


def test_asha_continues_the_best_third() -> None:
    pytest.importorskip("ray.tune")
    rule = ASHARule(grace=10, total_steps=90)
    curves = {str(number): {10: number / 10} for number in range(6)}
    assert rule.behind(curves) == {}  # Each is the best of those before it.
    stopped = rule.behind({"6": {10: 0.1}, "7": {10: 0.6}, **curves})
    assert stopped == {"6": "0.100 at step 10 is below the best third there"}


def _write(folder: Path, values: dict[int, float]) -> None:
    with TensorBoard(folder) as board:
        for step, value in values.items():
            board.scalars(step, {"eval/win_rate/random": value})


def test_watch_judges_variants_and_ends_all_of_their_seeds(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bad seed of a good variant continues; a bad variant ends with all its seeds, future ones too."""
    grid = parse_grid(["learning_rate=1e-3,2e-3,3e-3,4e-3,5e-3"])
    runs = runs_of(TrainingScript(config, "dqn"), grid, [1, 2, 3])
    rule: StoppingRule = MedianRule(grace=20)
    watch = Watch(tmp_path, rule, "win_rate")
    for run in runs[:10]:
        assert not watch.gives_up(run)
        values = {10: 0.2, 20: 0.2} if run.label == "learning_rate=0.001" else {10: 0.5, 20: 0.8}
        unlucky = run.label == "learning_rate=0.002" and run.seed == 1
        _write(tmp_path / run.name, {10: 0.3, 20: 0.6} if unlucky else values)
    now = time.monotonic()
    monkeypatch.setattr("time.monotonic", lambda: now + 60)
    watch.look()
    assert _marked(tmp_path, runs) == {"learning_rate=0.001/seed1", "learning_rate=0.001/seed2"}
    assert watch.gives_up(runs[10])
    assert not watch.gives_up(runs[11])
    assert "learning_rate=0.001/seed3" in _marked(tmp_path, runs)


def _marked(folder: Path, runs: list[Run]) -> set[str]:
    return {run.name for run in runs if os.path.exists(folder / run.name / STOP)}
