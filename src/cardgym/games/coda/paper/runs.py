"""The experiments behind docs/results/coda.md: learning from fresh deals and from few deals, and win rates."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cardgym.arena import evaluate
from cardgym.arena.match import EVALUATION_SEED
from cardgym.arena.statistics import Interval
from cardgym.engine.contract import Options
from cardgym.engine.kernel import CALLER, NOOP, RESET, STEP
from cardgym.engine.registry import find
from cardgym.learn.tabular.learner import TabularConfig, TabularLearner
from cardgym.players.base import BatchPolicy, PlayerSpec, resolve
from cardgym.players.seating import SeatedBatch

ENV = "Coda-v0"
ALGORITHMS = {"q_learning": "Q-learning", "sarsa": "Sarsa"}
ON_BITS = TabularConfig(env=ENV, observation="paper", seat=0)
"""Learning from the paper's bits, moving first."""
_OTHERS_CHOICES = 2019
"""What the opponent's guesses on deals used again are drawn from."""


@dataclass(frozen=True)
class Plan:
    """How much is done.

    Attributes:
        games: of each evaluation on fresh deals.
        seeds: of each method.
        tabular_games: the paper's training games of Q-learning and Sarsa.
        network_games: the paper's training games of DQN and double DQN.
        batch_sizes: the paper's two.
        decisions: of a table's long training.
        counts: how many deals are used again and again.
        test_games: on those deals.
        small: numbers of tiles with which tables converge, each with the decisions it takes.
    """

    games: int = 100_000
    seeds: tuple[int, ...] = (1, 2, 3)
    tabular_games: int = 10_000
    network_games: int = 2000
    batch_sizes: tuple[int, ...] = (32, 128)
    decisions: int = 10_000_000
    counts: tuple[int, ...] = (10, 50, 100, 150, 200, 500)
    test_games: int = 2000
    small: tuple[tuple[int, int], ...] = ((6, 1_000_000), (8, 5_000_000))


@dataclass(frozen=True)
class Rate:
    """A win rate of seat 0, its 95 % interval, and what training took: seconds of processor time, and games."""

    won: float
    interval: Interval
    seconds: float = 0.0
    games: int = 0


def coda(**settings: int | str) -> Options:
    """The paper's preset with some settings changed."""
    return find(ENV).parse_options(settings)


def fresh(player: PlayerSpec, plan: Plan, seed: int, options: Options | None = None, games: int = 0) -> Rate:
    """The win rate of a player in seat 0 against `random`, on fresh deals."""
    games = games or plan.games
    start = time.process_time()
    report = evaluate(
        ENV, options or coda(), [player, "random"], games=games, seed=EVALUATION_SEED + seed, seats="fixed"
    )
    return Rate(report.players[0].win_rate, report.players[0].win_rate_ci95, time.process_time() - start, report.games)


def learn_games(algorithm: str, games: int, seed: int, deals: int = 0) -> tuple[TabularLearner, float]:
    """Learn from so many games on the paper's bits with the paper's rewards; the processor time in seconds beside.

    Alpha 0.1, gamma 0.9; epsilon falls from 1 to 0.05 in three fifths of the decisions that random play would take.
    """
    config = dataclasses.replace(
        ON_BITS,
        algorithm=algorithm,
        seed=seed,
        deals=deals,
        decisions=(6 if not deals else 4) * games,
        table_size=12 * games,
        gamma=0.9,
        epsilon_share=0.6,
    )
    learner = TabularLearner(find(ENV), coda(reward="paper"), config)
    start = time.process_time()
    while learner.games < games:
        learner.advance(learner.decisions + 10)
    return learner, time.process_time() - start


def learn_long(algorithm: str, decisions: int, seed: int, n: int = 24) -> tuple[TabularLearner, float]:
    """Learn to win on the paper's bits from so many decisions, with means in place of a fixed alpha."""
    config = dataclasses.replace(
        ON_BITS,
        algorithm=algorithm,
        seed=seed,
        decisions=decisions,
        table_size=decisions,
        gamma=1.0,
        step_size=1.0,
        step_size_end=1.0,
        visits_power=0.7,
        epsilon_end=0.02,
        epsilon_share=0.8,
    )
    learner = TabularLearner(find(ENV), coda(n=n), config)
    start = time.process_time()
    learner.advance(decisions)
    return learner, time.process_time() - start


def on_deals(learner: TabularLearner, games: int, seed: int) -> float:
    """The win rate in seat 0 of what is learned, on the deals that a learner with `deals` was shown, each as often.

    The opponent's guesses are new.
    """
    game, options, player = learner.game, learner.options, learner.player()
    assert isinstance(player, BatchPolicy)
    table = SeatedBatch(game, options, games, [resolve("random", game, options)], learner.config.observation)
    table.seat([CALLER, *table.numbers])
    numbers = np.arange(games, dtype=np.uint64) % np.uint64(learner.config.deals)
    table.seed(np.full(games, learner.deal_key, np.uint64), numbers)
    table.step(0, np.full(games, RESET, np.uint8))
    # Seat 0 moves first, so the opponent has not drawn from this yet.
    choices = np.random.default_rng([_OTHERS_CHOICES, seed]).integers(0, 2**63, games, dtype=np.uint64)
    rows = table.batch.plain_rows
    rows["choice"][:, 0] = choices
    while (deciding := np.flatnonzero(rows["pending_policy"] == CALLER)).size:
        actions, command = np.zeros(games, np.int64), np.full(games, NOOP, np.uint8)
        actions[deciding] = player.act(table.observations[deciding], table.masks[deciding])
        command[deciding] = STEP
        table.step(actions, command)
    return float((table.batch.plain_states["winner"] == 0).mean())


@dataclass(frozen=True)
class Deep:
    """A checkpoint: its path, what trained it in words, and its win rate on other deals for each seed."""

    path: Path
    words: str
    rates: Sequence[Rate]


def deep_rows(paths: Sequence[Path], plan: Plan) -> list[Deep]:
    """The win rates of checkpoints.

    Raises:
        CardgymError: for a file that is missing, no checkpoint, or made for another game or other options.
    """
    from cardgym.players.networks import NetworkPlayer, load_checkpoint

    found = []
    for path in paths:
        network, purpose = load_checkpoint(path, find(ENV), coda())
        config = purpose["config"]
        name = "double DQN" if config.get("double", True) else "DQN"
        words = f"{name}, {purpose['observation']}, {config.get('decisions', 0):,} decisions, seed {config.get('seed')}"
        player = NetworkPlayer(path.name, network, purpose["observation"])
        found.append(Deep(path, words, [fresh(player, plan, seed) for seed in plan.seeds]))
    return found
