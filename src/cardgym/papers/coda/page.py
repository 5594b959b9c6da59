"""Reproduce the paper on Coda: both tables and the losses of figures 6 and 7, with the highest win rate possible.

Ma, Zeng and Zhang, "CS238: Reinforcement Learning for solving Coda Game" (2019). The page also shows what the paper's
win rates of 0.839 and 0.963 come from.
"""

# ruff: noqa: E501  # Lines of prose as the page has them.

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from cardgym.console.progress import Progress
from cardgym.console.tables import markdown_table
from cardgym.papers.coda.claims import claims, performance
from cardgym.papers.coda.networks import BUDGET, draw_losses
from cardgym.papers.coda.references import OPPONENTS
from cardgym.papers.coda.results import (
    PAPER,
    READING_GAMES,
    FewDeals,
    FewTiles,
    Reading,
    Results,
    measure,
    solved,
    table_bounds,
)
from cardgym.papers.coda.runs import ALGORITHMS, Scale
from cardgym.papers.pages import page_parser, reproduce, section, write_page
from cardgym.statistics import Z95, mean_estimate

CHECKPOINTS = "checkpoints/coda/d*.safetensors"
"""The checkpoints evaluated unless others are named: those for the paper's preset, not `official_...`."""

FIGURES = {"DQN": "loss_dqn.png", "double DQN": "loss_double_dqn.png"}
"""The pictures by algorithm."""


def write_results(
    folder: Path, scale: Scale, base_seed: int, checkpoints: Sequence[Path], progress: Progress
) -> list[Path]:
    """Train and evaluate everything, and write the page and its pictures; returns the files, the page first."""
    results = measure(scale, base_seed, checkpoints, progress)
    for name, curves in results.curves.items():
        draw_losses(folder / FIGURES[name], f"{name}, {scale.network_games:,} games, full observation", curves)
    parts = [
        _head(results),
        _settings(results.scale),
        claims(results),
        performance(results),
        _readings(results.readings),
        _few_deals(results),
        _few_tiles(results),
        _losses(results),
        _references(results),
    ]
    return [write_page(folder, parts), *(folder / file for file in FIGURES.values())]


def _head(results: Results) -> str:
    games = results.scale.games
    half = 100 * Z95 * math.sqrt(0.25 / games)
    return f"""# Coda: the paper's results, rerun

Made by `cardgym reproduce coda`; do not edit by hand.

Ma, Zeng and Zhang (2019) report how often five methods beat a random player. We train them for as many games as the
paper, and for longer, and evaluate them on {games:,} fresh deals a seed (seeds {", ".join(map(str, results.seeds))}), moving first. Such a share has an interval of at
most ±{half:.1f} points (95 %). The paper tested on 200 games, the heuristic on {READING_GAMES:,}. **No player wins more than
{solved()["optimum"]:.5f}** ([solved exactly](#known-values-one-tile-each)): a higher rate is luck, a leak, or deals seen in training.
"""


def _settings(scale: Scale) -> str:
    return f"""## Set-up

All games have 24 tiles, one for each player at the start. The paper gives the numbers of training games, and the states
and rewards of the tables. The rest is our choice:

- **Q-learning and Sarsa**, {scale.tabular_games:,} games: a table over the paper's bits, with rewards of ±10 for a guess and ±10,000 for the
  game; alpha 0.1, gamma 0.9, epsilon 1 to 0.05.
- **DQN and double DQN**, {scale.network_games:,} games: {BUDGET.hidden_sizes[0]} hidden units; Adam with {BUDGET.learning_rate:g}; gamma {BUDGET.gamma}; an update for every {BUDGET.train_frequency}
  decisions; epsilon 1 to {BUDGET.exploration_final_eps}; rewards of +1 and -1; Huber's loss, where the paper squares; targets from a copy
  {BUDGET.target_update_interval} updates old. As in the paper, all that was met is kept.

The paper gives all methods the rewards of the tables, and its double DQN (its section 4.5) trains two networks, each
from the other's value of its own best action (Hasselt 2010), where today's double DQN takes the target from an
older copy (van Hasselt, Guez and Silver 2016). The table has both, on the paper's bits.
"""


