"""Early stopping of settings that fall behind the others, judged by the evaluations during training.

The unit is a setting, judged by the mean over its seeds. A single seed that lags behind the others of its setting is
not stopped: the mean would then be over lucky seeds only.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from statistics import mean, median
from types import SimpleNamespace
from typing import Protocol

from cardgym.errors import require
from cardgym.experiments.launch import RESULTS, STOP, Run
from cardgym.experiments.sweep.report import curves_of
from cardgym.learn.tags import eval_tag

Curve = Mapping[int, float]
"""Values by step."""

_LEAST_OTHERS = 3
"""A median needs at least this many other settings that are as far."""
_EVERY_SECONDS = 5.0


class StoppingRule(Protocol):
    """Decides which settings to stop."""

    def behind(self, curves: Mapping[str, Curve]) -> Mapping[str, str]:
        """The settings that fall behind, each with the reason.

        Args:
            curves: for each setting the mean of its runs' evaluations by step; higher is better.
        """
        ...


class MedianRule:
    """Stops a setting whose best figure so far is below the median of the other settings' means up to the same step.

    From Golovin et al., "Google Vizier: a service for black-box optimization", 2017 (the median stopping rule).
    """

    def __init__(self, grace: int) -> None:
        """Stop nothing before the step `grace`."""
        self._grace = grace

    def behind(self, curves: Mapping[str, Curve]) -> Mapping[str, str]:
        """The settings that fall behind; see `StoppingRule`."""
        stopped = {}
        for name, curve in curves.items():
            step = max(curve, default=0)
            others = [
                mean(value for at, value in other.items() if at <= step)
                for other_name, other in curves.items()
                if other_name != name and max(other, default=0) >= step and min(other) <= step
            ]
            if step >= self._grace and len(others) >= _LEAST_OTHERS and max(curve.values()) < median(others):
                stopped[name] = f"best {max(curve.values()):.3f} at step {step:,}, median {median(others):.3f}"
        return stopped


class ASHARule:
    """Asynchronous successive halving by Ray Tune: at steps that grow threefold the best third continues.

    From Li et al., "A system for massively parallel hyperparameter tuning", 2020. The decisions are those of Tune's
    `ASHAScheduler`; the runs stay with the sweep, which can be interrupted and resumed.
    """

    def __init__(self, grace: int, total_steps: int) -> None:
        """Decide first at the step `grace`.

        Raises:
            CardgymError: where Ray Tune is not installed.
        """
        require("--stop asha", "ray", "pyarrow")
        from ray.tune.schedulers import ASHAScheduler

        self._scheduler = ASHAScheduler(
            time_attr="step", metric="value", mode="max", max_t=total_steps, grace_period=min(grace, total_steps - 1),
            reduction_factor=3, stop_last_trials=False,
        )  # fmt: skip
        self._told: dict[str, int] = {}

    def behind(self, curves: Mapping[str, Curve]) -> Mapping[str, str]:
        """The settings that fall behind; see `StoppingRule`."""
        stopped = {}
        for step, name in sorted((step, name) for name, curve in curves.items() for step in curve):
            trial = SimpleNamespace(trial_id=name)
            if name not in self._told:
                self._scheduler.on_trial_add(None, trial)
            if step <= self._told.get(name, 0) or name in stopped:
                continue
            self._told[name] = step
            value = curves[name][step]
            if self._scheduler.on_trial_result(None, trial, {"step": step, "value": value}) == "STOP":
                stopped[name] = f"{value:.3f} at step {step:,} is below the best third there"
        return stopped


class Watch:
    """Follows the evaluations of a sweep's runs, and stops the runs of settings that fall behind."""

    def __init__(self, folder: Path, rule: StoppingRule, metric: str) -> None:
        self._folder = folder
        self._rule = rule
        self._metric = metric
        self._runs: dict[str, list[Run]] = {}
        self._curves: dict[str, tuple[float, Curve]] = {}
        self._stopped: dict[str, str] = {}
        self._looked = time.monotonic()

    def gives_up(self, run: Run) -> bool:
        """Whether a run's setting was stopped. The run is then marked as stopped; otherwise it is followed."""
        self._runs.setdefault(run.label, []).append(run)
        if run.label in self._stopped:
            self._mark(run)
        return run.label in self._stopped

    def look(self) -> None:
        """Read the new evaluations, at most once in a few seconds."""
        if time.monotonic() - self._looked < _EVERY_SECONDS:
            return
        curves = {}
        for label, runs in self._runs.items():
            if label not in self._stopped:
                read = [curve for run in runs if (curve := self._curve(run))]
                steps = set.intersection(*map(set, read)) if read else set()
                if steps:
                    curves[label] = {step: mean(curve[step] for curve in read) for step in sorted(steps)}
        for label, reason in self._rule.behind(curves).items():
            self._stopped[label] = reason
            for run in self._runs[label]:
                self._mark(run)
        self._looked = time.monotonic()

    def _mark(self, run: Run) -> None:
        place = self._folder / run.name
        place.mkdir(parents=True, exist_ok=True)
        if not (place / RESULTS).exists():
            (place / STOP).write_text(f"{self._stopped[run.label]}\n")

    def _curve(self, run: Run) -> Curve:
        """The mean over opponents of a run's evaluations; read again only if the run has written since."""
        place = self._folder / run.name
        written = max((path.stat().st_mtime for path in place.glob("events.out.tfevents.*")), default=0.0)
        if run.name not in self._curves or self._curves[run.name][0] < written:
            tag = eval_tag(self._metric, "")
            curves = [
                dict(zip(*curve, strict=True)) for name, curve in curves_of(place).items() if name.startswith(tag)
            ]
            steps = set.intersection(*map(set, curves)) if curves else set()
            self._curves[run.name] = written, {step: mean(curve[step] for curve in curves) for step in sorted(steps)}
        return self._curves[run.name][1]


def make_watch(name: str, folder: Path, metric: str, total_steps: int, grace: int | None) -> Watch:
    """Early stopping by the rule `median` or `asha`, from the step `grace` on, a fifth of the training by default.

    Raises:
        CardgymError: where the rule's package is not installed.
    """
    grace = max(total_steps // 5, 1) if grace is None else grace
    return Watch(folder, MedianRule(grace) if name == "median" else ASHARule(grace, total_steps), metric)
