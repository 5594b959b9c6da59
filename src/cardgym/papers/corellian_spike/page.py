"""Reproduce the paper on Corellian Spike: tables 2, 3 and 4, the figures of the appendix, and which claims hold."""

# ruff: noqa: E501  # Lines of prose as the page has them.

from __future__ import annotations

from pathlib import Path

import numpy as np

from cardgym.console.progress import Progress
from cardgym.papers.corellian_spike.charts import draw_actions
from cardgym.papers.corellian_spike.experiments import Results, run_all
from cardgym.papers.corellian_spike.findings import claims, code_facts, exploration, recorded_games
from cardgym.papers.corellian_spike.future import future_work, related_work
from cardgym.papers.corellian_spike.numbers import Numbers
from cardgym.papers.corellian_spike.runs import CREDITS, FOUR, WEIGHTED, Scale, in_way
from cardgym.papers.corellian_spike.tables import explained, opponents_table, seats_table
from cardgym.papers.pages import page_parser, reproduce, section, write_page

FIGURES = {
    "actions_credits.png": ("Two players, credits-only reward", in_way(CREDITS, "program")),
    "actions_weighted.png": ("Two players, weighted reward", in_way(WEIGHTED, "program")),
    "actions_four_players.png": ("Four players, weighted reward", in_way(FOUR, "program")),
    "actions_legal.png": ("Two players, credits-only reward, legal exploration", in_way(CREDITS, "legal")),
}


def write_results(folder: Path, scale: Scale, progress: Progress) -> list[Path]:
    """Train and evaluate everything, and write the page and its figures; returns the files."""
    results = run_all(scale, progress)
    for name, (title, case) in FIGURES.items():
        draw_actions(folder / name, title, results.runs[case])
    numbers, recorded = Numbers(results, scale), recorded_games(scale)
    parts = [
        _head(results, scale),
        claims(numbers, recorded),
        opponents_table(numbers, 2, "performance with the credits-only reward"),
        opponents_table(numbers, 3, "performance with the weighted reward"),
        seats_table(numbers),
        explained(numbers),
        exploration(numbers),
        _figures(),
        code_facts(recorded),
        future_work(numbers),
        related_work(numbers),
    ]
    return [write_page(folder, parts), *(folder / name for name in FIGURES)]


def _head(results: Results, scale: Scale) -> str:
    seconds = np.mean([run.seconds for run in results.runs[CREDITS]])
    return f"""# Corellian Spike: the paper's tables, rerun

Made by `cardgym reproduce corellian-spike` (seed {scale.base_seed}); do not edit by hand.

Torres, Nee and Cortinovis (2023) train policies by batch Q-learning and report tables 2, 3 and 4. This page compares
every cell but those of their human player with ours. Ours are means of {scale.seeds} training runs (different seeds) with 95 % intervals (Student's t over the runs),
{scale.games:,} games for each match; busts are given for 2,000 games. All figures are for the policy
of iteration {scale.iterations}: credits won per game, share of hands won, and the number of games it ended without credits.
[Batch Q-learning](#batch-q-learning) describes the algorithm. One run took {seconds:.0f} s of processor time here, compared with 1.5 to 10 hours in the paper
("Strategy Search"); this whole page took {results.processor_seconds / 60:.1f} minutes of processor time. Every case runs in four ways:

- `published`: the paper's 62 cards, and the exploration of its program.
- `program`: the program's 65 cards, of which five are 0s (`zeros=5`), and its records (`recording=published`), which leave
  out most losses ([where it differs from the text](#where-the-papers-program-differs-from-its-text)).
- `65 cards`: the program's cards without its records, for [what each way explains](#which-of-the-papers-numbers-each-way-explains).
- `legal`: 62 cards, exploring all legal actions, as the paper's text has it.
"""


def _figures() -> str:
    """Return the section of the paper's appendix."""
    return section(
        "The appendix: action distributions",
        "Each image shows a case's figures as rows (decision 1, 2, 3) with a panel for each round: the paper's nine (figures "
        "4 to 12) in the way `program`, and three for the legal exploration. The scale is logarithmic because most shares are "
        "small. Solid lines are the paper's measure, over all enumerated states; dotted lines are over the states visited in "
        "training. Lines are means of the runs, with 95 % intervals as bands.",
        *(f"![{title}]({name})" for name, (title, _) in FIGURES.items()),
    )


def main(words: list[str]) -> int:
    """Train and play everything, and write the page and its figures; the exit code."""
    return reproduce(
        page_parser("corellian-spike", __doc__, 2000, "match"), words, "tasks",
        lambda given, progress: write_results(given.out, Scale(games=given.games, base_seed=given.seed), progress),
    )  # fmt: skip
