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

from cardgym.console.tables import markdown_table
from cardgym.papers.coda.networks import BUDGET, draw_losses
from cardgym.papers.coda.results import (
    PAPER_WIN_RATES,
    READING_GAMES,
    FewDeals,
    FewTiles,
    Performance,
    Reading,
    Results,
    measure,
)
from cardgym.papers.coda.runs import ALGORITHMS, Scale
from cardgym.papers.pages import Report, add_deep, deep_paths, page_parser, reproduce, section, write_page
from cardgym.statistics import Z95

CHECKPOINTS = "checkpoints/coda/d*.safetensors"
"""The checkpoints evaluated unless others are named: those for the paper's preset, not `official_...`."""

FIGURES = {"DQN": "loss_dqn.png", "double DQN": "loss_double_dqn.png"}
"""The pictures by algorithm."""

PAPER_SECONDS = {
    "heuristic": "6.43",
    "q_learning": "11.58",
    "sarsa": "13.73",
    "DQN": "18 / 32",
    "double DQN": "25 / 128",
}
"""The paper's second table: running time in seconds; of the networks, at either batch size."""

PAPER_TEST_GAMES = 200

LOSS_RISES = (
    "The loss rises although play improves. About three quarters of it comes from final transitions, and how a game ends "
    "is largely chance. At first the replay buffer holds few games, samples each often, and the network memorizes many of "
    "their results; as the buffer fills, it samples each less often. Better play also ends games sooner, so samples contain "
    "more final transitions."
)
"""Why; measured by the samples' own losses before each update."""


def write_results(
    folder: Path, scale: Scale, base_seed: int = 0, checkpoints: Sequence[Path] = (), progress: Report | None = None
) -> list[Path]:
    """Train and evaluate everything, and write the page and its pictures; see `measure`.

    Returns:
        The files written, the page first.

    Raises:
        CardgymError: for a checkpoint of another kind, or if a file cannot be written.
    """
    results = measure(scale, base_seed, checkpoints, progress)
    for name, curves in results.curves.items():
        draw_losses(folder / FIGURES[name], f"{name}, {scale.network_games:,} games, full observation", curves)
    parts = [
        _head(results),
        _settings(results.scale),
        _claims(results),
        _performance(results),
        _readings(results.readings),
        _few_deals(results),
        _few_tiles(results),
        _losses(results),
        _deep_cfr(results),
    ]
    return [write_page(folder, parts), *(folder / file for file in FIGURES.values())]


def _head(results: Results) -> str:
    games = results.scale.games
    half = 100 * Z95 * math.sqrt(0.25 / games)
    return f"""# Coda: the paper's results, rerun

Made by `cardgym reproduce coda`; do not edit by hand.

Ma, Zeng and Zhang (2019) report how often five methods beat a random player. We train them for as many games as the
paper, and for longer, and evaluate them on {games:,} fresh deals a seed (seeds {", ".join(map(str, results.seeds))}), moving first. Such a share has an interval of at
most ±{half:.1f} points (95 %). The paper tested on {PAPER_TEST_GAMES} games, the heuristic on {READING_GAMES:,}. **No player wins more than
{results.optimum:.5f}** (`cardgym coda-solve`): a higher rate is luck, a leak, or deals seen in training.
"""


def _settings(scale: Scale) -> str:
    return f"""## Set-up

All games have 24 tiles, one for each player at the start. The paper gives the numbers of training games, and the states
and rewards of the tables. The rest is our choice:

- **Q-learning and Sarsa**, {scale.tabular_games:,} games: a table over the paper's bits, with rewards of ±10 for a guess and ±10,000 for the
  game; alpha 0.1, gamma 0.9, epsilon 1 to 0.05.
- **DQN and double DQN**, {scale.network_games:,} games: {BUDGET.hidden_sizes[0]} hidden units; Adam with {BUDGET.learning_rate:g}; gamma {BUDGET.gamma}; an update for every {BUDGET.train_frequency}
  decisions; epsilon 1 to {BUDGET.exploration_final_eps}; rewards of +1 and -1.

The paper gives all methods the rewards of the tables, and its double DQN (its section 4.5) trains two networks, each
from the other's value of its own best action (Hasselt 2010), where today's takes the target from an older copy
(van Hasselt, Guez and Silver 2016). The table has both, on the paper's bits.
"""


