"""docs/results/corellian_spike.md: the paper's tables beside ours, and which of its claims hold."""

# ruff: noqa: E501  # Lines of prose, as they stand on the page.

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cardgym.files import replacing
from cardgym.games.corellian_spike.paper.charts import draw_actions
from cardgym.games.corellian_spike.paper.findings import betting, claims, exploration, information
from cardgym.games.corellian_spike.paper.matches import load_deep, wanted_learnings, wanted_matches
from cardgym.games.corellian_spike.paper.numbers import Numbers
from cardgym.games.corellian_spike.paper.runs import CREDITS, FOUR, WEIGHTED, Plan, Progress, Results, legal, run_all
from cardgym.games.corellian_spike.paper.states import code_facts
from cardgym.games.corellian_spike.paper.tables import deep_agents, human, seats, table

FIGURES = {
    "corellian_spike_actions_credits.png": ("Two players, credits-only reward", CREDITS),
    "corellian_spike_actions_weighted.png": ("Two players, weighted reward", WEIGHTED),
    "corellian_spike_actions_four_players.png": ("Four players, weighted reward", FOUR),
    "corellian_spike_actions_legal.png": ("Two players, credits-only reward, legal exploration", legal(CREDITS)),
}


def write_results(
    folder: Path, plan: Plan, deep_paths: Sequence[Path] = (), log: Path | None = None, progress: Progress = None
) -> list[Path]:
    """Train and evaluate everything, and write the page and its figures.

    Args:
        folder: where to.
        plan: how much is done.
        deep_paths: checkpoints of deep agents for two players.
        log: the log of games that people played, for the human's row.
        progress: told the tasks done and the tasks in all.

    Returns:
        The files written.

    Raises:
        CardgymError: for a checkpoint of another kind, or where a file cannot be written.
    """
    deep = load_deep(deep_paths)
    results, learned = run_all(
        plan,
        lambda found: wanted_matches(found, plan, deep),
        lambda found: wanted_learnings(found, plan),
        progress,
    )
    written = []
    for name, (title, case) in FIGURES.items():
        draw_actions(folder / name, title, case, results.runs[case])
        written.append(folder / name)
    numbers = Numbers(results, plan)
    parts = [
        _head(results, plan),
        claims(numbers),
        table(numbers, 2, "credits", "Performance with the credits-only reward"),
        table(numbers, 3, "weighted", "Performance with the weighted reward"),
        seats(numbers),
        human(log),
        deep_agents(numbers, deep_paths),
        exploration(numbers),
        _figures(),
        code_facts(plan),
        betting(numbers),
        information(numbers, learned),
    ]
    path = folder / "corellian_spike.md"
    with replacing(path) as temporary:
        temporary.write_text("\n".join(parts).rstrip() + "\n", encoding="utf-8")
    return [path, *written]


def _head(results: Results, plan: Plan) -> str:
    transitions = np.mean([run.transitions for run in results.runs[CREDITS]])
    seconds = np.mean([run.seconds for run in results.runs[CREDITS]])
    return f"""# Corellian Spike: the paper's tables, rerun

Made by `cardgym reproduce corellian-spike` (seed {plan.base_seed}); do not edit by hand.

Torres, Nee and Cortinovis (2023) train policies by batch Q-learning and report tables 2, 3 and 4. Here is each cell of
them beside ours. Ours are means of {plan.seeds} training runs (own seeds) with 95 % intervals (Student's t over the runs),
{plan.games:,} games for each match where the paper has 2,000; busts are given for 2,000 games. All is told of the policy
of iteration {plan.iterations}: credits won a game, share of the hands won, and in how many games it ended with no credits.
"Published" explores as the paper's program did, "legal" over all legal actions; [batch_q.md](../algorithms/batch_q.md)
has the algorithm. One run learns from {transitions / plan.iterations:,.0f} transitions in each iteration and took
{seconds:.0f} s of processor time here, beside the paper's 1.5 to 10 hours; this whole page took
{results.seconds["processor"] / 60:.1f} minutes of processor time, {results.seconds["wall"] / 60:.1f} minutes by the clock with
{"one process" if plan.workers == 1 else f"{plan.workers} processes"} on a machine that others used too.
"""


def _figures() -> str:
    """The appendix."""
    lines = [
        "## The appendix: action distributions",
        "",
        "Each image holds a case's figures as rows (decision 1, 2, 3), a panel for each round: the paper's nine, and",
        "three for the legal exploration. The scale is logarithmic, for most shares are small; the paper's own measure,",
        "over all enumerated states, is solid, and over the states met in training dotted.",
        "",
    ]
    lines += [f"![{title}]({name})\n" for name, (title, _) in FIGURES.items()]
    return "\n".join(lines)
