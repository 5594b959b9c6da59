"""The experiments behind docs/results/corellian_spike.md: training runs and matches, over several processes."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.arena import evaluate
from cardgym.engine.registry import find
from cardgym.games.corellian_spike.batch_q.config import ENV, BatchQConfig, Exploration
from cardgym.games.corellian_spike.batch_q.learner import BatchQ, train
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.learn.tabular.config import TabularConfig
from cardgym.learn.tabular.learner import TabularLearner
from cardgym.players.base import PlayerSpec, TablePlayer

Progress = Callable[[int, int], None] | None


@dataclass(frozen=True)
class Plan:
    """How much is done.

    Attributes:
        seeds: training runs of each case.
        iterations: of batch Q-learning.
        training_games: in each iteration.
        games: of each match.
        base_seed: the first seed.
        deep_seeds: matches of a deep agent with each opponent, on other deals.
        information_seeds: runs of each state model.
        budgets: decisions that each state model learns from.
        workers: processes.
    """

    seeds: int = 5
    iterations: int = 50
    training_games: int = 2000
    games: int = 10_000
    base_seed: int = 0
    deep_seeds: int = 3
    information_seeds: int = 3
    budgets: tuple[int, ...] = (2_000_000, 10_000_000)
    workers: int = 2


@dataclass(frozen=True)
class Case:
    """What batch Q-learning is run with."""

    players: int = 2
    reward: str = "credits"
    exploration: Exploration = "published"
    betting: str = "flat"

    @property
    def options(self) -> CorellianSpikeOptions:
        """The game's options."""
        return CorellianSpikeOptions(num_players=self.players, reward=self.reward, betting=self.betting)


CREDITS, WEIGHTED, FOUR = Case(), Case(reward="weighted"), Case(players=4, reward="weighted")
PAPER_CASES = (CREDITS, WEIGHTED, FOUR)


def legal(case: Case) -> Case:
    """The same with the legal exploration."""
    return Case(case.players, case.reward, "legal", case.betting)


def matched(case: Case) -> Case:
    """The same with matched betting."""
    return Case(case.players, case.reward, case.exploration, "matched")


CASES = (*PAPER_CASES, *map(legal, PAPER_CASES), matched(CREDITS), matched(legal(CREDITS)))


@dataclass(frozen=True, eq=False)
class TrainingResult:
    """A training run.

    Attributes:
        policies: actions by state index, int8, by iteration: every fifth, and the last.
        met: whether a state was met, by index.
        transitions: how many were learned from.
        seconds: of processor time.
    """

    policies: dict[int, npt.NDArray[np.int8]]
    met: npt.NDArray[np.bool_]
    transitions: int
    seconds: float

    @property
    def last(self) -> int:
        """The last iteration."""
        return max(self.policies)

    def player(self, iteration: int | None = None) -> TablePlayer:
        """The policy of an iteration, the last unless told."""
        wanted = self.last if iteration is None else iteration
        return TablePlayer(f"iteration {wanted}", self.policies[wanted])

    @property
    def halfway(self) -> TablePlayer:
        """The paper's intermediate policy, of half the iterations."""
        return self.player(min(self.policies, key=lambda iteration: abs(iteration - self.last / 2)))


@dataclass(frozen=True)
class Score:
    """What a match showed of one player: credits won a game, share of hands won, games of 2,000 it went bust in.

    `interval` is the 95 % interval of the credits, over the match's deals.
    """

    credits: float
    hands: float
    bust: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Match:
    """A match to be played."""

    options: CorellianSpikeOptions
    players: Sequence[PlayerSpec]
    games: int
    seed: int


