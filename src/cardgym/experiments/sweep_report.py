"""The results of a sweep: its final figures over seeds as a table, JSON and Markdown, and its learning curves."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardgym.arena.report import main_metric
from cardgym.console.plots import COLORS, literal, new_figure
from cardgym.engine.contract import Game
from cardgym.errors import CardgymError
from cardgym.experiments.sweep import EXACT, RunResult
from cardgym.files.json_values import write_json
from cardgym.learn.evaluation import metric_text
from cardgym.learn.tags import EVAL, WIN_RATE, ci95_tags
from cardgym.learn.tensorboard import Curve, read_curves
from cardgym.statistics import Estimate, interquartile_mean, mean_estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

REPORT_JSON, CURVES = "report.json", "curves.png"
UNIT = (0.0, 1.0)
"""The range of a share."""

Curves = Mapping[str, Curve]
"""Curves by tag."""

MARKERS = "osv^D"
LINES = ("-", "--", "-.", ":")
_LETTERS_AN_INCH, _LETTERS_OF_A_LINE = 11, 9
"""Letters per inch of a legend, and the width of the line sample before its text, in letters."""


def grouped(results: Sequence[RunResult]) -> dict[str, list[RunResult]]:
    """Return the runs that have results, by their options in words; without options there is one group, `all runs`."""
    groups: dict[str, list[RunResult]] = {}
    for result in results:
        if result.results is not None:
            groups.setdefault(result.run.label or "all runs", []).append(result)
    return groups


def figures(group: Sequence[RunResult]) -> dict[str, dict[str, Estimate]]:
    """Return the means over a group's seeds, by opponent and metric."""
    values: dict[str, dict[str, list[float]]] = {}
    for result in group:
        for opponent, metrics in (result.results or {}).items():
            for metric, (value, _) in metrics.items():
                values.setdefault(opponent, {}).setdefault(metric, []).append(float(value))
    return {
        opponent: {
            metric: mean_estimate(numbers, *(UNIT if metric == WIN_RATE else ())) for metric, numbers in metrics.items()
        }
        for opponent, metrics in values.items()
    }


def overall(group: Sequence[RunResult], metric: str) -> Estimate | None:
    """Return the interquartile mean of a metric over a group's seeds and opponents; None if a run lacks it."""
    opponents = [name for name, metrics in (group[0].results or {}).items() if metric in metrics]
    try:
        return interquartile_mean(
            [[float((result.results or {})[opponent][metric][0]) for result in group] for opponent in opponents]
        )
    except (KeyError, ValueError):
        return None


def summary(results: Sequence[RunResult], metric: str = WIN_RATE) -> list[dict[str, Any]]:
    """Return the groups of a sweep as plain values: options, runs, means, interquartile means over opponents."""
    rows = []
    for label, group in grouped(results).items():
        iqm = overall(group, metric)
        rows.append(
            {
                "options": dict(group[0].run.options),
                "label": label,
                "seeds": [result.run.seed for result in group],
                "mean": {
                    opponent: {name: _plain(estimate) for name, estimate in metrics.items()}
                    for opponent, metrics in figures(group).items()
                },
                "iqm": None if iqm is None else {"metric": metric, **_plain(iqm)},
            }
        )
    return rows


def table(results: Sequence[RunResult], metric: str = WIN_RATE) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of a sweep's table: a row for each setting, best interquartile mean first."""
    groups = grouped(results)
    finished = [result for group in groups.values() for result in group]
    found = (name for result in finished for name, metrics in (result.results or {}).items() if metric in metrics)
    opponents = list(dict.fromkeys(found))
    name = metric.replace("_", " ")
    columns = [name if opponent == EXACT else f"{name} against {opponent}" for opponent in opponents]
    head = ["options", "runs", *columns, f"{name}, IQM"]
    rows = []
    for label, group in groups.items():
        means, iqm = figures(group), overall(group, metric)
        cells = [shown(metric, means.get(opponent, {}).get(metric)) for opponent in opponents]
        value = -math.inf if iqm is None else -iqm.value if metric == EXACT else iqm.value
        rows.append((value, [label, str(len(group)), *cells, shown(metric, iqm)]))
    return head, [row for _, row in sorted(rows, key=lambda row: -row[0])]


def metric_of(game: Game, results: Sequence[RunResult]) -> str:
    """Return the metric by which runs are compared unless the user names one.

    That is the exploitability if every run has it, or else what the game's players play for.
    """
    finished = [result.results for result in results if result.results is not None]
    return EXACT if finished and all(EXACT in found for found in finished) else main_metric(game)


def shown(metric: str, estimate: Estimate | None) -> str:
    """Return a figure with its interval, for a cell of a table."""
    return "-" if estimate is None else metric_text(metric, *estimate)


def write_report(folder: Path, about: Mapping[str, Any], results: Sequence[RunResult], metric: str = WIN_RATE) -> None:
    document = {**about, "groups": summary(results, metric), "runs": [result.asdict() for result in results]}
    write_json(folder / REPORT_JSON, document)


EXPLANATION = (
    "Means over seeds with Student's 95 % intervals; IQM is the interquartile mean over seeds and opponents with the "
    "interval of the stratified bootstrap. Intervals are over runs: they say how other seeds may end."
)


