"""What a sweep found: its runs' final figures over seeds, as one table, as JSON and as Markdown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cardgym.console.tables import markdown_table, with_interval
from cardgym.errors import unknown
from cardgym.experiments.sweep.runner import RunResult
from cardgym.files.atomic import replacing
from cardgym.statistics import Estimate, interquartile_mean, mean_over_runs

REPORT_JSON, REPORT_MARKDOWN, CURVES = "report.json", "report.md", "curves.png"
WIN_RATE = "win_rate"
UNIT = (0.0, 1.0)
"""The range of a share."""


def grouped(results: Sequence[RunResult]) -> dict[str, list[RunResult]]:
    """The runs that have results, by their settings in words; without settings there is one group, `all runs`."""
    groups: dict[str, list[RunResult]] = {}
    for result in results:
        if result.results is not None:
            groups.setdefault(result.run.label or "all runs", []).append(result)
    return groups


def check_metric(result: RunResult, metric: str) -> None:
    """Check that a run has a metric.

    Raises:
        CardgymError: where it has results, and the metric is in none of them.
    """
    known = {name for metrics in (result.results or {}).values() for name in metrics}
    if known and metric not in known:
        raise unknown("metric", metric, known)


def figures(group: Sequence[RunResult]) -> dict[str, dict[str, Estimate]]:
    """The means over a group's seeds, by opponent and metric."""
    values: dict[str, dict[str, list[float]]] = {}
    for result in group:
        for opponent, metrics in (result.results or {}).items():
            for metric, (value, _) in metrics.items():
                values.setdefault(opponent, {}).setdefault(metric, []).append(float(value))
    return {
        opponent: {
            metric: mean_over_runs(numbers, *(UNIT if metric == WIN_RATE else ()))
            for metric, numbers in metrics.items()
        }
        for opponent, metrics in values.items()
    }


def overall(group: Sequence[RunResult], metric: str) -> Estimate | None:
    """The interquartile mean of a metric over a group's seeds and opponents; None where a run lacks it."""
    opponents = list(group[0].results or {})
    try:
        return interquartile_mean(
            [[float((result.results or {})[opponent][metric][0]) for result in group] for opponent in opponents]
        )
    except (KeyError, ValueError):
        return None


def summary(results: Sequence[RunResult], metric: str = WIN_RATE) -> list[dict[str, Any]]:
    """The groups of a sweep, as plain values: settings, runs, the means, and the interquartile mean over opponents."""
    rows = []
    for label, group in grouped(results).items():
        iqm = overall(group, metric)
        rows.append(
            {
                "settings": dict(group[0].run.settings),
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
    """The head and the rows of a sweep's table: a row for each setting, best interquartile mean first."""
    groups = grouped(results)
    finished = [result for group in groups.values() for result in group]
    opponents = list(dict.fromkeys(opponent for result in finished for opponent in result.results or ()))
    name = metric.replace("_", " ")
    head = ["settings", "runs", *(f"{name} against {opponent}" for opponent in opponents), f"{name}, IQM"]
    rows = []
    for label, group in groups.items():
        means, iqm = figures(group), overall(group, metric)
        cells = [shown(metric, means.get(opponent, {}).get(metric)) for opponent in opponents]
        rows.append((iqm.value if iqm else -float("inf"), [label, str(len(group)), *cells, shown(metric, iqm)]))
    return head, [row for _, row in sorted(rows, key=lambda row: -row[0])]


def shown(metric: str, estimate: Estimate | None) -> str:
    """A figure with its interval, for a cell of a table."""
    if estimate is None:
        return "-"
    percent = metric == WIN_RATE
    return with_interval(*estimate, ".1f" if percent else "+.2f", percent=percent)


def write_report(folder: Path, about: Mapping[str, Any], results: Sequence[RunResult], metric: str = WIN_RATE) -> None:
    """Write `report.json` and `report.md` into a sweep's folder.

    Raises:
        CardgymError: if they cannot be written.
    """
    document = {**about, "groups": summary(results, metric), "runs": [result.asdict() for result in results]}
    with replacing(folder / REPORT_JSON) as temporary:
        temporary.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    with replacing(folder / REPORT_MARKDOWN) as temporary:
        temporary.write_text(markdown(about, results, metric), encoding="utf-8")


def markdown(about: Mapping[str, Any], results: Sequence[RunResult], metric: str = WIN_RATE) -> str:
    """The report as a page."""
    head, rows = table(results, metric)
    lines = [f"# {about['script']} on {about['env']}: {about['config']}", "", *markdown_table(head, rows)]
    lines += ["", EXPLANATION, "", f"![Learning curves]({CURVES})"]
    missing = [result for result in results if result.problem]
    if missing:
        lines += ["", "Runs without results:", ""]
        lines += [f"- {result.run.name}: {result.problem}" for result in missing]
    return "\n".join(lines) + "\n"


EXPLANATION = (
    "Means over seeds with Student's 95 % intervals; IQM is the interquartile mean over seeds and opponents with the "
    "interval of the stratified bootstrap. Intervals are over runs: they say how other seeds may end."
)


def _plain(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "ci95": list(estimate.interval) if estimate.known else None}
