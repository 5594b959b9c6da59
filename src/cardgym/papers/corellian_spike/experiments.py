"""All of the page's experiments: train every case, then play the matches of the tables."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from cardgym.console.progress import Progress
from cardgym.engine.registry import find, registered
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
    Scale,
    Score,
    TabularResult,
    TrainingRun,
    in_way,
    play,
    train_case,
    train_tabular,
)
from cardgym.players import PlayerSpec

SEATINGS = ((2, 10), (4, 10), (8, 2))
"""Numbers of players and hands: table 4 of the paper."""


@dataclass
class Results:
    """The results of all experiments.

    Attributes:
        runs: training runs by case, one for each seed.
        scores: the players' scores in the matches, by what the match is for, one match for each seed.
        tabular: results of the tabular trainings, by what they are for, one for each seed.
        processor_seconds: the processor time of it all.
    """

    runs: dict[Case, list[TrainingRun]] = field(default_factory=dict)
    scores: dict[tuple[object, ...], list[list[Score]]] = field(default_factory=dict)
    tabular: dict[tuple[str, str], list[TabularResult]] = field(default_factory=dict)
    processor_seconds: float = 0.0


def run_all(scale: Scale, progress: Progress) -> Results:
    """Train every case, then play the matches and run the tabular trainings that need the trained policies."""
    start = time.process_time()
    results = Results()
    progress(0, 4 * len(CASES) * scale.seeds)  # A guess until the matches are known.
    train_case(CREDITS, 0, replace(scale, iterations=1, training_games=2))  # Compiles, which is not timed.
    for case in CASES:
        for number in range(scale.seeds):
            results.runs.setdefault(case, []).append(train_case(case, scale.base_seed + number, scale))
            progress.advance()
    matches = list_matches(results.runs, scale)
    tabular = list_tabular_trainings(results.runs, scale)
    done = len(CASES) * scale.seeds
    progress(done, done + len(matches) + len(tabular))
    for key, match in matches:
        results.scores.setdefault(key, []).append(match())
        progress.advance()
    for kind, learn in tabular:
        results.tabular.setdefault(kind, []).append(learn())
        progress.advance()
    results.processor_seconds = time.process_time() - start
    return results


# -- which experiments ------------------------------------------------------------------------------------------------


def list_matches(
    runs: dict[Case, list[TrainingRun]], scale: Scale
) -> list[tuple[tuple[object, ...], Callable[[], list[Score]]]]:
    """Return the matches of all tables, each with its key in `Results.scores`, one for each training run."""
    matches: list[tuple[tuple[object, ...], Callable[[], list[Score]]]] = []

    def add(key: tuple[object, ...], options: CorellianSpikeOptions, players: Sequence[PlayerSpec], seed: int) -> None:
        matches.append((key, partial(play, options, players, scale.games, scale.base_seed + seed)))

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
) -> list[tuple[tuple[str, str], Callable[[], TabularResult]]]:
    """Return the tabular trainings by key in `Results.tabular`: its end, and the state model or the opponent."""
    trainings: list[tuple[tuple[str, str], Callable[[], TabularResult]]] = []
    for seed in range(scale.base_seed, scale.base_seed + scale.tabular_seeds):
        paper = runs[CREDITS][seed % scale.seeds].final
        judges: tuple[PlayerSpec, ...] = (paper, "initial", "heuristic")
        credits = CorellianSpikeOptions(reward="credits")
        learn = partial(train_tabular, scale, seed)
        for model in STATE_MODELS:
            trainings += [
                (("credits", model), partial(learn, model, paper, judges, credits)),
                (("best hand", model), partial(learn, model, "heuristic", judges, BEST_HAND)),
            ]
        if LEDUC not in registered():
            continue
        leduc = find(LEDUC).parse_options()
        trainings += [
            (("leduc", opponent), partial(learn, "full", opponent, (opponent,), leduc, LEDUC))
            for opponent in ("random", "honest")
        ]
    return trainings
