"""The figures of the Corellian Spike paper's appendix: what policies do, by decision, round and iteration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardgym.console.plots import COLORS, new_figure, save_png
from cardgym.papers.corellian_spike.numbers import BETTING, DECISIONS, share
from cardgym.papers.corellian_spike.runs import TrainingRun
from cardgym.statistics import mean_estimate

_LOOKS = {  # Color and marker: within a decision, colors differ in lightness too.
    "raise": (COLORS[0], "o"),
    "match": (COLORS[1], "s"),
    "fold": (COLORS[7], "X"),
    "buy": (COLORS[0], "^"),
    "don't buy": (COLORS[1], "v"),
    "discard": (COLORS[7], "P"),
    "swap spike": (COLORS[3], "X"),
    "swap low": (COLORS[1], "o"),
    "swap high": (COLORS[0], "*"),
}


def draw_actions(path: Path, title: str, runs: Sequence[TrainingRun]) -> None:
    """Draw a case's three figures as the rows of one PNG file, a column for each round.

    Solid lines with filled markers are over all states of the enumeration, as in the paper; dotted ones with hollow
    markers over the states met in training. Bands are 95 % intervals of the mean over runs.

    Raises:
        CardgymError: where matplotlib is not installed, or the file cannot be written.
    """
    figure: Any = new_figure(11.5, 10.5)
    grid = figure.subplots(3, 4, sharex=True, sharey=True)
    for row, (decision, (name, _)) in enumerate(DECISIONS.items()):
        for round in range(4):
            axes = grid[row, round]
            if round == 0 and decision != BETTING:
                axes.set_axis_off()
                continue
            _draw_panel(axes, runs, decision, round)
            axes.set_title(f"decision {decision} ({name}), round {round}", fontsize=11)
            axes.set_xlabel("iteration")
            axes.tick_params(labelbottom=True, labelleft=True)
    for row, decision in enumerate(DECISIONS):
        handles, labels = grid[row, 1].get_legend_handles_labels()
        corner = "center" if decision != BETTING else "lower right"
        grid[row, 0].legend(handles, labels, loc=corner, fontsize=11, framealpha=0.9)
    figure.suptitle(
        f"{title}: share of states in which the policy takes each action\n"
        "solid, filled: all states of the enumeration, as in the paper; dotted, hollow: the states met in training\n"
        f"means of {len(runs)} runs; bands: their 95 % intervals, Student's t; logarithmic above 0.1 %",
        fontsize=12,
    )
    save_png(figure, path, dpi=90)


def _draw_panel(axes: Any, runs: Sequence[TrainingRun], decision: int, round: int) -> None:
    """Draw the shares of the actions of a decision in a round over the iterations."""
    iterations = sorted(runs[0].policies)
    for number, (action, word) in enumerate(DECISIONS[decision][1].items()):
        for style, all_states in (("-", True), (":", False)):
            color, marker = _LOOKS[word]
            estimates = [
                mean_estimate([share(run, decision, action, round, i, met=not all_states) for run in runs])
                for i in iterations
            ]
            axes.plot(
                iterations,
                [estimate.value for estimate in estimates],
                style,
                color=color,
                marker=marker,
                markerfacecolor=color if all_states else "white",
                markersize=6,
                markevery=(number % 2, 2),  # Where curves lie on each other, both show.
                linewidth=1.4,
                label=word if all_states else None,
            )
            if len(runs) > 1:
                ends = [[max(end, 0.0) for end in (estimate.low, estimate.high)] for estimate in estimates]
                axes.fill_between(iterations, *zip(*ends, strict=True), color=color, alpha=0.25, linewidth=0)
    axes.set_yscale("symlog", linthresh=0.1, linscale=0.4)
    axes.set_ylim(-0.02, 130)
    axes.set_yticks([0, 0.1, 1, 10, 100], ["0", "0.1 %", "1 %", "10 %", "100 %"])
    axes.grid(alpha=0.3)
