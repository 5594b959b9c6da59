"""Runs all experiments and collects what the results page shows."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from cardgym.console.progress import Progress
from cardgym.papers.coda.networks import BUDGET, NetworkTraining, TrainedNetwork, train_network
from cardgym.papers.coda.one_tile import win_rates
from cardgym.papers.coda.references import NFSPResults, Walked, WalkSize, learn_nfsp, walk_mini, walk_size
from cardgym.papers.coda.runs import (
    ALGORITHMS,
    Scale,
    checkpoint_players,
    coda,
    fresh_win_rate,
    learn_games,
    learn_long,
    replayed_win_rate,
)
from cardgym.players import PlayerSpec

PAPER = {
    "heuristic": 0.839,
    "Q-learning": 0.963,
    "Sarsa": 0.965,
    "DQN": 0.895,
    "double DQN": 0.915,
}
"""The paper's second table: the share of 200 games won (the heuristic's of 10,000)."""

READING_GAMES = 10_000
"""How many games the paper's heuristic played."""

READINGS: dict[str, dict[str, int | str]] = {
    "agent first, colors visible, names what it does not see": {},
    "agent second": {"first": "1"},
    "who begins drawn by lot": {"first": "random"},
    "colors hidden": {"color_visible": "no"},
    "agent second, colors hidden": {"first": "1", "color_visible": "no"},
    "both name any of the 24 tiles": {"feasible": "all"},
}
"""Readings of the rules, by the options in which they differ from the first."""


@cache
def solved(**settings: int | str) -> dict[str, float]:
    """Return the exact win rates in the paper's preset with some options changed; see `win_rates`."""
    return win_rates(coda(**settings))


def table_bounds(**settings: int | str) -> tuple[float, float]:
    """Exact win rates with colors hidden, which a table cannot see: the heuristic's, and what no player exceeds."""
    hidden = solved(color_visible="no", **settings)
    return hidden["heuristic"], hidden["optimum"]


# -- what was measured ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Performance:
    """One row of the table of performance.

    Attributes:
        approach: the name of the row.
        training: the training in words.
        rates: the win rates on fresh deals, one for each seed.
        paper: whose figures in `PAPER` are beside it, if any.
        seconds: the processor time of each training, if it was trained here.
        states: how many states a table met, for each seed.
    """

    approach: str
    training: str
    rates: Sequence[float]
    paper: str | None = None
    seconds: Sequence[float] | None = None
    states: Sequence[int] = ()

    @property
    def percent(self) -> list[float]:
        """The percent of the games won, for each seed."""
        return [100 * rate for rate in self.rates]


@dataclass(frozen=True)
class Reading:
    """A reading of the rules: the heuristic's exact win rate, and in as many games as the paper's, for each seed."""

    name: str
    heuristic: float
    measured: Sequence[float]

    @property
    def standard_errors(self) -> float:
        """How many standard errors the paper's win rate is above the exact one."""
        return (PAPER["heuristic"] - self.heuristic) / math.sqrt(self.heuristic * (1 - self.heuristic) / READING_GAMES)


@dataclass(frozen=True)
class FewDeals:
    """Learning from a few deals played again and again: win rates by algorithm, one for each seed."""

    num_deals: int
    on_them: dict[str, list[float]]
    on_fresh_deals: dict[str, list[float]]


@dataclass(frozen=True)
class FewTiles:
    """Learning with `n` tiles.

    Attributes:
        n: the tiles.
        decisions: of the long trainings.
        states: how many the last of them met.
        rates: their win rates, by algorithm.
        exact: `table_bounds`, and the optimum.
        table: Q-learning's win rate after the paper's number of games, for each seed.
        network: the same of DQN.
    """

    n: int
    decisions: int
    states: int
    rates: Sequence[float]
    exact: tuple[float, float, float]
    table: Sequence[float]
    network: Sequence[float]