# -- claims -----------------------------------------------------------------------------------------------------------


def _claims(results: Results) -> str:
    """The claims of the paper's section 5 and of its abstract, each with a verdict."""
    rows = {row.approach: row for row in reversed(results.performance) if row.paper}
    heuristic, q, sarsa = (_range(rows[name]) for name in ("heuristic", "Q-learning", "Sarsa"))
    networks = [row for row in results.performance if row.paper in FIGURES and ", full, " in row.training]
    half = len(networks) // 2  # Those of DQN, then those of double DQN with the same batch sizes.
    pairs = [
        (double.training.rpartition(", ")[2], _range(double), _range(single))
        for single, double in zip(networks[:half], networks[half:], strict=True)
    ]
    weakest = (min(low for low, _ in map(_range, networks)), max(high for _, high in map(_range, networks)))
    half_width = Z95 * math.sqrt(0.25 / results.scale.games)
    own = {
        row.approach: _range(row)
        for row in results.performance
        if row.training.endswith(f"paper, batch {results.scale.batch_sizes[0]}, the paper's rewards")
    }
    states = next(row.training for row in results.performance if row.paper is None)
    table = [
        ("Q-learning and Sarsa perform very closely", "holds" if max(q[1], sarsa[1]) - min(q[0], sarsa[0]) < 0.01 else "fails", f"{_text(q)} and {_text(sarsa)}"),
        ("They perform best of all", _above(min(q, sarsa), heuristic), f"the heuristic {_text(heuristic)}"),
        *((f"Double DQN is better than DQN ({size})", _above(one, other), f"{_text(one)} against {_text(other)}") for size, one, other in pairs),
        *(
            (f"{name[0].upper()}{name[1:]} is better than DQN (the paper's bits and rewards)", _above(rates, own["DQN"]), f"{_text(rates)} against {_text(own['DQN'])}")
            for name, rates in own.items() if name != "DQN"
        ),
        ("The heuristic is the worst of the five", _above(min(q, sarsa, weakest), heuristic), f"networks {_text(weakest)}"),
        ("All approaches win against random play", _above(min(q, sarsa, weakest), (0.5 - half_width, 0.5 + half_width)), f"tables {_text(min(q, sarsa))}, networks {_text(weakest)}"),
        ("Double DQN takes longer, for its second network", _above(_seconds(networks[half]), _seconds(networks[0])), f"{_text(_seconds(networks[half]), 1)} s against {_text(_seconds(networks[0]), 1)} s"),
        ("The state space is not large: tables can learn the value of all its states", "fails", f"after {states}, half of the games are still lost"),
        ("With larger spaces deep methods show their advantage", _above(weakest, max(q, sarsa)), f"already with 24 tiles: networks {_text(weakest)}, tables {_text(max(q, sarsa))}"),
        ("Abstract: the best agent outperforms the benchmark by five percent", "contradicts its own table", "0.965 - 0.839 is 12.6 points; 0.895 - 0.839, of DQN, is 5.6"),
    ]  # fmt: skip
    return section(
        "The paper's claims",
        "By the lowest and the highest of the seeds: one method is better than another if its lowest share is above the "
        "other's highest (**holds**), worse if its highest is below the other's lowest (**fails**), and otherwise the claim "
        'stays **open**. "Very closely" is within a point; a half of the games is one give or take the interval of a share.',
        markdown_table(("claim", "verdict", "ours, on fresh deals"), [list(row) for row in table]),
    )


def _range(row: Performance) -> tuple[float, float]:
    rates = [rate.value for rate in row.rates]
    return min(rates), max(rates)


def _seconds(row: Performance) -> tuple[float, float]:
    seconds = row.training_seconds or [0.0]
    return min(seconds), max(seconds)


def _text(ends: tuple[float, float], digits: int = 3) -> str:
    return f"{ends[0]:.{digits}f} to {ends[1]:.{digits}f}"


def _above(one: tuple[float, float], other: tuple[float, float]) -> str:
    """Whether it holds that the first range lies above the other."""
    return "holds" if one[0] > other[1] else "fails" if one[1] < other[0] else "open"


# -- performance ------------------------------------------------------------------------------------------------------


