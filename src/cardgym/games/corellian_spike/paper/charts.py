"""The figures of the Corellian Spike paper's appendix: what policies do, by decision, round and iteration."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.registry import find
from cardgym.figures import new_figure
from cardgym.files import replacing
from cardgym.games.corellian_spike.batch_q.config import ENV
from cardgym.games.corellian_spike.batch_q.state_models import codes_of
from cardgym.games.corellian_spike.paper.runs import Case, TrainingResult

DECISIONS = {
    1: ("betting", {0: "raise", 1: "match", 2: "fold"}),
    2: ("buying", {3: "buy", 4: "don't buy"}),
    3: ("placing", {5: "discard", 6: "swap spike", 7: "swap low", 8: "swap high"}),
}
_COLOURS = ("#0072b2", "#e69f00", "#d55e00", "#009e73", "#56b4e9", "#000000", "#cc79a7", "#e69f00", "#0072b2")
_MARKERS = "osD^vPXo*"


@cache
def kinds(case: Case) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Of each state by index: its decision (0 for the end), its round, and whether play can reach it at all.

    Only who places a card has an extra one, so the codes of betting and buying with one are never met.
    """
    codes = codes_of(find(ENV), case.options)
    decision, extra = codes // 1_000_000 % 10, codes // 100 % 100
    return decision, codes // 10_000_000, (decision == 3) | (extra == 0)


def shares(
    case: Case, run: TrainingResult, decision: int, round: int | None, iteration: int, among: npt.NDArray[np.bool_]
) -> dict[int, float]:
    """The share of each action over the states of a decision and a round (of all rounds if None), among some states."""
    decisions, rounds, _ = kinds(case)
    wanted = (decisions == decision) & among
    if round is not None:
        wanted &= rounds == round
    actions = run.policies[iteration][wanted]
    return {action: float((actions == action).mean()) if len(actions) else np.nan for action in DECISIONS[decision][1]}


def draw_actions(path: Path, title: str, case: Case, runs: Sequence[TrainingResult]) -> None:
    """Draw a case's three figures as the rows of one PNG file, a column for each round.

    Solid: over all states of the enumeration, as in the paper. Dotted: over the states met in training.

    Raises:
        CardgymError: where matplotlib is not installed, or the file cannot be written.
    """
    figure: Any = new_figure(13, 9)
    grid = figure.subplots(3, 4, sharex=True, sharey=True)
    iterations = sorted(runs[0].policies)
    everything = np.ones(len(runs[0].met), np.bool_)
    for row, (decision, (name, actions)) in enumerate(DECISIONS.items()):
        for round in range(4):
            axes = grid[row, round]
            if round == 0 and decision != 1:
                axes.set_axis_off()
                continue
            for action, word in actions.items():
                for style, all_states in (("-", True), (":", False)):
                    points = [
                        np.mean(
                            [
                                shares(case, run, decision, round, i, everything if all_states else run.met)[action]
                                for run in runs
                            ]
                        )
                        for i in iterations
                    ]
                    axes.plot(
                        iterations,
                        100 * np.array(points),
                        style,
                        color=_COLOURS[action],
                        marker=_MARKERS[action],
                        markersize=5,
                        linewidth=1.4,
                        label=word if all_states else None,
                    )
            axes.set_title(f"decision {decision} ({name}), round {round}", fontsize=10)
            axes.set_yscale("symlog", linthresh=0.1, linscale=0.4)
            axes.set_ylim(-0.02, 130)
            axes.set_yticks([0, 0.1, 1, 10, 100], ["0", "0.1 %", "1 %", "10 %", "100 %"])
            axes.grid(alpha=0.3)
            if row == 2:
                axes.set_xlabel("iteration")
    for row, decision in enumerate(DECISIONS):
        handles, labels = grid[row, 1].get_legend_handles_labels()
        place = grid[row, 0]
        place.legend(handles, labels, loc="center" if decision != 1 else "lower right", fontsize=9, framealpha=0.9)
    for axes in (grid[2, 1], grid[2, 2], grid[2, 3]):
        axes.tick_params(labelbottom=True)
    figure.suptitle(
        f"{title}: share of states in which the policy takes each action, mean of {len(runs)} runs\n"
        "solid: all states of the enumeration, as in the paper; dotted: the states met in training",
        fontsize=11,
    )
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png", dpi=90, metadata={"Software": ""})