# -- where the paper's numbers come from ------------------------------------------------------------------------------


def _readings(readings: Sequence[Reading]) -> str:
    paper = PAPER["heuristic"]
    half_width = Z95 * math.sqrt(paper * (1 - paper) / READING_GAMES)
    rows = [
        (
            row.name, f"{row.heuristic:.5f}", f"{row.standard_errors:+.1f}",
            f"{sum(row.measured) / len(row.measured):.4f}", _verdict(row),
        )
        for row in readings
    ]  # fmt: skip
    agreeing = [row.name for row in readings if _verdict(row) == "agrees"]
    conclusion = f"What agrees: {'; '.join(agreeing)}." if agreeing else "None agrees."
    return section(
        f"Which reading of the rules gives the heuristic's {paper}",
        f"The paper's heuristic played {READING_GAMES:,} games, a 95 % interval of ±{half_width:.4f}. Our heuristic's exact "
        "win rate by reading, how many standard errors away the paper's number is, and the mean of as many games of ours "
        "for each seed. Within 1.96 standard errors a reading agrees, within 3 it is unlikely, beyond that it is ruled out:",
        markdown_table(("reading", "exact", f"{paper} differs by", "ours", "so the reading"), rows),
        f"{conclusion} That reading is the preset of `Coda-v0`.",
    )


def _verdict(row: Reading) -> str:
    return "agrees" if abs(row.standard_errors) < Z95 else "unlikely" if abs(row.standard_errors) < 3 else "ruled out"


def _few_deals(results: Results) -> str:
    scale = results.scale
    nearest = min(results.few_deals, key=_distance_from_paper)
    means = " and ".join(f"{mean:.3f}" for mean in _means(nearest))
    fresh = [sum(rates) / len(rates) for row in results.few_deals for rates in row.on_fresh_deals.values()]
    return section(
        "How 0.963 and 0.965 can come about",
        f"{scale.tabular_games:,} training games as in the paper, but on the same few deals (tiles and draw order) again and "
        f"again, with new guesses by the opponent each time. Then {scale.test_games:,} games on those deals and on as many "
        "fresh ones; means of the seeds. The paper has 0.963 for Q-learning and 0.965 for Sarsa.",
        markdown_table(
            ("deals", *(f"{name} on them" for name in ALGORITHMS.values())),
            [[str(row.num_deals), *(f"{mean:.3f}" for mean in _means(row))] for row in results.few_deals],
        ),
        f"Nearest to the paper are {nearest.num_deals} deals, with {means}. On fresh deals the same tables win "
        f"{min(fresh):.3f} to {max(fresh):.3f}. So the paper's numbers for Q-learning and Sarsa, higher than any player can reach, can come about by "
        "training and testing on the same deals; how many deals was chosen here to match them. Its 0.895 and 0.915 for the networks also exceed the maximum, but by less than "
        "200 games can resolve (±0.04); on fresh deals its 2,000 games are far from enough for either.",
    )


def _means(row: FewDeals) -> list[float]:
    """Return the mean win rate of each algorithm on the deals that it learned from."""
    return [sum(row.on_them[algorithm]) / len(row.on_them[algorithm]) for algorithm in ALGORITHMS]


def _distance_from_paper(row: FewDeals) -> float:
    means = zip(ALGORITHMS, _means(row), strict=True)
    return sum(abs(mean - PAPER[ALGORITHMS[algorithm]]) for algorithm, mean in means)


# -- fewer tiles, and losses ------------------------------------------------------------------------------------------


def _few_tiles(results: Results) -> str:
    bounds = table_bounds()
    return section(
        "Fewer tiles: where tables converge",
        "The same learners on the same bits with fewer tiles. A table cannot see colors or past misses, so the bounds with "
        "colors hidden apply to it: the heuristic, which forgets misses, and the best possible player. The last column is "
        "the best possible player that sees colors.",
        markdown_table(
            ("tiles", "decisions", "states met", "Q-learning", "Sarsa", "heuristic", "best", "best with colors"),
            [_few_tiles_row(row) for row in results.few_tiles],
        ),
        f"With 24 tiles those bounds are {bounds[0]:.3f} and {bounds[1]:.3f}: even a complete "
        "table, trained forever, would stay below the heuristic that sees colors.",
    )