def _plain(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "ci95": list(estimate.interval) if estimate.known else None}


# -- learning curves ------------------------------------------------------------------------------------------------


def curves_of(folder: Path) -> Curves:
    """Return the curves of a run; none if it has written none yet."""
    try:
        return read_curves(folder)
    except CardgymError:
        return {}


def draw(groups: Mapping[str, Sequence[Curves]], tags: Sequence[str], even: float | None = 0.5) -> Figure:
    """Return a panel for each tag, those of one metric in a row on the same axes, with a line for each group of runs.

    A line is the interquartile mean over the group's runs, up to the end of the shortest; its band is the bootstrap's
    interval, or for a single run that of each evaluation.
    """
    from matplotlib.ticker import PercentFormatter

    rows: dict[str, list[str]] = defaultdict(list)
    for tag in tags:
        rows[_metric(tag)].append(tag)
    columns = max(map(len, rows.values()))
    figure = new_figure(max(3.3 * columns, 6), 2.6 * len(rows) + 0.7, dpi=120)
    panels = figure.subplots(len(rows), columns, squeeze=False, sharex=True, sharey="row")
    for panel in panels.flat:
        panel.set_visible(False)
    for row_of_panels, (metric, row_of_tags) in zip(panels, rows.items(), strict=True):
        for panel, tag in zip(row_of_panels, row_of_tags, strict=False):
            panel.set_visible(True)
            panel.set_title(literal(f"against {tag.rpartition('/')[2]}" if tag.count("/") > 1 else tag))
            draw_lines(panel, tag, groups)
            if metric == WIN_RATE and even is not None and not tag.endswith("/alone"):
                panel.axhline(even, color="0.4", linewidth=1, linestyle=(0, (1, 2)), label=f"even: {even:.0%}")
            if metric == WIN_RATE:
                panel.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
            panel.set_xlabel("million steps")
            panel.tick_params(labelleft=True, labelbottom=True)
            panel.grid(alpha=0.3)
        low, high = row_of_panels[0].get_ylim()
        for panel in row_of_panels if low < 0 < high else ():
            panel.axhline(0, color="0.4", linewidth=1, linestyle=(0, (1, 2)))
        row_of_panels[0].set_ylabel(metric.replace("_", " "))
    lines = {label: line for line, label in zip(*panels[0, 0].get_legend_handles_labels(), strict=True)}
    fitting = int(_LETTERS_AN_INCH * figure.get_figwidth()) // (max(map(len, lines), default=0) + _LETTERS_OF_A_LINE)
    ncols = min(max(fitting, 1), 4)
    figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=ncols, title=_caption(groups))
    return figure


def _metric(tag: str) -> str:
    """Return the first word of a tag after its group: what its panel shows."""
    return (tag.removeprefix(EVAL) if tag.startswith(EVAL) else tag.partition("/")[2]).partition("/")[0]


def _caption(groups: Mapping[str, Sequence[Curves]]) -> str:
    several = "lines: interquartile means over runs; bands: their 95 % bootstrap intervals"
    single = "band: the 95 % interval of each evaluation"
    sizes = {len(runs) > 1 for runs in groups.values()}
    return f"{several}; of a single run, {single}" if len(sizes) == 2 else several if sizes == {True} else single


def draw_lines(
    panel: Axes,
    tag: str,
    groups: Mapping[str, Sequence[Curves]],
    *,
    unit: float = 1e6,
    estimate: Callable[[Sequence[float]], Estimate] = lambda values: interquartile_mean([values]),
) -> None:
    """Draw a line with a band for each group of runs."""
    for (name, runs), *style in zip(groups.items(), cycle(COLORS), cycle(MARKERS), cycle(LINES), strict=False):
        curves = [run[tag] for run in runs if tag in run]
        shortest = min((len(steps) for steps, _ in curves), default=0)
        if not shortest:
            continue
        color, marker, line = style
        steps = np.array(curves[0][0][:shortest]) / unit
        estimates = [estimate([values[at] for _, values in curves]) for at in range(shortest)]
        values = [middle.value for middle in estimates]
        label = f"{name} ({len(runs)} runs)" if len(runs) > 1 else name
        panel.plot(steps, values, color=color, marker=marker, markersize=4, linestyle=line, label=literal(label))
        low, high = _band(tag, runs, estimates)
        if low:
            panel.fill_between(steps, low, high, color=color, alpha=0.2, linewidth=0)


def _band(tag: str, runs: Sequence[Curves], estimates: Sequence[Estimate]) -> tuple[list[float], list[float]]:
    """Get the ends of a band: the bootstrap's interval, or that of each evaluation of a single run, if it has one."""
    if all(estimate.known for estimate in estimates):
        lows, highs = zip(*(estimate.interval for estimate in estimates), strict=True)
        return list(lows), list(highs)
    metric, _, opponent = tag.removeprefix(EVAL).partition("/")
    low, high = ([run[end][1][: len(estimates)] for run in runs if end in run] for end in ci95_tags(metric, opponent))
    return (low[0], high[0]) if low and high else ([], [])
