"""Search for settings with Optuna: a trial is one setting with all seeds, valued by the mean over them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cardgym.errors import CardgymError, quoted, require
from cardgym.experiments.launch import Run, TrainingScript
from cardgym.experiments.sweep.runner import RunResult

STUDY = "study.log"
"""Optuna's journal in a sweep's folder, from which a search resumes."""


class Search:
    """Asks Optuna for settings and reports their results to it.

    The sampler is its tree-structured Parzen estimator, which takes running trials into account. With several workers
    the order in which runs end influences it, so a repeated search may try other settings.
    """

    def __init__(
        self,
        folder: Path,
        script: TrainingScript,
        space: Mapping[str, Sequence[str]],
        seeds: Sequence[int],
        *,
        trials: int,
        minutes: float | None,
        metric: str,
    ) -> None:
        """Start a search, or resume the one in this folder.

        Args:
            folder: the sweep's folder.
            script: the script and its config.
            space: the values of each key, or one range `LOW..HIGH` each; see `distribution`.
            seeds: the seeds of every trial.
            trials: the number of settings to try, including those of earlier commands.
            minutes: no trial starts later than this; None for no limit.
            metric: the metric to maximize, as the mean over seeds and opponents.

        Raises:
            CardgymError: where Optuna is missing, or for a bad range or value.
        """
        require("--search optuna", "optuna")
        if not space:
            raise CardgymError("--search needs --grid with what to search, such as learning_rate=1e-4..1e-2")
        import optuna
        from optuna.storages.journal import JournalFileBackend

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._script, self._seeds, self._metric = script, list(seeds), metric
        self._space = {key: distribution(key, values) for key, values in space.items()}
        for ends in zip(*(_ends(values) for values in space.values()), strict=False):
            script.runs(dict(zip(space, ends, strict=True)), seeds[:1])  # A bad key or value fails now.
        self._trials = trials
        self._deadline = math.inf if minutes is None else time.monotonic() + 60 * minutes
        self._study = optuna.create_study(
            direction="maximize",
            study_name="sweep",
            load_if_exists=True,
            storage=optuna.storages.JournalStorage(JournalFileBackend(str(folder / STUDY))),
        )
        # A new seed for each command: the same one would repeat the settings of the first trials.
        seed = len(self._study.get_trials(deepcopy=False))
        self._study.sampler = optuna.samplers.TPESampler(seed=seed, constant_liar=True)
        self._open: dict[str, tuple[int, dict[int, RunResult]]] = {}
        self._same: dict[str, list[int]] = {}

    def runs(self) -> Iterator[Run]:
        """The runs, seed by seed of each trial; the next trial is sampled when a worker is free."""
        from optuna.trial import TrialState

        unfinished = self._study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
        begun = [(trial.number, dict(trial.user_attrs["setting"])) for trial in unfinished if trial.user_attrs]
        seen: set[str] = set()
        while True:
            if begun:
                number, setting = begun.pop(0)
            elif len(self._study.get_trials(deepcopy=False)) < self._trials and time.monotonic() < self._deadline:
                trial = self._study.ask(self._space)
                number, setting = trial.number, {key: str(value) for key, value in trial.params.items()}
                trial.set_user_attr("setting", setting)
            else:
                return
            runs = self._script.runs(setting, self._seeds)
            label = runs[0].label
            if label in seen:  # A repeated setting: it gets the same value as soon as that is known.
                self._same.setdefault(label, []).append(number)
                self._tell_same(label)
                continue
            seen.add(label)
            self._open[label] = number, {}
            yield from runs

    def ended(self, result: RunResult) -> None:
        """Take a run's result; with the last seed of its trial, tell Optuna."""
        number, results = self._open[result.run.label]
        results[result.run.seed] = result
        if len(results) == len(self._seeds):
            self._tell(number, self._value(results))
            self._tell_same(result.run.label)

    def _value(self, results: Mapping[int, RunResult]) -> float | None:
        values = [
            float(metrics[self._metric][0])
            for result in results.values()
            for metrics in (result.results or {}).values()
            if self._metric in metrics
        ]
        whole = all(result.results for result in results.values())
        return sum(values) / len(values) if values and whole else None

    def _tell_same(self, label: str) -> None:
        _, results = self._open[label]
        if len(results) == len(self._seeds):
            for number in self._same.pop(label, []):
                self._tell(number, self._value(results))

    def _tell(self, number: int, value: float | None) -> None:
        from optuna.trial import TrialState

        self._study.tell(
            number, value, state=TrialState.FAIL if value is None else TrialState.COMPLETE, skip_if_finished=True
        )


def distribution(key: str, values: Sequence[str]) -> Any:
    """The distribution of a key: one of several values, or a number in a range `LOW..HIGH`.

    A range between integers gives integers. A range whose ends differ by a factor of ten or more is on a log scale.

    Raises:
        CardgymError: for an invalid range.
    """
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if len(values) != 1 or ".." not in values[0]:
        return CategoricalDistribution(tuple(values))
    low, _, high = values[0].partition("..")
    try:
        kind: Any = int if low.lstrip("-").isdecimal() and high.lstrip("-").isdecimal() else float
        first, last = kind(low), kind(high)
        if not (math.isfinite(first) and math.isfinite(last) and first < last):
            raise ValueError
    except ValueError:
        raise CardgymError(
            f"--grid {key}={quoted(values[0])}: write a range as LOW..HIGH, such as 1e-4..1e-2"
        ) from None
    log = first > 0 and last >= 10 * first
    return IntDistribution(first, last, log=log) if kind is int else FloatDistribution(first, last, log=log)


def _ends(values: Sequence[str]) -> Sequence[str]:
    return values[0].split("..") if len(values) == 1 and ".." in values[0] else [values[0], values[-1]]