@dataclass(frozen=True)
class Results:
    """Everything on the page.

    Attributes:
        scale: how much was done.
        seeds: the seeds of each method.
        performance: the rows of the table of performance.
        readings: the readings of the rules.
        few_deals: learning from few deals, by how many they are.
        few_tiles: learning with fewer tiles.
        curves: the trainings on the full observation by algorithm, then by the label of their curve.
        walk_sizes: how many decisions a walk of Deep CFR visits, by the number of tiles.
        walked: what such walks reach in the smallest game, with a table.
        nfsp: what neural fictitious self-play learns there and with all tiles.
        has_checkpoints: whether checkpoints were evaluated.
        seconds: the processor time of it all.
    """

    scale: Scale
    seeds: tuple[int, ...]
    performance: Sequence[Performance]
    readings: Sequence[Reading]
    few_deals: Sequence[FewDeals]
    few_tiles: Sequence[FewTiles]
    curves: dict[str, dict[str, list[TrainedNetwork]]]
    walk_sizes: Sequence[WalkSize]
    walked: Sequence[Walked]
    nfsp: NFSPResults
    has_checkpoints: bool
    seconds: float


# -- measuring it -----------------------------------------------------------------------------------------------------


def measure(scale: Scale, base_seed: int, checkpoints: Sequence[Path], progress: Progress) -> Results:
    """Train and evaluate everything, networks trained for longer too, with the seeds of the scale plus `base_seed`."""
    start = time.process_time()
    seeds = tuple(base_seed + seed for seed in scale.seeds)
    bits = BUDGET.replace(double=False, observation="paper", batch_size=scale.batch_sizes[0])
    trainings = [
        *(
            NetworkTraining(BUDGET.replace(double=double, batch_size=size))
            for double in (False, True)
            for size in scale.batch_sizes
        ),
        *(
            training
            for reward in ("win", "paper")
            for training in (
                NetworkTraining(bits, reward),
                NetworkTraining(bits.replace(double=True), reward),
                NetworkTraining(bits, reward, symmetric=True),
            )
        ),
        NetworkTraining(bits.replace(target_update_interval=1), "paper"),
    ]
    for_each_seed = 2 * len(ALGORITHMS) + len(trainings) + len(scale.deal_counts) * len(ALGORITHMS)
    few_tiles = len(scale.small) * (len(ALGORITHMS) + len(seeds))
    self_play = seeds[: scale.self_play_seeds]
    progress(0, len(READINGS) + len(seeds) * for_each_seed + few_tiles + 2 * len(self_play))
    # Checkpoints first: a bad one is an error now and not after a quarter of an hour.
    converged = checkpoint_players(checkpoints)
    readings = [_reading(name, settings, seeds, progress) for name, settings in READINGS.items()]
    # Short trainings first, which compile: the times on the page are of learning alone.
    learn_games("q_learning", 10, 0)
    train_network(NetworkTraining(BUDGET), 20)
    performance = [_untrained("heuristic", "heuristic", "no training", scale, seeds, "heuristic")]
    for long in (False, True):
        performance += [_tabular_training(algorithm, scale, seeds, progress, long=long) for algorithm in ALGORITHMS]
    curves: dict[str, dict[str, list[TrainedNetwork]]] = {}
    for training in trainings:
        row, runs = _network_training(training, scale, seeds, progress)
        performance.append(row)
        if training.config.observation == "full":
            curves.setdefault(row.approach, {})[f"batch {training.config.batch_size}"] = runs
    performance += [_untrained(player, name, f"for longer: {words}", scale, seeds) for player, name, words in converged]
    performance.append(_untrained("bayes", "bayes", "none: exact probabilities", scale, seeds))
    return Results(
        scale,
        seeds,
        performance,
        readings,
        [_few_deals(count, scale, seeds, progress) for count in scale.deal_counts],
        [_few_tiles(n, decisions, bits, scale, seeds, progress) for n, decisions in scale.small],
        curves,
        [walk_size(n, scale.test_games, seeds[0]) for n in (*(n for n, _ in scale.small), 24)],
        walk_mini(scale.walks, seeds[0]),
        learn_nfsp(scale, self_play, progress),
        bool(converged),
        time.process_time() - start,
    )


