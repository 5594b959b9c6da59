"""The table and the curves of a race."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

MARKS = (("random", 0.9), ("heuristic", 0.45), ("heuristic", 0.5), ("heuristic", 0.55))
"""The win rates whose times are printed."""


def show(race: Mapping[str, Any], picture: Path | None) -> None:
    """Print a race as a table of contestants, and draw it."""
    contestants = race["contestants"]
    print(
        f"{race['game']}, {race['machine']}, one core; opponents {', '.join(race['opponents'])}; matches of "
        f"{race['games']:,} games; seconds of processor time until a match first has that share of hands, "
        f"median of the seeds [least, most]; no run longer than {race['budget']:g} s\n"
    )
    header = ["", *(f"{level:.0%} against {rival}" for rival, level in MARKS), "start-up"]
    print(f"| {' | '.join(header)} |\n|{'---|' * len(header)}")
    for name, contestant in contestants.items():
        print(f"| {' | '.join(row(name, contestant['runs'], race['rivals']))} |")
    print(f"\n{lead(race)}")
    if picture is not None:
        draw(race, picture)


def row(name: str, runs: Sequence[Mapping[str, Any]], rivals: Sequence[str]) -> list[str]:
    """A row of the table: seconds from the start of training to each mark, and seconds of start-up before it."""
    cells = []
    for rival, level in MARKS:
        times = sorted(first(run["points"], rivals.index(rival), level) for run in runs)
        reached = [seconds for seconds in times if math.isfinite(seconds)]
        middle = statistics.median(times)
        text = "-" if not reached else f"{_seconds(middle)} [{_seconds(times[0])}, {_seconds(times[-1])}]"
        cells.append(text if len(reached) in (0, len(times)) else f"{text}, {len(reached)} of {len(times)} seeds")
    startups = [run["startup"] for run in runs]
    cells.append(f"{statistics.median(startups):.1f}")
    return [name, *cells]


def _seconds(value: float) -> str:
    return f"{value:.1f}" if math.isfinite(value) else "-"


def first(points: Sequence[Sequence[float]], rival: int, level: float) -> float:
    """Seconds of training until a match first reached this win rate; infinite if none did."""
    return next((point[0] for point in points if point[2 + rival] >= level), math.inf)


def lead(race: Mapping[str, Any]) -> str:
    """The first contestant to reach each win rate, by the median of the seeds, in steps of 5 %."""
    lines = []
    for number, rival in enumerate(race["rivals"]):
        firsts: dict[str, list[str]] = {}
        for percent in range(5, 100, 5):
            times = {
                name: statistics.median(first(run["points"], number, percent / 100) for run in contestant["runs"])
                for name, contestant in race["contestants"].items()
            }
            best = min(times, key=lambda name: times[name])
            if math.isfinite(times[best]):
                firsts.setdefault(best, []).append(f"{percent}")
        leaders = "; ".join(f"{name} at {', '.join(levels)} %" for name, levels in firsts.items())
        lines.append(f"First against {rival}: {leaders}.")
    return "\n".join(lines)


def draw(race: Mapping[str, Any], picture: Path) -> None:
    """A panel for each rival: the win rate over seconds, the median of the seeds with a band from lowest to highest."""
    from matplotlib.ticker import FuncFormatter, PercentFormatter

    from cardgym.console.plots import COLORS, new_figure, save_png

    figure = new_figure(9, 4.8)
    panels = figure.subplots(1, len(race["rivals"]), squeeze=False, sharex=True, sharey=True)[0]
    looks = zip(cycle(COLORS), cycle("osv^DPX*"), cycle(("-", "--", "-.", ":")), strict=False)
    for (name, contestant), (color, marker, line) in zip(race["contestants"].items(), looks, strict=False):
        last = min(run["points"][-1][0] for run in contestant["runs"])
        seconds = np.geomspace(0.3, last, 40)
        for number, panel in enumerate(panels):
            rates = np.array([at(run["points"], number, seconds) for run in contestant["runs"]])
            look: dict[str, Any] = {"color": color, "marker": marker, "linestyle": line, "label": name}
            panel.plot(seconds, np.median(rates, axis=0), markevery=4, markersize=5, **look)
            panel.fill_between(seconds, rates.min(axis=0), rates.max(axis=0), color=color, alpha=0.12, linewidth=0)
    for rival, panel in zip(race["rivals"], panels, strict=True):
        panel.axhline(0.5, color="0.4", linewidth=1, linestyle=(0, (1, 2)), label="even: 50 %")
        panel.set(title=f"against {rival}", xlabel="seconds of training (processor time)", ylabel="share of hands won")
        panel.set_xscale("log")
        panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        panel.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        panel.tick_params(labelleft=True)
        panel.grid(alpha=0.3)
    seeds = len(next(iter(race["contestants"].values()))["runs"])
    title = f"lines: median of {seeds} seeds; bands: from the lowest seed to the highest"
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=9, title=title)
    save_png(figure, picture, dpi=120)


def at(points: Sequence[Sequence[float]], rival: int, seconds: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The win rate at these times, interpolated linearly between matches."""
    times, rates = ([point[column] for point in points] for column in (0, 2 + rival))
    return np.asarray(np.interp(seconds, times, rates))