def _few_tiles_row(row: FewTiles) -> list[str]:
    shares = [*row.rates, *row.exact]
    return [str(row.n), f"{row.decisions:,}", f"{row.states:,}", *(f"{share:.3f}" for share in shares)]


def _losses(results: Results) -> str:
    return section(
        "The paper's figures 6 and 7: losses",
        f"Each run is drawn faintly, and the mean of {len(results.seeds)} runs strongly. The loss is Huber's with rewards of "
        "+1 and -1, so its scale differs from the paper's.",
        "The loss rises although play improves: about three quarters of it comes from final transitions, how a game ends is "
        "largely chance, and early on the network memorizes how the few games in its buffer ended.",
        *(f"![Loss of {name}]({file})" for name, file in FIGURES.items()),
    )


def _references(results: Results) -> str:
    """Return the section on the paper's first and third reference."""
    scale, full, nfsp = results.scale, results.walk_sizes[-1], results.nfsp
    gap = mean_estimate(nfsp.exploitability)
    met = [mean_estimate([100 * rate for rate in nfsp.rates[opponent]]) for opponent in OPPONENTS]
    return section(
        "Deep CFR and NFSP",
        "**Deep CFR**, the paper's first reference. Brown, Lerer, Gross and Sandholm (2018) walk the game over and over, try "
        "all actions of one seat, sample those of the other and of chance, and train networks on the regrets: 10,000 walks an "
        "iteration in their experiments. How many of its own decisions such a walk visits at Coda, estimated without bias from "
        f"{scale.test_games:,} random games (Knuth 1975):",
        markdown_table(
            ("tiles", "median of the estimates", "mean"),
            [[str(size.n), f"{size.median:,.0f}", f"{size.mean:,.0f}"] for size in results.walk_sizes],
        ),
        f"At ten million decisions a second, one walk of the mean's size takes {full.mean / 1e7 / 60:,.1f} minutes. So Deep CFR "
        "as published was not run; it would need walks that do not try all actions.",
        "In `CodaMini-v0`, with six tiles and 4,176 information sets, the same walks need no network. Their regrets in a "
        "table come this near to an equilibrium (exploitability in games won minus lost, exact):",
        markdown_table(
            ("learner", "decisions", "exploitability"),
            [
                *(
                    [
                        f"{row.walks:,} walks for each seat" if row.walks else "uniform",
                        f"{row.decisions:,}",
                        f"{row.exploitability:.4f}",
                    ]
                    for row in results.walked
                ),
                ["NFSP", f"{scale.mini_decisions:,}", gap.text(".4f")],
            ],
        ),
        "**NFSP**, its third. Heinrich and Silver's neural fictitious self-play "
        "([how it learns](../../algorithms/more.md#neural-fictitious-self-play)) ran in the smallest game, in the last row "
        f"above, and with all 24 tiles: {scale.self_play_decisions:,} decisions in both seats, on the observation `full`, "
        f"with the settings of the [benchmark](../../algorithms/README.md). Means of {len(nfsp.exploitability)} seeds, percent of "
        f"{scale.games:,} games won, moving first:",
        markdown_table(
            ("NFSP against", "wins, %"),
            [[f"`{name}`", one.text(".1f")] for name, one in zip(OPPONENTS, met, strict=True)],
        ),
        "It never meets `random` while it learns; the networks of the table of performance meet nobody else.",
        f"This page took {results.seconds:,.0f} s of processor time.",
    )


def main(words: list[str]) -> int:
    """Train and evaluate everything, and write the page and its pictures; the exit code."""
    parser = page_parser("coda", __doc__, 100_000, "evaluation")
    parser.add_argument(
        "--deep", type=Path, action="append", metavar="PATH",
        help=f"a checkpoint to evaluate too; may be repeated ({CHECKPOINTS})",
    )  # fmt: skip

    def write(given: Namespace, progress: Progress) -> list[Path]:
        checkpoints = sorted(Path().glob(CHECKPOINTS)) if given.deep is None else given.deep
        return write_results(given.out, Scale(games=given.games), given.seed, checkpoints, progress)

    return reproduce(parser, words, "experiments", write)
