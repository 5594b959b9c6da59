"""Learning curves of several runs: the evaluations during training, with bands over seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from cardgym.errors import CardgymError
from cardgym.figures import COLOURS, new_figure
from cardgym.learn.curves import read_evaluations
from cardgym.sweeps.statistics import interquartile_mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Curve = Mapping[int, float]
"""Values by step."""

_MARKERS = "osv^D"
_COLUMNS = 3


def evaluation_curves(folder: Path, metric: str) -> dict[str, Curve]:
    """A run's evaluations during training: one metric by opponent; empty for a run that made none."""
    try:
        evaluations = read_evaluations(folder)
    except CardgymError:
        return {}
    curves: dict[str, dict[int, float]] = {}
    for step, results in evaluations:
        for opponent, metrics in results.items():
            if metric in metrics:
                curves.setdefault(opponent, {})[step] = metrics[metric][0]
    return dict(curves)


def draw_curves(groups: Mapping[str, Sequence[Mapping[str, Curve]]], metric: str) -> Figure:
    """A panel for each opponent, and in it a line for each group of runs.

    A line is the interquartile mean over the group's runs, with the band of its 95 % bootstrap interval. It goes as far
    as the group's shortest run.

    Args:
        groups: for each group the curves of its runs by opponent; see `evaluation_curves`.
        metric: what the curves show, for the axis.
    """
    opponents = list(dict.fromkeys(opponent for runs in groups.values() for run in runs for opponent in run))
    columns = max(min(len(opponents), _COLUMNS), 1)
    rows = max(-(-len(opponents) // columns), 1)
    figure = new_figure(4.5 * columns, 3.4 * rows)
    panels = figure.subplots(rows, columns, squeeze=False)
    for panel, opponent in zip(panels.flat, opponents, strict=False):
        curves = {name: [run[opponent] for run in runs if opponent in run] for name, runs in groups.items()}
        _draw_panel(panel, curves)
        panel.set(title=f"against {opponent}", xlabel="million steps", ylabel=metric.replace("_", " "))
        panel.grid(alpha=0.3)
    for panel in list(panels.flat)[len(opponents) :]:
        panel.set_visible(False)
    if opponents:
        handles, labels = panels.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize="small")
    return figure


def _draw_panel(panel: Axes, curves: Mapping[str, Sequence[Curve]]) -> None:
    for (name, runs), colour, marker in zip(curves.items(), cycle(COLOURS), cycle(_MARKERS), strict=False):
        if not runs:
            continue
        steps = sorted(set.intersection(*(set(run) for run in runs)))
        estimates = [interquartile_mean([[run[step] for run in runs]]) for step in steps]
        millions = [step / 1e6 for step in steps]
        values = [estimate.value for estimate in estimates]
        panel.plot(millions, values, color=colour, marker=marker, markersize=4, label=f"{name} ({len(runs)} runs)")
        bands = [estimate.interval or (estimate.value, estimate.value) for estimate in estimates]
        if len(runs) > 1:
            lows, highs = [low for low, _ in bands], [high for _, high in bands]
            panel.fill_between(millions, lows, highs, color=colour, alpha=0.2, linewidth=0)