@dataclass
class Results:
    """All that was found; matches by whatever key they were asked for under.

    Attributes:
        runs: training runs by case, a seed each.
        scores: the players' scores in each match, a list for each seed.
        seconds: wall and processor time in all.
    """

    runs: dict[Case, list[TrainingResult]] = field(default_factory=dict)
    scores: dict[Any, list[list[Score]]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


def train_case(case: Case, seed: int, plan: Plan) -> TrainingResult:
    """Run batch Q-learning."""
    start = time.process_time()
    policies: dict[int, npt.NDArray[np.int8]] = {}
    transitions = 0

    def keep(run: BatchQ) -> None:
        nonlocal transitions
        transitions += run.transitions
        if run.iteration % 5 == 0 or run.iteration == plan.iterations:
            policies[run.iteration] = run.states.actions.copy()

    config = BatchQConfig(
        seed=seed, exploration=case.exploration, num_iterations=plan.iterations, games_per_iteration=plan.training_games
    )
    policies[0] = BatchQ(case.options, config).states.actions.copy()
    run = train(case.options, config, each=keep)
    met = run.states.values.max(axis=1) > -np.inf
    return TrainingResult(policies, met, transitions, time.process_time() - start)


def play(match: Match) -> list[Score]:
    """Play a match; a score for each player."""
    report = evaluate(ENV, match.options, match.players, games=match.games, seed=match.seed)
    return [
        Score(
            float(player.metrics["credits_per_game"]),  # type: ignore[arg-type]
            player.win_rate,
            float(player.metrics["bust_games"]) / report.games * 2000,  # type: ignore[arg-type]
            player.metrics["credits_per_game_ci95"],  # type: ignore[arg-type]
        )
        for player in report.players
    ]


@dataclass(frozen=True)
class Learning:
    """A run of online Q-learning against a fixed policy; see `learn`."""

    observation: str
    seed: int
    decisions: int
    opponent: TablePlayer
    judges: tuple[PlayerSpec, ...]
    games: int


def learn(task: Learning) -> tuple[int, list[Score]]:
    """Learn to beat a policy, and be matched with the judges; the states met, and a score against each judge."""
    options = CorellianSpikeOptions()
    config = TabularConfig(
        env_id=ENV,
        observation=task.observation,
        table_size=6_000_000,
        seed=task.seed,
        total_steps=task.decisions,
        terminal_on_deal_end=True,
        learning_rate=0.1,
        learning_rate_final=0.005,
        exploration_initial_eps=0.9,
        exploration_final_eps=0.05,
        exploration_fraction=0.8,
    )
    learner = TabularLearner(find(ENV), options, config, opponents={task.opponent: 1.0})
    learner.advance(config.total_steps)
    player = learner.player()
    scores = [play(Match(options, [player, judge], task.games, task.seed))[0] for judge in task.judges]
    return learner.states, scores


def over_processes(
    workers: int, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], done: Callable[[], None]
) -> list[Any]:
    """`function(*task)` of every task, in order, by several processes; `done` is called as each ends."""
    tasks = list(tasks)
    if workers < 2 or len(tasks) < 2:
        found = []
        for task in tasks:
            found.append(function(*task))
            done()
        return found
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        futures = [pool.submit(function, *task) for task in tasks]
        for future in futures:
            future.add_done_callback(lambda _: done())
        return [future.result() for future in futures]


def run_all(
    plan: Plan,
    matches: Callable[[Results], Mapping[Any, Sequence[Match]]],
    learnings: Callable[[Results], Sequence[Learning]],
    progress: Progress = None,
) -> tuple[Results, list[tuple[int, list[Score]]]]:
    """Train every case, then play the matches and run the learnings that the trained policies are asked for.

    Args:
        plan: how much is done.
        matches: from the training runs to matches by key, one a seed.
        learnings: likewise.
        progress: told the tasks done and the tasks in all.

    Returns:
        The results, and what the learnings found.
    """
    start, cpu = time.monotonic(), _processor_time()
    results = Results()
    seeds = [plan.base_seed + number for number in range(plan.seeds)]
    trainings = [(case, seed, plan) for case in CASES for seed in seeds]
    ended = 0
    total = 4 * len(trainings)  # A guess, until the matches are known.

    def done() -> None:
        nonlocal ended
        ended += 1
        if progress is not None:
            progress(ended, total)

    _warm_up(plan)
    trained = over_processes(plan.workers, train_case, trainings, done)
    for (case, _, _), run in zip(trainings, trained, strict=True):
        results.runs.setdefault(case, []).append(run)
    wanted = matches(results)
    flat = [(key, match) for key, each in wanted.items() for match in each]
    learning = list(learnings(results))
    total = len(trainings) + len(flat) + len(learning)
    # Players outside the kernel (networks) stay in this process: torch is loaded once.
    plain = [all(isinstance(player, str | TablePlayer) for player in match.players) for _, match in flat]
    inside = [(match,) for (_, match), spread in zip(flat, plain, strict=True) if spread]
    scores = iter(over_processes(plan.workers, play, inside, done))
    for (key, match), spread in zip(flat, plain, strict=True):
        if spread:
            score = next(scores)
        else:
            score = play(match)
            done()
        results.scores.setdefault(key, []).append(score)
    found = over_processes(plan.workers, learn, [(task,) for task in learning], done)
    results.seconds = {
        "wall": time.monotonic() - start,
        "processor": _processor_time() - cpu,
    }
    return results, found


def _processor_time() -> float:
    """Seconds of processor time of this process and of those that it started and saw end."""
    return sum(os.times()[:4])


def _warm_up(plan: Plan) -> None:
    """Compile once, before several processes would each do it."""
    small = Plan(iterations=1, training_games=2)
    for case in (CREDITS, legal(CREDITS)):
        run = train_case(case, 0, small)
        play(Match(case.options, [run.player(), "heuristic"], 2, 0))
    for observation in ("", "cards", "spikes"):
        learn(Learning(observation, 0, 1000, run.player(), (run.player(),), 2))
