"""The results of a benchmark: a document with every curve, and its table and picture."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

import cardgym
from cardgym.console.plots import new_figure, save_png
from cardgym.console.tables import markdown_table, wrapped
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.experiments.benchmark.plan import Algorithm, Benchmark
from cardgym.experiments.launch import RESULTS, Run
from cardgym.experiments.sweep_report import draw_lines
from cardgym.files import write_text
from cardgym.files.documents import Count, Document, Items, Name, Number, at_most, parse_document
from cardgym.files.json_values import parse_json, read_bytes
from cardgym.learn.tags import EXPLOITABILITY
from cardgym.learn.tensorboard import read_curves
from cardgym.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

JSON, MARKDOWN, PICTURE = "benchmark.json", "benchmark.md", "benchmark.png"
"""The files of a benchmark's folder."""
DPI = 110
_COLUMNS = 3
_MAX_FILE = 1 << 26


class RunCurve(Document):
    """One run.

    Attributes:
        game: the id of the game.
        algorithm: the name of the algorithm.
        seed: its seed.
        decisions: where it was evaluated, ascending.
        exploitability: exact, in the game's unit per game.
        cpu_seconds: processor time of the training, without evaluations and start-up; None if it is unknown.
    """

    game: Name
    algorithm: Name
    seed: Count
    decisions: Annotated[Items[Count], at_most(10_000)]
    exploitability: Annotated[Items[Number], at_most(10_000)]
    cpu_seconds: Number | None


class GameInfo(Document):
    """What tables and pictures need of a game: the unit of its rewards."""

    unit: Name


class BenchmarkReport(Document):
    """A benchmark's results.

    Attributes:
        suite: the suite's name.
        decisions: the decisions of a learner in a run.
        games: the games by id.
        algorithms: the algorithms by name.
        curves: every run.
    """

    suite: Name
    decisions: Count
    games: Annotated[dict[Name, GameInfo], at_most(1000)]
    algorithms: Annotated[dict[Name, Algorithm], at_most(1000)]
    curves: Annotated[Items[RunCurve], at_most(100_000)]

    @classmethod
    def read(cls, path: Path) -> BenchmarkReport:
        """Read a document that `write_report` wrote.

        Raises:
            CardgymError: for a file that is not one.
        """
        what = f"benchmark {path}"
        return parse_document(cls, read_bytes(path, what, _MAX_FILE), what)

    def runs(self, game: str, algorithm: str) -> list[RunCurve]:
        """Return the runs of an algorithm on a game, by seed."""
        found = [curve for curve in self.curves if (curve.game, curve.algorithm) == (game, algorithm)]
        return sorted((curve for curve in found if curve.decisions), key=lambda curve: curve.seed)

    def figure(self, game: str, algorithm: str, limit: int) -> Estimate | None:
        """Return the median over seeds of the last exploitability at up to `limit` decisions; None without runs."""
        last = [_last(curve, limit) for curve in self.runs(game, algorithm)]
        values = [value for value in last if value is not None]
        return median_and_range(values) if values else None

    def uniform(self, game: str) -> float | None:
        """Return the exploitability of uniform play, where solvers start; None without one of them."""
        for curve in self.curves:
            if curve.game == game and curve.decisions and curve.decisions[0] == 0:
                return curve.exploitability[0]
        return None


def median_and_range(values: Sequence[float]) -> Estimate:
    """Return the median of runs, with the lowest and the highest of them as its ends."""
    return Estimate(float(np.median(values)), (min(values), max(values)))


def _last(curve: RunCurve, limit: int) -> float | None:
    slack = limit * 1.05  # A learner ends up to a batch of decisions late.
    places = [place for place, step in enumerate(curve.decisions) if step <= slack]
    return curve.exploitability[places[-1]] if places else None


def write_report(path: Path, benchmark: Benchmark, runs: Sequence[Run], folder: Path) -> BenchmarkReport:
    """Collect the curves of the runs in a folder and write them as JSON; a run without a curve is left out.

    Raises:
        CardgymError: if the file cannot be written.
    """
    head = {"cardgym": cardgym.__version__, **benchmark.about}
    head["games"] = {name: {"unit": find(name).unit, "reward_scale": scale} for name, scale in benchmark.games.items()}
    curves = [json.dumps(curve) for run in runs if (curve := _curve(run, folder / run.name)) is not None]
    # A line for each curve: the file is kept with the project, and read in its differences.
    text = json.dumps(head, indent=1)[:-2] + ',\n "curves": [\n' + ",\n".join(curves) + "\n ]\n}\n"
    write_text(path, text)
    return BenchmarkReport.read(path)


def _curve(run: Run, folder: Path) -> dict[str, Any] | None:
    try:
        steps, values = read_curves(folder)[EXPLOITABILITY]
        results = parse_json(read_bytes(folder / RESULTS, str(folder), _MAX_FILE), str(folder), constants=True)
    except (CardgymError, KeyError):
        return None
    seconds = results.get("cpu_seconds") if isinstance(results, dict) else None
    return {
        **run.options,
        "seed": run.seed,
        "decisions": steps,
        "exploitability": [float(f"{value:.6g}") for value in values],
        "cpu_seconds": None if seconds is None else round(float(seconds), 1),
    }


# -- table ------------------------------------------------------------------------------------------------------------


