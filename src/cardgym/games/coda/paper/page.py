"""docs/results/coda.md: the paper's two tables beside ours, where 0.839 and 0.963 come from, and the loss curves."""

# ruff: noqa: E501  # Lines of prose, as they stand on the page.

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from cardgym.files import replacing
from cardgym.games.coda.paper.networks import Budget, TrainedNetwork, draw_losses, train_network
from cardgym.games.coda.paper.runs import (
    ALGORITHMS,
    Deep,
    Plan,
    Rate,
    coda,
    deep_rows,
    fresh,
    learn_games,
    learn_long,
    on_deals,
)
from cardgym.games.coda.solve import solve
from cardgym.players.base import Player

PAPER = {
    "heuristic": (0.839, "6.43"),
    "q_learning": (0.963, "11.58"),
    "sarsa": (0.965, "13.73"),
    "DQN": (0.895, "18 / 32"),
    "double DQN": (0.915, "25 / 128"),
}
"""The paper's second table: win rate in 200 games (10,000 of the heuristic's) and running time in seconds."""

PAPER_TEST_GAMES = 200
FIGURES = {"DQN": "coda_loss_dqn.png", "double DQN": "coda_loss_double_dqn.png"}
READINGS: dict[str, dict[str, int | str]] = {
    "agent first, colours visible, names what it does not see": {},
    "agent second": {"first": "1"},
    "who begins drawn by lot": {"first": "random"},
    "colours hidden": {"colour_visible": "no"},
    "agent second, colours hidden": {"first": "1", "colour_visible": "no"},
    "both name any of the 24 tiles": {"feasible": "all"},
}
"""Readings of the rules, by what differs from the first."""

Progress = Callable[[int, int], None] | None


@cache
def solved(**settings: int | str) -> dict[str, Any]:
    """What `cardgym solve` finds for the paper's preset with some settings changed."""
    return solve(coda(**settings))


class _Steps:
    """Tells how many tasks are done."""

    def __init__(self, total: int, progress: Progress) -> None:
        self._done, self._total, self._progress = 0, total, progress

    def one(self) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(min(self._done, self._total), self._total)


def write_results(
    folder: Path, plan: Plan, base_seed: int = 0, deep: Sequence[Path] = (), progress: Progress = None
) -> list[Path]:
    """Train and evaluate everything, and write the page and its figures.

    Args:
        folder: where to.
        plan: how much is done.
        base_seed: added to the plan's seeds.
        deep: checkpoints of networks trained to convergence.
        progress: told the tasks done and the tasks in all.

    Returns:
        The files written.

    Raises:
        CardgymError: for a checkpoint of another kind, or where a file cannot be written.
    """
    start = time.process_time()
    seeds = tuple(base_seed + seed for seed in plan.seeds)
    budgets = [
        Budget(double=double, observation=observation, batch_size=size, games=plan.network_games)
        for observation, sizes in (("full", plan.batch_sizes), ("paper", plan.batch_sizes[:1]))
        for double in (False, True)
        for size in sizes
    ]
    each = len(seeds)
    steps = _Steps(
        len(READINGS) + each * (2 * len(ALGORITHMS) + len(budgets) + len(plan.counts) * len(ALGORITHMS))
        + len(plan.small) * len(ALGORITHMS), progress
    )  # fmt: skip
    deep_found = deep_rows(deep, plan)  # A bad checkpoint is told now, not after a quarter of an hour.
    readings = _readings(plan, seeds, steps)
    rows = [_row("heuristic", "no training", [fresh("heuristic", plan, seed) for seed in seeds], "heuristic")]
    rows += _tables(plan, seeds, steps)
    networks, network_rows = _networks(plan, budgets, seeds, steps)
    rows += network_rows + [_deep_row(found) for found in deep_found]
    bayes = [fresh("bayes", plan, seed) for seed in seeds]
    rows.append(_row("bayes", "none: exact probabilities", bayes))
    parts = [
        _HEAD.format(
            games=plan.games, seeds=", ".join(map(str, seeds)), ceiling=solved()["optimum"], test=PAPER_TEST_GAMES
        ),
        _settings(plan, budgets[0]),
        "\n".join([_PERFORMANCE, *rows, "", _performance_words(bool(deep_found))]),
        readings,
        _deals(plan, seeds, steps),
        _small(plan, seeds[0], steps),
    ]
    written = []
    for name, file in FIGURES.items():
        curves = {
            f"batch {size}": networks[Budget(name == "double DQN", "full", size, plan.network_games)]
            for size in plan.batch_sizes
        }
        draw_losses(folder / file, f"{name}, {plan.network_games:,} games, full observation", curves)
        written.append(folder / file)
    parts.append(_losses(plan, time.process_time() - start))
    page = folder / "coda.md"
    with replacing(page) as temporary:
        temporary.write_text("\n".join(parts).rstrip() + "\n", encoding="utf-8")
    return [page, *written]


