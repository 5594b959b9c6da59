"""Reproduce the paper on Corellian Spike: tables 2, 3 and 4, the figures of the appendix, and which claims hold."""

# ruff: noqa: E501  # Lines of prose as the page has them.

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cardgym.console.arguments import whole
from cardgym.engine.registry import find
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.papers.corellian_spike.batch_q import ENV
from cardgym.papers.corellian_spike.charts import draw_actions
from cardgym.papers.corellian_spike.experiments import Results, run_all
from cardgym.papers.corellian_spike.findings import betting, claims, code_facts, exploration, information
from cardgym.papers.corellian_spike.numbers import Numbers
from cardgym.papers.corellian_spike.runs import CREDITS, FOUR, WEIGHTED, Scale, legal
from cardgym.papers.corellian_spike.tables import deep_table, opponents_table, seats_table
from cardgym.papers.pages import Report, add_deep, deep_paths, page_parser, reproduce, section, write_page
from cardgym.players import resolve

CHECKPOINTS = "checkpoints/corellian_spike/double_dqn*.safetensors"
"""The deep agents of the page unless others are named."""

FIGURES = {
    "actions_credits.png": ("Two players, credits-only reward", CREDITS),
    "actions_weighted.png": ("Two players, weighted reward", WEIGHTED),
    "actions_four_players.png": ("Four players, weighted reward", FOUR),
    "actions_legal.png": ("Two players, credits-only reward, legal exploration", legal(CREDITS)),
}


def write_results(
    folder: Path,
    scale: Scale,
    checkpoints: Sequence[Path] = (),
    progress: Report | None = None,
) -> list[Path]:
    """Train and evaluate everything, and write the page and its figures.

    Args:
        folder: where to.
        scale: how much is done.
        checkpoints: of deep agents for two players.
        progress: called with the tasks done and the tasks in all.

    Returns:
        The files written.

    Raises:
        CardgymError: for a checkpoint of another game or kind, or where a file cannot be written.
    """
    deep = [resolve(path, find(ENV), CorellianSpikeOptions()) for path in checkpoints]
    results = run_all(scale, deep, progress)
    for name, (title, case) in FIGURES.items():
        draw_actions(folder / name, title, case, results.runs[case])
    numbers = Numbers(results, scale)
    parts = [
        _head(results, scale),
        claims(numbers),
        opponents_table(numbers, 2, "credits", "Performance with the credits-only reward"),
        opponents_table(numbers, 3, "weighted", "Performance with the weighted reward"),
        seats_table(numbers),
        deep_table(numbers, checkpoints),
        exploration(numbers),
        _figures(),
        code_facts(scale),
        betting(numbers),
        information(numbers),
    ]
    return [write_page(folder, parts), *(folder / name for name in FIGURES)]


def _head(results: Results, scale: Scale) -> str:
    seconds = np.mean([run.seconds for run in results.runs[CREDITS]])
    return f"""# Corellian Spike: the paper's tables, rerun

Made by `cardgym reproduce corellian-spike` (seed {scale.base_seed}); do not edit by hand.

Torres, Nee and Cortinovis (2023) train policies by batch Q-learning and report tables 2, 3 and 4. This page compares
every cell with ours. Ours are means of {scale.seeds} training runs (different seeds) with 95 % intervals (Student's t over the runs),
{scale.games:,} games for each match where the paper has 2,000; busts are given for 2,000 games. All figures are for the policy
of iteration {scale.iterations}: credits won per game, share of hands won, and the number of games it ended without credits.
"Published" explores like the paper's program, "legal" explores all legal actions; [batch Q-learning](../../algorithms/more.md#batch-q-learning)
describes the algorithm. One run took {seconds:.0f} s of processor time here, compared with 1.5 to 10 hours in the paper
("Strategy Search"); this whole page
took {results.processor_seconds / 60:.1f} minutes of processor time.
"""


def _figures() -> str:
    """The section of the paper's appendix."""
    return section(
        "The appendix: action distributions",
        "Each image shows a case's figures as rows (decision 1, 2, 3) with a panel for each round: the paper's nine, and "
        "three for the legal exploration. The scale is logarithmic because most shares are small. Solid lines are the "
        "paper's measure, over all enumerated states; dotted lines are over the states visited in training. Lines are means "
        "of the runs, with 95 % intervals as bands.",
        *(f"![{title}]({name})" for name, (title, _) in FIGURES.items()),
    )


def main(words: list[str]) -> int:
    """Train and play everything, and write the page and its figures; the exit code."""
    parser = page_parser("corellian-spike", __doc__, 10_000, "match")
    add_deep(parser, CHECKPOINTS)
    parser.add_argument("--processes", type=whole(1, 64), default=2, metavar="N", help="processes to use (2)")

    def write(given: Namespace, progress: Report) -> list[Path]:
        scale = Scale(games=given.games, base_seed=given.seed, processes=given.processes)
        return write_results(given.out, scale, deep_paths(given.deep, CHECKPOINTS), progress)

    return reproduce(parser, words, "tasks", write)