def rows(report: BenchmarkReport) -> tuple[list[str], list[list[str]]]:
    """Get the head and the rows of the table: an algorithm's exploitability on every game, the best on average first.

    A solver has a second row, for all the decisions that it met. The last columns are the geometric mean over the games
    of the share of uniform play's exploitability that is left, how many configurations were tried before the learner's
    own, and a run's mean processor seconds.
    """
    found: list[tuple[float, list[str]]] = []
    for name, about in report.algorithms.items():
        for factor in dict.fromkeys((1, about.decisions_factor)):
            medians = {game: report.figure(game, name, factor * report.decisions) for game in report.games}
            share = _share(report, medians)
            label = f"`{name}`" + (f", {factor} x" if factor > 1 else "")
            cells = [_cell(medians[game]) for game in report.games]
            cells.append("-" if np.isinf(share) else f"{100 * share:.2g} %")
            cells.append("" if about.decisions_factor > 1 else f"{about.trials} trials" if about.trials else "untuned")
            cells.append(_seconds(report, name) if factor == about.decisions_factor else "")
            found.append((share, [label, *cells]))
    uniform = [report.uniform(game) for game in report.games]
    found.append(
        (1.0, ["uniform play", *("-" if value is None else f"{value:.4g}" for value in uniform), "100 %", "", ""])
    )
    head = ["algorithm", *(f"{game}, {about.unit}" for game, about in report.games.items()), "left", "tuned", "CPU s"]
    return head, [row for _, row in sorted(found, key=lambda pair: pair[0])]


def _seconds(report: BenchmarkReport, algorithm: str) -> str:
    known = [one.cpu_seconds for one in report.curves if one.algorithm == algorithm and one.cpu_seconds is not None]
    return f"{np.mean(known):.1f}" if known else "-"


def _share(report: BenchmarkReport, medians: Mapping[str, Estimate | None]) -> float:
    shares = []
    for game, median in medians.items():
        uniform = report.uniform(game)
        if median is None or not uniform:
            return np.inf
        shares.append(max(median.value, 1e-9) / uniform)
    return float(np.exp(np.mean(np.log(shares))))


def _cell(median: Estimate | None) -> str:
    if median is None:
        return "-"
    ends = f" ({median.low:.2g} to {median.high:.2g})" if median.high > median.low else ""
    return f"{median.value:.2g}{ends}"


def markdown(report: BenchmarkReport) -> str:
    """Return the table, with what its figures are."""
    runs = [
        len(report.runs(game, name))
        for name, given in report.algorithms.items()
        for game in report.games
        if not given.deterministic
    ]
    seeds = f"{min(runs)} to {max(runs)}" if len(set(runs)) > 1 else str(max(runs, default=1))
    lines = [
        wrapped(
            f"Exact exploitability per game after {report.decisions:,} decisions: the median over {seeds} seeds, with "
            "the lowest and the highest. *Left* is the share of uniform play's exploitability that is left, as the "
            "geometric mean over the games. *Tuned* says how many configurations were tried on these games before."
        ),
        "",
        *markdown_table(*rows(report)),
    ]
    return "\n".join(lines) + "\n"


# -- picture ----------------------------------------------------------------------------------------------------------


def draw(report: BenchmarkReport) -> Figure:
    """Return a panel for each game: exploitability by decisions on log axes, the median over seeds with their range."""
    count = len(report.games)
    columns = min(count, _COLUMNS)
    figure = new_figure(4.0 * columns, 3.3 * -(-count // columns) + 0.6, dpi=DPI)
    panels = figure.subplots(-(-count // columns), columns, squeeze=False)
    for panel in panels.flat[count:]:
        panel.set_visible(False)
    for panel, (game, about) in zip(panels.flat, report.games.items(), strict=False):
        groups = {
            name: [{EXPLOITABILITY: _positive(curve)} for curve in report.runs(game, name)]
            for name in report.algorithms
        }
        draw_lines(panel, EXPLOITABILITY, groups, unit=1, estimate=median_and_range)
        uniform = report.uniform(game)
        if uniform:
            panel.axhline(uniform, color="0.4", linewidth=1, linestyle=(0, (1, 2)), label="uniform play")
        panel.set(xscale="log", yscale="log", title=game, xlabel="decisions", ylabel=f"exploitability, {about.unit}")
        panel.grid(alpha=0.3)
    found = dict(_legend(list(panels.flat[:count])))
    figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=min(len(found), 5))
    return figure


def _positive(curve: RunCurve) -> tuple[list[int], list[float]]:
    """Return the points of a curve that log axes can show."""
    points = [point for point in zip(curve.decisions, curve.exploitability, strict=True) if min(point) > 0]
    return [step for step, _ in points], [value for _, value in points]


def _legend(panels: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    for panel in panels:
        for line, label in zip(*panel.get_legend_handles_labels(), strict=True):
            yield label.partition(" (")[0], line  # Without the number of runs, which may differ by game.


def write_pages(report: BenchmarkReport, folder: Path) -> None:
    """Write the tables and the picture into a folder.

    Raises:
        CardgymError: if they cannot be written.
    """
    write_text(folder / MARKDOWN, f"# {report.suite}\n\n{markdown(report)}\n![Curves]({PICTURE})\n")
    save_png(draw(report), folder / PICTURE, dpi=DPI)