_HEAD = """# Coda: the paper's results, rerun

Made by `cardgym reproduce coda`; do not edit by hand.

Ma, Zeng and Zhang (2019) report how often five methods beat a random player. Here all are trained as the paper says and
further, and judged on {games:,} fresh deals a seed (seeds {seeds}), moving first; intervals are 95 %. The paper tested on
{test} games, the heuristic on 10,000. **No player wins more than {ceiling:.5f}** (`cardgym solve Coda-v0`): a rate above
that is luck, a leak, or deals seen before.
"""

_PERFORMANCE = """## Performance

| approach | training | paper: wins | time (s) | ours on fresh deals, by seed | mean | no player exceeds | training (s of processor) |
|---|---|---|---|---|---|---|---|"""


def _settings(plan: Plan, budget: Budget) -> str:
    rows = [
        ("heuristic", "N.A.", "-"),
        *((name, f"{plan.tabular_games:,}", "paper's bits; alpha 0.1, gamma 0.9, epsilon 1 to 0.05; rewards 10 and 10,000")
          for name in ALGORITHMS.values()),
        *((name, f"{plan.network_games:,}", f"{budget.hidden_sizes[0]} hidden units; Adam, {budget.learning_rate:g}; gamma "
           f"{budget.gamma}; an update for {budget.train_frequency} decisions; epsilon 1 to {budget.exploration_final_eps}; rewards +1 and -1")
          for name in ("DQN", "double DQN")),
    ]  # fmt: skip
    lines = [
        "## Settings",
        "",
        "The first four columns are the paper's first table; what it leaves open stands in the last.",
        "",
        "| approach | cards (n) | initial cards | epochs | chosen here |",
        "|---|---|---|---|---|",
        *(f"| {name} | 24 | 1 | {epochs} | {chosen} |" for name, epochs, chosen in rows),
    ]
    return "\n".join([*lines, ""])


def _row(name: str, training: str, rates: Sequence[Rate], paper: str = "") -> str:
    told = PAPER.get(paper)
    mean = sum(rate.won for rate in rates) / len(rates)
    seconds = [rate.seconds for rate in rates]
    took = f"{min(seconds):.1f} to {max(seconds):.1f}"
    cells = ", ".join(f"{rate.won:.4f} [{rate.interval[0]:.4f}, {rate.interval[1]:.4f}]" for rate in rates)
    took = took if training[0].isdigit() else f"- (plays {rates[0].games:,} games in {min(seconds):.1f})"
    known = (f"{told[0]}", told[1]) if told else ("-", "-")
    return (
        f"| {name} | {training} | {known[0]} | {known[1]} | {cells} | {mean:.4f} | {solved()['optimum']:.4f} | {took} |"
    )


def _trained(player: Player, seconds: float, games: int, plan: Plan, seed: int) -> Rate:
    rate = fresh(player, plan, seed)
    return Rate(rate.won, rate.interval, seconds, games)


