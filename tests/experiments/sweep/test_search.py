from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cardgym import CardgymError
from cardgym.experiments.launch import Run, TrainingScript
from cardgym.experiments.sweep.runner import RunResult

pytest.importorskip("optuna")
from cardgym.experiments.sweep.search import Search, distribution


def _search(folder: Path, config: Path, trials: int, **more: Any) -> Search:
    space = {"learning_rate": ["1e-4..1e-2"], "num_envs": ["8..16"], "double": ["true", "false"]}
    settings: dict[str, Any] = {"minutes": None, "metric": "win_rate", **more}
    return Search(folder, TrainingScript(config, "dqn"), space, [1, 2], trials=trials, **settings)


def _result(run: Run) -> RunResult:
    """The best learning rate is 0.001."""
    rate = run.options["learning_rate"]
    value = 1 / (1 + abs(rate - 1e-3) * 1000)
    return RunResult(run, Path(run.name), 0, {"random": {"win_rate": [value, [value, value]]}})


def _all(search: Search) -> list[Run]:
    runs = []
    for run in search.runs():
        runs.append(run)
        search.ended(_result(run))
    return runs


def test_search_finds_what_is_better(config: Path, tmp_path: Path) -> None:
    runs = _all(_search(tmp_path, config, 40))
    rates = [run.options["learning_rate"] for run in runs if run.seed == 1]
    assert len(rates) == 40
    assert all(1e-4 <= rate <= 1e-2 for rate in rates)
    assert all(8 <= run.options["num_envs"] <= 16 for run in runs)
    values = [(_result(run).results or {})["random"]["win_rate"][0] for run in runs[::2]]
    assert sum(values[-10:]) > sum(values[:10])


def test_interrupted_search_continues_its_trials(config: Path, tmp_path: Path) -> None:
    first = _search(tmp_path, config, 5)
    begun = first.runs()
    for run in [next(begun) for _ in range(4)][:3]:  # The second trial lacks its second seed.
        first.ended(_result(run))
    runs = _all(_search(tmp_path, config, 5))
    assert len(runs) == 4 * 2
    assert next(_search(tmp_path, config, 5).runs(), None) is None


def test_no_trial_starts_after_the_budget(config: Path, tmp_path: Path) -> None:
    assert _all(_search(tmp_path, config, 5, minutes=0)) == []


@pytest.mark.parametrize("word", ["1..1", "2..1", "a..b", "..", "1..inf"])
def test_bad_range_is_one_line(word: str) -> None:
    with pytest.raises(CardgymError, match=r"LOW\.\.HIGH"):
        distribution("learning_rate", [word])


def test_bad_space_is_refused_before_the_search(config: Path, tmp_path: Path) -> None:
    for space in ({"learning_rat": ["1..2"]}, {"learning_rate": ["-1..1"]}, {}):
        with pytest.raises(CardgymError):
            Search(tmp_path, TrainingScript(config, "dqn"), space, [1], trials=1, minutes=None, metric="win_rate")