def _performance(results: Results) -> str:
    missing = "No checkpoint of a network trained to convergence was given; `--deep FILE` adds its row."
    return section(
        "Performance",
        "Share of games won: ours is the mean of the seeds, with the lowest and the highest. Networks read the observation "
        "`full`, or the paper's bits (`paper`).",
        markdown_table(
            ("approach", "training", "paper", "paper's time (s)", "ours, on fresh deals", "our time (s)"),
            [_performance_row(row) for row in results.performance],
        ),
        "Times are for training, but the heuristic's are for playing 10,000 games in the paper and 100,000 here. The "
        "paper's times come from its own machine.",
        "However long they train, tables learn almost nothing about fresh deals: nearly every state is visited once. With "
        "fewer tiles (below) the same learners converge.",
        *([] if results.has_checkpoints else [missing]),
    )


def _performance_row(row: Performance) -> list[str]:
    rates = [rate.value for rate in row.rates]
    share = f"{sum(rates) / len(rates):.3f} ({min(rates):.3f} to {max(rates):.3f})"
    if row.training_seconds is None:
        time = f"{min(rate.seconds for rate in row.rates):.1f} to play"
    else:
        time = f"{min(row.training_seconds):.1f} to {max(row.training_seconds):.1f}"
    paper = (str(PAPER_WIN_RATES[row.paper]), str(PAPER_SECONDS[row.paper])) if row.paper else ("", "")
    return [row.approach, row.training, *paper, share, time]


# -- where the paper's numbers come from ------------------------------------------------------------------------------


def _readings(readings: Sequence[Reading]) -> str:
    paper = PAPER_WIN_RATES["heuristic"]
    half_width = Z95 * math.sqrt(paper * (1 - paper) / READING_GAMES)
    rows = [
        (
            row.name, f"{row.heuristic:.5f}", f"{row.standard_errors:+.1f}",
            f"{sum(row.measured) / len(row.measured):.4f}", _verdict(row),
        )
        for row in readings
    ]  # fmt: skip
    agreeing = [row.name for row in readings if _verdict(row) == "agrees"]
    conclusion = f"So the paper's rules are: {'; '.join(agreeing)}." if agreeing else "None agrees."
    return section(
        f"Which reading of the rules gives the heuristic's {paper}",
        f"The paper's heuristic played {READING_GAMES:,} games, a 95 % interval of ±{half_width:.4f}. Our heuristic's exact "
        "win rate by reading, how many standard errors away the paper's number is, and the mean of as many games of ours "
        "for each seed:",
        markdown_table(("reading", "exact", f"{paper} differs by", "ours", "verdict"), rows),
        f"{conclusion} That reading is the preset of `Coda-v0`.",
    )


def _verdict(row: Reading) -> str:
    return "agrees" if abs(row.standard_errors) < Z95 else "unlikely" if abs(row.standard_errors) < 3 else "ruled out"


def _few_deals(results: Results) -> str:
    scale = results.scale
    nearest = min(results.few_deals, key=_distance_from_paper)
    means = " and ".join(f"{mean:.3f}" for mean in _means(nearest))
    head = ("deals", *(f"{name} on {deals}" for deals in ("them", "fresh deals") for name in ALGORITHMS.values()))
    return section(
        "How 0.963 and 0.965 can come about",
        f"{scale.tabular_games:,} training games as in the paper, but on the same few deals (tiles and draw order) again and "
        f"again, with new guesses by the opponent each time. Then {scale.test_games:,} games on those deals and on as many "
        "fresh ones; means of the seeds. The paper has 0.963 for Q-learning and 0.965 for Sarsa.",
        markdown_table(head, [_few_deals_row(row) for row in results.few_deals]),
        f"Nearest to the paper are {nearest.num_deals} deals, with {means}. On fresh deals the same tables play no better "
        "than random. So the paper's numbers for Q-learning and Sarsa, higher than any player can reach, can come about by "
        "training and testing on the same deals; how many deals was chosen here to match them. Its 0.895 and 0.915 for the networks also exceed the maximum, but by less than "
        "200 games can resolve (±0.04); on fresh deals its 2,000 games are far from enough for either.",
    )