def _tables(plan: Plan, seeds: Sequence[int], steps: _Steps) -> list[str]:
    few, many = [], []
    learn_games("q_learning", 10, 0)  # Compiles, so that the times below are of learning.
    for algorithm, name in ALGORITHMS.items():
        short, long = [], []
        for seed in seeds:
            learner, seconds = learn_games(algorithm, plan.tabular_games, seed)
            short.append(_trained(learner.player(), seconds, learner.games, plan, seed))
            steps.one()
            learner, seconds = learn_long(algorithm, plan.decisions, seed)
            long.append(_trained(learner.player(), seconds, learner.games, plan, seed))
            states, games = learner.states, learner.games
            steps.one()
        few.append(_row(name, f"{plan.tabular_games:,} games", short, algorithm))
        many.append(_row(name, f"{plan.decisions:,} decisions ({games:,} games, {states:,} states met)", long))
    return few + many


def _networks(
    plan: Plan, budgets: Sequence[Budget], seeds: Sequence[int], steps: _Steps
) -> tuple[dict[Budget, list[TrainedNetwork]], list[str]]:
    found: dict[Budget, list[TrainedNetwork]] = {}
    rows = []
    train_network(Budget(games=20))
    for budget in budgets:
        rates = []
        name = "double DQN" if budget.double else "DQN"
        for seed in seeds:
            run = train_network(dataclasses.replace(budget, seed=seed))
            found.setdefault(budget, []).append(run)
            rates.append(_trained(run.player, run.seconds, budget.games, plan, seed))
            steps.one()
        training = f"{budget.games:,} games, {budget.observation}, batch {budget.batch_size}"
        rows.append(_row(name, training, rates, name))
    return found, rows


def _deep_row(found: Deep) -> str:
    name, _, rest = found.words.partition(", ")
    return _row(f"{name} (`{found.path.name}`)", f"to convergence: {rest}", found.rates)


def _performance_words(deep: bool) -> str:
    words = """Times are not like for like: the paper's are of its own machine, and the heuristic's is that of playing 10,000 games.

Tables learn next to nothing of fresh deals, however long: almost every state is met once. The paper's bits hold no colours
and no misses, and there are too many of them; with fewer tiles, below, the same learners do converge. The paper
holds the state space to be small enough to infer all values; it is so only for deals that come again."""
    if not deep:
        words += "\n\nNo checkpoint of a network trained to convergence was given; `--deep FILE` adds its row."
    return words + "\n"


def _readings(plan: Plan, seeds: Sequence[int], steps: _Steps) -> str:
    paper, games = PAPER["heuristic"][0], 10_000
    lines = [
        "## Which reading of the rules gives the heuristic's 0.839",
        "",
        f"The paper's heuristic played {games:,} games, which is worth ±{1.96 * math.sqrt(paper * (1 - paper) / games):.4f}. Exact win rates by reading, how",
        f"many standard errors the paper's number lies away, and {games:,} games of ours for each seed:",
        "",
        "| reading | exact | 0.839 lies away by | ours | no player exceeds | verdict |",
        "|---|---|---|---|---|---|",
    ]
    agreeing = []
    for words, settings in READINGS.items():
        found = solved(**settings)
        exact = found["policies"]["heuristic"]
        away = (paper - exact) / math.sqrt(exact * (1 - exact) / games)
        ours = [fresh("heuristic", plan, seed, coda(**settings), games).won for seed in seeds]
        verdict = "agrees" if abs(away) < 1.96 else "unlikely" if abs(away) < 3 else "ruled out"
        if verdict == "agrees":
            agreeing.append(words)
        cells = ", ".join(f"{won:.4f}" for won in ours)
        lines.append(f"| {words} | {exact:.5f} | {away:+.1f} | {cells} | {found['optimum']:.5f} | {verdict} |")
        steps.one()
    told = f"So it is: {'; '.join(agreeing)}." if agreeing else "None agrees."
    return "\n".join([*lines, "", f"{told} That reading is the preset of `Coda-v0`.", ""])


