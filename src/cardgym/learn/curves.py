"""Reading a run's curves and evaluations back from its folder, while it goes on or afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from cardgym.errors import CardgymError
from cardgym.learn import tags
from cardgym.learn.evaluation import Metrics

Curve = tuple[list[int], list[float]]
"""Steps in ascending order, and a value at each."""


class Evaluation(NamedTuple):
    """One evaluation of a run.

    Attributes:
        step: the step it was made at.
        results: metrics by opponent, as `evaluate_learner` returns them. Opponents are named as in tags.
    """

    step: int
    results: dict[str, Metrics]


def read_curves(folder: Path) -> dict[str, Curve]:
    """All curves of a run by tag; see `cardgym.learn.tags`.

    A step that was written twice, as after an interruption, counts once, with its last value.

    Raises:
        CardgymError: if the folder holds no TensorBoard files.
    """
    from tensorboard.backend.event_processing.event_accumulator import SCALARS, EventAccumulator

    if not any(folder.glob("events.out.tfevents.*")):
        raise CardgymError(f"{folder}: holds no TensorBoard files; name the folder of a run")
    events = EventAccumulator(str(folder), size_guidance={SCALARS: 0})  # 0 keeps every point.
    events.Reload()
    curves: dict[str, Curve] = {}
    for tag in events.Tags()["scalars"]:
        points = dict(sorted((event.step, event.value) for event in events.Scalars(tag)))
        curves[tag] = (list(points), list(points.values()))
    return curves


def read_evaluations(folder: Path) -> list[Evaluation]:
    """The evaluations during a run's training, in the order of their steps. The final one is in `results.json`.

    Raises:
        CardgymError: if the folder holds no TensorBoard files.
    """
    curves = read_curves(folder)
    at_step: dict[int, dict[str, Metrics]] = {}
    for tag, (steps, values) in curves.items():
        if not tag.startswith(tags.EVAL):
            continue
        metric, _, opponent = tag.removeprefix(tags.EVAL).partition("/")
        lower, upper = (dict(zip(*curves.get(end, ([], [])), strict=True)) for end in tags.ci95_tags(metric, opponent))
        for step, value in zip(steps, values, strict=True):
            interval = (lower[step], upper[step]) if step in lower and step in upper else None
            at_step.setdefault(step, {}).setdefault(opponent, {})[metric] = (value, interval)
    return [Evaluation(step, results) for step, results in sorted(at_step.items())]
