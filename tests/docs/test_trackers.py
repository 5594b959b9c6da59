"""The page on trackers: its code for Optuna runs, shortened."""

from pathlib import Path
from statistics import median
from typing import Any

import pytest

import pages


@pytest.mark.slow
def test_optuna_prunes_by_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    optuna: Any = pytest.importorskip("optuna")
    monkeypatch.chdir(tmp_path)
    few = '"--final-games", "20", "--num-envs", "16", "--num-steps", "16", "--env-id"'
    shorter = {"(50_000, 200_000)": "(512, 1024)", '"--env-id"': few, "n_trials=10": "n_trials=3"}
    changes = {**shorter, "n_startup_trials=2": "n_startup_trials=1"}
    study = pages.run("docs/trackers.md", changes, "import optuna\n")["study"]
    complete, pruned = optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED
    assert study.trials[0].state is complete
    for trial in study.trials[1:]:
        worse = trial.intermediate_values[512] > median(
            other.intermediate_values[512] for other in study.trials[: trial.number]
        )
        assert trial.state is (pruned if worse else complete)
        assert worse == (1024 not in trial.intermediate_values)