def _few_deals_row(row: FewDeals) -> list[str]:
    columns = [rates[algorithm] for rates in (row.on_them, row.on_fresh_deals) for algorithm in ALGORITHMS]
    return [str(row.num_deals), *(f"{sum(rates) / len(rates):.3f}" for rates in columns)]


def _means(row: FewDeals) -> list[float]:
    """The mean win rate of each algorithm on the deals that it learned from."""
    return [sum(row.on_them[algorithm]) / len(row.on_them[algorithm]) for algorithm in ALGORITHMS]


def _distance_from_paper(row: FewDeals) -> float:
    means = zip(ALGORITHMS, _means(row), strict=True)
    return sum(abs(mean - PAPER_WIN_RATES[algorithm]) for algorithm, mean in means)


# -- fewer tiles, and losses ------------------------------------------------------------------------------------------


def _few_tiles(results: Results) -> str:
    return section(
        "Fewer tiles: where tables converge",
        "The same learners on the same bits with fewer tiles. A table cannot see colors or past misses, so the bounds with "
        "colors hidden apply to it: the heuristic, which forgets misses, and the best possible player. The last column is "
        "the best possible player that sees colors.",
        markdown_table(
            ("tiles", "decisions", "states met", "Q-learning", "Sarsa", "heuristic", "best", "best with colors"),
            [_few_tiles_row(row) for row in results.few_tiles],
        ),
        f"With 24 tiles those bounds are {results.bounds[0]:.3f} and {results.bounds[1]:.3f}: even a complete "
        "table, trained forever, would stay below the heuristic that sees colors.",
    )


def _few_tiles_row(row: FewTiles) -> list[str]:
    shares = [*(rate.value for rate in row.rates), *row.exact]
    return [str(row.n), f"{row.decisions:,}", f"{row.states:,}", *(f"{share:.3f}" for share in shares)]


def _losses(results: Results) -> str:
    return section(
        "The paper's figures 6 and 7: losses",
        f"Each run is drawn faintly, and the mean of {len(results.seeds)} runs strongly. The loss is Huber's with rewards of "
        "+1 and -1, so its scale differs from the paper's.",
        LOSS_RISES,
        *(f"![Loss of {name}]({file})" for name, file in FIGURES.items()),
    )


def _deep_cfr(results: Results) -> str:
    """The section on the paper's first reference."""
    full = results.walk_sizes[-1]
    return section(
        "Deep CFR, the paper's first reference",
        "Brown, Lerer, Gross and Sandholm (2018) walk the game over and over, try all actions of one seat, sample those of "
        "the other and of chance, and train networks on the regrets: 10,000 walks an iteration in their experiments. How "
        f"many of its own decisions such a walk visits at Coda, estimated without bias from {results.scale.test_games:,} random "
        "games (Knuth 1975):",
        markdown_table(
            ("tiles", "median of the estimates", "mean"),
            [[str(size.n), f"{size.median:,.0f}", f"{size.mean:,.0f}"] for size in results.walk_sizes],
        ),
        f"Half of the estimates at {full.n} tiles are above {full.median:,.0f} decisions, and their mean, which few games "
        "decide, is far higher. At ten million decisions a second, one walk of the mean's size takes "
        f"{full.mean / 1e7 / 60:,.1f} minutes. So Deep CFR as published was not run; it would need walks that do not try "
        "all actions.",
        "In `CodaMini-v0`, with six tiles and 4,176 information sets, the same walks need no network. Their regrets in a "
        "table come this near to an equilibrium (exploitability in games won minus lost, exact):",
        markdown_table(
            ("walks for each seat", "decisions", "exploitability"),
            [[f"{row.walks:,}", f"{row.decisions:,}", f"{row.exploitability:.4f}"] for row in results.walked],
        ),
        f"This page took {results.seconds:,.0f} s of processor time.",
    )


def main(words: list[str]) -> int:
    """Train and evaluate everything, and write the page and its pictures; the exit code."""
    parser = page_parser("coda", __doc__, 100_000, "evaluation")
    add_deep(parser, CHECKPOINTS)

    def write(given: Namespace, progress: Report) -> list[Path]:
        checkpoints = deep_paths(given.deep, CHECKPOINTS)
        return write_results(given.out, Scale(games=given.games), given.seed, checkpoints, progress)

    return reproduce(parser, words, "experiments", write)