def _untrained(
    player: PlayerSpec, name: str, training: str, scale: Scale, seeds: Sequence[int], paper: str | None = None
) -> Performance:
    return Performance(name, training, [fresh_win_rate(player, scale.games, seed) for seed in seeds], paper)


def _tabular_training(
    algorithm: str, scale: Scale, seeds: Sequence[int], progress: Progress, *, long: bool
) -> Performance:
    """Q-learning or Sarsa for the paper's number of games, or for many more; then games and states of the last seed."""
    rates, seconds, states = [], [], []
    for seed in seeds:
        if long:
            learner, taken = learn_long(algorithm, scale.decisions, seed)
        else:
            learner, taken = learn_games(algorithm, scale.tabular_games, seed)
        rates.append(fresh_win_rate(learner.player(), scale.games, seed))
        seconds.append(taken)
        states.append(learner.states)
        progress.advance()
    training = f"{scale.tabular_games:,} games"
    if long:
        training = f"{scale.decisions:,} decisions ({learner.games:,} games, {learner.states:,} states met)"
    name = ALGORITHMS[algorithm]
    return Performance(name, training, rates, None if long else name, seconds, states)


def _network_training(
    training: NetworkTraining, scale: Scale, seeds: Sequence[int], progress: Progress
) -> tuple[Performance, list[TrainedNetwork]]:
    """DQN or double DQN for the paper's number of games."""
    runs = []
    for seed in seeds:
        runs.append(train_network(replace(training, config=training.config.replace(seed=seed)), scale.network_games))
        progress.advance()
    config = training.config
    words = f"{scale.network_games:,} games, {config.observation}, batch {config.batch_size}"
    words += ", the paper's rewards" if training.reward == "paper" else ""
    words += ", no older copy" if config.target_update_interval == 1 else ""
    paper = "double DQN" if training.symmetric else training.name
    rates = [fresh_win_rate(run.player, scale.games, seed) for run, seed in zip(runs, seeds, strict=True)]
    return Performance(training.name, words, rates, paper, [run.seconds for run in runs]), runs


def _reading(name: str, settings: dict[str, int | str], seeds: Sequence[int], progress: Progress) -> Reading:
    measured = [fresh_win_rate("heuristic", READING_GAMES, seed, coda(**settings)) for seed in seeds]
    progress.advance()
    return Reading(name, solved(**settings)["heuristic"], measured)


def _few_deals(num_deals: int, scale: Scale, seeds: Sequence[int], progress: Progress) -> FewDeals:
    results = FewDeals(num_deals, {}, {})
    for algorithm in ALGORITHMS:
        for seed in seeds:
            learner, _ = learn_games(algorithm, scale.tabular_games, seed, num_deals)
            on_them = replayed_win_rate(learner, scale.test_games, seed)
            on_fresh_deals = fresh_win_rate(learner.player(), scale.test_games, seed)
            results.on_them.setdefault(algorithm, []).append(on_them)
            results.on_fresh_deals.setdefault(algorithm, []).append(on_fresh_deals)
            progress.advance()
    return results


def _few_tiles(n: int, decisions: int, bits: Any, scale: Scale, seeds: Sequence[int], progress: Progress) -> FewTiles:
    options, rates, table, network = coda(n=n), [], [], []
    for algorithm in ALGORITHMS:
        learner, _ = learn_long(algorithm, decisions, seeds[0], n)
        rates.append(fresh_win_rate(learner.player(), scale.games, seeds[0], options))
        progress.advance()
    for seed in seeds:
        short, _ = learn_games("q_learning", scale.tabular_games, seed, n=n)
        table.append(fresh_win_rate(short.player(), scale.games, seed, options))
        run = train_network(NetworkTraining(bits.replace(seed=seed), n=n), scale.network_games)
        network.append(fresh_win_rate(run.player, scale.games, seed, options))
        progress.advance()
    return FewTiles(n, decisions, learner.states, rates, (*table_bounds(n=n), solved(n=n)["optimum"]), table, network)