def _deals(plan: Plan, seeds: Sequence[int], steps: _Steps) -> str:
    lines = [
        "## How 0.963 and 0.965 can come about",
        "",
        f"{plan.tabular_games:,} training games as in the paper, but on the same few deals (tiles and order of drawing) again and",
        f"again; the opponent's guesses are new each time. Then {plan.test_games:,} games on those deals, and as many fresh ones; a",
        "rate for each seed. The paper has 0.963 for Q-learning and 0.965 for Sarsa.",
        "",
        "| deals | Q-learning on them | Sarsa on them | Q-learning on fresh deals | Sarsa on fresh deals |",
        "|---|---|---|---|---|",
    ]
    means: dict[int, list[float]] = {}
    for count in plan.counts:
        cells: dict[str, list[float]] = {}
        for algorithm in ALGORITHMS:
            for seed in seeds:
                learner, _ = learn_games(algorithm, plan.tabular_games, seed, count)
                player = learner.player()
                cells.setdefault(f"{algorithm} on", []).append(on_deals(learner, plan.test_games, seed))
                there = fresh(player, plan, seed, games=plan.test_games).won
                cells.setdefault(f"{algorithm} fresh", []).append(there)
                steps.one()
        order = [f"{algorithm} {where}" for where in ("on", "fresh") for algorithm in ALGORITHMS]
        lines.append(
            f"| {count} | " + " | ".join(", ".join(f"{won:.4f}" for won in cells[key]) for key in order) + " |"
        )
        means[count] = [sum(cells[key]) / len(seeds) for key in order[:2]]
    nearest = min(means, key=lambda count: abs(means[count][0] - 0.963) + abs(means[count][1] - 0.965))
    rates = " and ".join(f"{mean:.3f}" for mean in means[nearest])
    lines += [
        "",
        f"Nearest to the paper are {nearest} deals, with {rates}. On fresh deals the same tables are worth a random player. So the",
        "paper's numbers for Q-learning and Sarsa, above what anyone can win, are what training and testing on the same deals gives.",
        "Its 0.895 and 0.915 for the networks are above the ceiling too, but by less than 200 games can tell (±0.04); on fresh",
        "deals its 2,000 games are far from enough for either.",
        "",
    ]
    return "\n".join(lines)


def _small(plan: Plan, seed: int, steps: _Steps) -> str:
    lines = [
        "## Fewer tiles: where tables converge",
        "",
        "The same learners on the same bits with fewer tiles. A table cannot see colours or past misses, so the bounds with colours",
        "hidden are its own: the heuristic, which forgets misses, and what no player exceeds.",
        "",
        "| tiles | decisions | states met | Q-learning | Sarsa | heuristic, colours hidden | no player exceeds, colours hidden | no player exceeds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for n, decisions in plan.small:
        won = []
        for algorithm in ALGORITHMS:
            learner, _ = learn_long(algorithm, decisions, seed, n)
            rate = fresh(learner.player(), plan, seed, learner.options)
            won.append(f"{rate.won:.4f} [{rate.interval[0]:.4f}, {rate.interval[1]:.4f}]")
            steps.one()
        hidden = solved(n=n, colour_visible="no")
        bounds = f"{hidden['policies']['heuristic']:.4f} | {hidden['optimum']:.4f} | {solved(n=n)['optimum']:.4f}"
        lines.append(f"| {n} | {decisions:,} | {learner.states:,} | {won[0]} | {won[1]} | {bounds} |")
    hidden = solved(colour_visible="no")
    lines += [
        "",
        f"With 24 tiles those bounds are {hidden['policies']['heuristic']:.4f} and {hidden['optimum']:.4f}: even a table of all states, trained for ever, would stay below",
        "the heuristic that sees colours.",
        "",
    ]
    return "\n".join(lines)


def _losses(plan: Plan, seconds: float) -> str:
    lines = [
        "## The paper's figures 6 and 7: losses",
        "",
        f"Each run faint, the mean of {len(plan.seeds)} strong. The loss is Huber's of rewards +1 and -1, so its scale is not the paper's.",
        "",
        *(f"![Loss of {name}]({file})\n" for name, file in FIGURES.items()),
        f"This page took {seconds:,.0f} s of processor time.",
    ]
    return "\n".join(lines)
