"""All of the page's experiments: train every case, then play the matches of the tables, over several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from cardgym.errors import CardgymError
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.papers.corellian_spike.batch_q import transferred_policy
from cardgym.papers.corellian_spike.runs import (
    CASES,
    CREDITS,
    FOUR,
    WEIGHTED,
    Case,
    Match,
    Scale,
    Score,
    TabularResult,
    TrainingRun,
    legal,
    matched,
    play,
    train_case,
    train_tabular,
)
from cardgym.papers.pages import Report, Steps
from cardgym.players import Player, PlayerSpec, TablePlayer
from cardgym.scaling.engine import Task
from cardgym.scaling.local import LocalEngine

T = TypeVar("T")

STATE_MODELS = {"": "the paper's code", "cards": "three cards for their sum", "spikes": "code and the opponent's spike"}
"""Observations of the tabular trainings, and what the page calls them."""

SEATINGS = ((2, 10), (4, 10), (8, 2), (8, 10))
"""Numbers of players and hands: table 4 of the paper, and its last row with the usual number of hands."""

DEEP_OPPONENTS = ("random", "initial", "heuristic", "credits", "weighted", "credits, legal", "weighted, legal")
"""Opponents of the deep agents: players of the game, and final policies by reward and exploration."""


@dataclass
class Results:
    """The results of all experiments.

    Attributes:
        runs: training runs by case, one for each seed.
        scores: the players' scores in the matches, by what the match is for, one match for each seed.
        tabular: results of the tabular trainings by budget and state model, one for each seed.
        processor_seconds: the processor time of all processes.
    """

    runs: dict[Case, list[TrainingRun]] = field(default_factory=dict)
    scores: dict[tuple[object, ...], list[list[Score]]] = field(default_factory=dict)
    tabular: dict[tuple[int, str], list[TabularResult]] = field(default_factory=dict)
    processor_seconds: float = 0.0


def run_all(scale: Scale, deep: Sequence[Player], progress: Report | None = None) -> Results:
    """Train every case, then play the matches and run the tabular trainings that need the trained policies.

    Args:
        scale: how much to do.
        deep: deep agents for two players.
        progress: called with the tasks done and the tasks in all.
    """
    processor_start = _processor_time()
    results = Results()
    steps = Steps(4 * len(CASES) * scale.seeds, progress)  # A guess until the matches are known.
    _compile_all()
    trainings = [(case, scale.base_seed + number, scale) for case in CASES for number in range(scale.seeds)]
    for (case, _, _), run in zip(trainings, _map(scale.processes, train_case, trainings, steps), strict=True):
        results.runs.setdefault(case, []).append(run)

    matches = list_matches(results.runs, scale, deep)
    tabular = list_tabular_trainings(results.runs, scale)
    steps.total = steps.done + len(matches) + len(tabular)
    compiled_scores = iter(_map(scale.processes, play, [(match,) for _, match in matches if match.compiled], steps))
    for key, match in matches:
        if match.compiled:
            scores = next(compiled_scores)
        else:  # Networks play in this process, so that torch is loaded once.
            scores = play(match)
            steps.advance()
        results.scores.setdefault(key, []).append(scores)
    tabular_results = _map(scale.processes, train_tabular, tabular, steps)
    for (budget, observation, *_), result in zip(tabular, tabular_results, strict=True):
        results.tabular.setdefault((budget, observation), []).append(result)
    results.processor_seconds = _processor_time() - processor_start
    return results


# -- which experiments ------------------------------------------------------------------------------------------------


def list_matches(
    runs: dict[Case, list[TrainingRun]], scale: Scale, deep: Sequence[Player]
) -> list[tuple[tuple[object, ...], Match]]:
    """The matches of all tables, each with its key in `Results.scores`, one for each training run."""
    matches: list[tuple[tuple[object, ...], Match]] = []
    two = CorellianSpikeOptions()

    def add(key: tuple[object, ...], options: CorellianSpikeOptions, players: Sequence[PlayerSpec], seed: int) -> None:
        matches.append((key, Match(options, players, scale.games, scale.base_seed + seed)))

    for reward, base in (("credits", CREDITS), ("weighted", WEIGHTED), ("matched", matched(CREDITS))):
        for case in (base, legal(base)):
            for seed, run in enumerate(runs[case]):
                opponents: dict[str, PlayerSpec] = {"random-table": "random-table", "initial": "initial"}
                opponents["intermediate"] = run.intermediate
                if reward != "matched":
                    opponents["heuristic"] = "heuristic"
                if reward == "weighted":
                    opponents["credits-only"] = runs[Case(exploration=case.exploration)][seed].final
                if deep and reward != "matched":
                    opponents["double DQN"] = deep[seed % len(deep)]
                for name, opponent in opponents.items():
                    add((reward, name, case.exploration), case.options, [run.final, opponent], seed)
    for seats, hands in SEATINGS:
        options = CorellianSpikeOptions(num_players=seats, hands=hands)
        for first, second in ((WEIGHTED, FOUR), (legal(WEIGHTED), legal(FOUR))):
            for seed in range(scale.seeds):
                pair = [
                    transferred_policy(runs[case][seed].final.actions, case.options, options)
                    for case in (first, second)
                ]
                add(("seats", (seats, hands), first.exploration), options, [*pair, *["initial"] * (seats - 2)], seed)
    for number, agent in enumerate(deep):
        for seed in range(scale.deep_seeds):
            run_of = seed % scale.seeds
            opponents = {name: name for name in ("random", "initial", "heuristic")}
            for name, case in (("credits", CREDITS), ("weighted", WEIGHTED)):
                opponents[name] = runs[case][run_of].final
                opponents[f"{name}, legal"] = runs[legal(case)][run_of].final
            for name in DEEP_OPPONENTS:
                add(("deep", name, number), two, [agent, opponents[name]], seed)
    return matches


def list_tabular_trainings(
    runs: dict[Case, list[TrainingRun]], scale: Scale
) -> list[tuple[int, str, int, TablePlayer, int]]:
    """The arguments of `train_tabular` against the paper's final policy: each budget, state model and seed."""
    return [
        (budget, observation, scale.base_seed + seed, runs[CREDITS][seed % scale.seeds].final, scale.games)
        for budget in scale.budgets
        for observation in STATE_MODELS
        for seed in range(scale.information_seeds)
    ]


# -- processes --------------------------------------------------------------------------------------------------------


def _map(processes: int, function: Callable[..., T], tasks: Sequence[tuple[object, ...]], steps: Steps) -> list[T]:
    """`function(*task)` of every task in worker processes, in order; each is a step."""
    values: dict[str, T] = {}
    with LocalEngine(processes) as engine:
        for outcome in engine.run(Task(str(number), function, task) for number, task in enumerate(tasks)):
            if outcome.error is not None:
                raise CardgymError(f"{function.__name__}: {outcome.error}")
            values[outcome.key] = outcome.value
            steps.advance()
    return [values[str(number)] for number in range(len(tasks))]


def _processor_time() -> float:
    """The processor time of this process, and of those that it started and that have ended, in seconds."""
    return sum(os.times()[:4])


def _compile_all() -> None:
    """Compile everything before it is timed, and before several processes wait for one another to do it."""
    small = Scale(iterations=1, training_games=2)
    for case in (CREDITS, legal(CREDITS)):
        run = train_case(case, 0, small)
        play(Match(case.options, [run.final, "heuristic"], 2, 0))
    for observation in STATE_MODELS:
        train_tabular(1000, observation, 0, run.final, 2)
