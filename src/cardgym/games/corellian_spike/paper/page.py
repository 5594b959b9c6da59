"""docs/games/corellian_spike/results.md: the paper's tables beside ours, and which of its claims hold."""

# ruff: noqa: E501  # Lines of prose, as they stand on the page.

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cardgym.engine.registry import find
from cardgym.files.atomic import replacing
from cardgym.games.corellian_spike.batch_q.config import ENV
from cardgym.games.corellian_spike.paper.charts import draw_actions
from cardgym.games.corellian_spike.paper.experiments import Progress, Results, run_all
from cardgym.games.corellian_spike.paper.findings import betting, claims, exploration, information
from cardgym.games.corellian_spike.paper.numbers import Numbers
from cardgym.games.corellian_spike.paper.runs import CREDITS, FOUR, WEIGHTED, Scale, legal
from cardgym.games.corellian_spike.paper.states import code_facts
from cardgym.games.corellian_spike.paper.tables import deep_table, human_table, opponents_table, seats_table
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.players.base import resolve

PAGE = "results.md"
FIGURES = {
    "actions_credits.png": ("Two players, credits-only reward", CREDITS),
    "actions_weighted.png": ("Two players, weighted reward", WEIGHTED),
    "actions_four_players.png": ("Four players, weighted reward", FOUR),
    "actions_legal.png": ("Two players, credits-only reward, legal exploration", legal(CREDITS)),
}


def write_results(
    folder: Path,
    scale: Scale,
    deep_paths: Sequence[Path] = (),
    log: Path | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Train and evaluate everything, and write the page and its figures.

    Args:
        folder: where to.
        scale: how much is done.
        deep_paths: checkpoints of deep agents for two players.
        log: exported games of a person; None for the user's record.
        progress: called with the tasks done and the tasks in all.

    Returns:
        The files written.

    Raises:
        CardgymError: for a checkpoint of another game or kind, or where a file cannot be written.
    """
    deep = [resolve(path, find(ENV), CorellianSpikeOptions()) for path in deep_paths]
    results = run_all(scale, deep, progress)
    written = []
    for name, (title, case) in FIGURES.items():
        draw_actions(folder / name, title, case, results.runs[case])
        written.append(folder / name)
    numbers = Numbers(results, scale)
    parts = [
        _head(results, scale),
        claims(numbers),
        opponents_table(numbers, 2, "credits", "Performance with the credits-only reward"),
        opponents_table(numbers, 3, "weighted", "Performance with the weighted reward"),
        seats_table(numbers),
        human_table(log),
        deep_table(numbers, deep_paths),
        exploration(numbers),
        _figures(),
        code_facts(scale),
        betting(numbers),
        information(numbers),
    ]
    with replacing(folder / PAGE) as temporary:
        temporary.write_text("\n".join(parts).rstrip() + "\n", encoding="utf-8")
    return [folder / PAGE, *written]


def _head(results: Results, scale: Scale) -> str:
    transitions = np.mean([run.transitions for run in results.runs[CREDITS]])
    seconds = np.mean([run.seconds for run in results.runs[CREDITS]])
    return f"""# Corellian Spike: the paper's tables, rerun

Made by `cardgym reproduce corellian-spike` (seed {scale.base_seed}); do not edit by hand.

Torres, Nee and Cortinovis (2023) train policies by batch Q-learning and report tables 2, 3 and 4. Here is each cell of
them beside ours. Ours are means of {scale.seeds} training runs (own seeds) with 95 % intervals (Student's t over the runs),
{scale.games:,} games for each match where the paper has 2,000; busts are given for 2,000 games. All is told of the policy
of iteration {scale.iterations}: credits won a game, share of the hands won, and in how many games it ended with no credits.
"Published" explores as the paper's program did, "legal" over all legal actions; [batch_q.md](batch_q.md)
has the algorithm. One run learns from {transitions / scale.iterations:,.0f} transitions in each iteration and took
{seconds:.0f} s of processor time here, beside the paper's 1.5 to 10 hours; this whole page took
{results.processor_seconds / 60:.1f} minutes of processor time, {results.wall_seconds / 60:.1f} minutes by the clock with
{"one process" if scale.processes == 1 else f"{scale.processes} processes"} on a machine that others used too.
"""


def _figures() -> str:
    """The section of the paper's appendix."""
    lines = [
        "## The appendix: action distributions",
        "",
        "Each image holds a case's figures as rows (decision 1, 2, 3), a panel for each round: the paper's nine, and",
        "three for the legal exploration. The scale is logarithmic, for most shares are small; the paper's own measure,",
        "over all enumerated states, is solid, and over the states met in training dotted. Lines are means of the runs, bands their 95 %",
        "intervals.",
        "",
    ]
    lines += [f"![{title}]({name})\n" for name, (title, _) in FIGURES.items()]
    return "\n".join(lines)
