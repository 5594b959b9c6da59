"""All of the page's experiments: train every case, then play the matches of the tables, over several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from cardgym.console.progress import Progress
from cardgym.engine.registry import find, registered
from cardgym.errors import CardgymError
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.papers.corellian_spike.batch_q import transferred_policy
from cardgym.papers.corellian_spike.runs import (
    BEST_HAND,
    CASES,
    CONNECTED,
    CREDITS,
    FOUR,
    LEDUC,
    STATE_MODELS,
    WAYS,
    WEIGHTED,
    Case,
    Match,
    Scale,
    Score,
    TabularResult,
    TabularTraining,
    TrainingRun,
    in_way,
    play,
    train_case,
    train_tabular,
)
from cardgym.players import PlayerSpec
from cardgym.scaling.engine import Task
from cardgym.scaling.local import LocalEngine

T = TypeVar("T")

SEATINGS = ((2, 10), (4, 10), (8, 2))
"""Numbers of players and hands: table 4 of the paper."""


@dataclass
class Results:
    """The results of all experiments.

    Attributes:
        runs: training runs by case, one for each seed.
        scores: the players' scores in the matches, by what the match is for, one match for each seed.
        tabular: results of the tabular trainings, by what they are for, one for each seed.
        processor_seconds: the processor time of all processes.
    """

    runs: dict[Case, list[TrainingRun]] = field(default_factory=dict)
    scores: dict[tuple[object, ...], list[list[Score]]] = field(default_factory=dict)
    tabular: dict[tuple[str, str], list[TabularResult]] = field(default_factory=dict)
    processor_seconds: float = 0.0


def run_all(scale: Scale, progress: Progress) -> Results:
    """Train every case, then play the matches and run the tabular trainings that need the trained policies."""
    processor_start = _processor_time()
    results = Results()
    progress(0, 4 * len(CASES) * scale.seeds)  # A guess until the matches are known.
    _compile_all()
    trainings = [(case, scale.base_seed + number, scale) for case in CASES for number in range(scale.seeds)]
    for (case, _, _), run in zip(trainings, _map(scale.processes, train_case, trainings, progress), strict=True):
        results.runs.setdefault(case, []).append(run)

    matches = list_matches(results.runs, scale)
    tabular = list_tabular_trainings(results.runs, scale)
    progress(len(trainings), len(trainings) + len(matches) + len(tabular))
    played = _map(scale.processes, play, [(match,) for _, match in matches], progress)
    for (key, _), scores in zip(matches, played, strict=True):
        results.scores.setdefault(key, []).append(scores)
    learned = _map(scale.processes, train_tabular, [(training,) for _, training in tabular], progress)
    for (kind, _), result in zip(tabular, learned, strict=True):
        results.tabular.setdefault(kind, []).append(result)
    results.processor_seconds = _processor_time() - processor_start
    return results


# -- which experiments ------------------------------------------------------------------------------------------------


def list_matches(runs: dict[Case, list[TrainingRun]], scale: Scale) -> list[tuple[tuple[object, ...], Match]]:
    """Return the matches of all tables, each with its key in `Results.scores`, one for each training run."""
    matches: list[tuple[tuple[object, ...], Match]] = []

    def add(key: tuple[object, ...], options: CorellianSpikeOptions, players: Sequence[PlayerSpec], seed: int) -> None:
        matches.append((key, Match(options, players, scale.games, scale.base_seed + seed)))

    for seed in range(scale.seeds):
        for way in WAYS:
            credits, weighted, four = (runs[in_way(case, way)][seed] for case in (CREDITS, WEIGHTED, FOUR))
            for reward, run in (("credits", credits), ("weighted", weighted)):
                opponents: dict[str, PlayerSpec] = {name: name for name in ("random-table", "initial")}
                opponents["intermediate"] = run.intermediate
                if reward == "weighted":
                    opponents["credits-only"] = credits.final
                options = in_way(CREDITS, way).options
                for name, opponent in opponents.items():
                    add((reward, name, way), options, [run.final, opponent], seed)
            for seats, hands in SEATINGS:
                options = replace(in_way(CREDITS, way).options, num_players=seats, hands=hands)
                pair = [
                    transferred_policy(run.final.actions, in_way(case, way).options, options)
                    for case, run in ((WEIGHTED, weighted), (FOUR, four))
                ]
                add(("seats", (seats, hands), way), options, [*pair, *["initial"] * (seats - 2)], seed)
        pair = [runs[CREDITS][seed].final, runs[CONNECTED][seed].final]
        add(("connected",), CREDITS.options, pair, seed)
    return matches


def list_tabular_trainings(
    runs: dict[Case, list[TrainingRun]], scale: Scale
) -> list[tuple[tuple[str, str], TabularTraining]]:
    """Return the tabular trainings by key in `Results.tabular`: its end, and the state model or the opponent."""
    trainings: list[tuple[tuple[str, str], TabularTraining]] = []
    for seed in range(scale.base_seed, scale.base_seed + scale.tabular_seeds):
        paper = runs[CREDITS][seed % scale.seeds].final
        judges: tuple[PlayerSpec, ...] = (paper, "initial", "heuristic")
        credits = CorellianSpikeOptions(reward="credits")
        shared = (scale.decisions, scale.games, seed)
        for model in STATE_MODELS:
            trainings += [
                (("credits", model), TabularTraining(model, paper, judges, *shared, credits)),
                (("best hand", model), TabularTraining(model, "heuristic", judges, *shared, BEST_HAND)),
            ]
        if LEDUC not in registered():
            continue
        leduc = find(LEDUC).parse_options()
        trainings += [
            (("leduc", opponent), TabularTraining("full", opponent, (opponent,), *shared, leduc, LEDUC))
            for opponent in ("random", "honest")
        ]
    return trainings


# -- processes --------------------------------------------------------------------------------------------------------


def _map(
    processes: int, function: Callable[..., T], tasks: Sequence[tuple[object, ...]], progress: Progress
) -> list[T]:
    """`function(*task)` of every task in worker processes, in order; each is a step."""
    values: dict[str, T] = {}
    with LocalEngine(processes) as engine:
        for outcome in engine.run(Task(str(number), function, task) for number, task in enumerate(tasks)):
            if outcome.error is not None:
                raise CardgymError(f"{function.__name__}: {outcome.error}")
            values[outcome.key] = outcome.value
            progress.advance()
    return [values[str(number)] for number in range(len(tasks))]


def _processor_time() -> float:
    """Return the processor time of this process, and of those that it started and that have ended, in seconds."""
    return sum(os.times()[:4])


def _compile_all() -> None:
    """Compile everything before it is timed, and before several processes wait for one another to do it."""
    small = Scale(iterations=1, training_games=2)
    for case in (CREDITS, in_way(CREDITS, "legal")):
        run = train_case(case, 0, small)
        play(Match(case.options, [run.final, "heuristic"], 2, 0))
    for _, training in list_tabular_trainings({CREDITS: [run]}, Scale(seeds=1, decisions=1000, games=2)):
        train_tabular(training)
