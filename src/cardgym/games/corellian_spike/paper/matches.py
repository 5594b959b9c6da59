"""Which matches the tables of the Corellian Spike paper ask for, and what its own tables say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cardgym.engine.registry import find
from cardgym.games.corellian_spike.batch_q.config import ENV
from cardgym.games.corellian_spike.batch_q.learner import transferred
from cardgym.games.corellian_spike.paper.runs import (
    CREDITS,
    FOUR,
    WEIGHTED,
    Case,
    Learning,
    Match,
    Plan,
    Results,
    legal,
    matched,
)
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.players.base import Player, PlayerSpec, resolve

OPPONENTS = ("random-table", "initial", "intermediate", "credits-only", "heuristic", "double DQN")
"""Rows of tables 2 and 3: the paper's opponents, then ours. `random-table` is the paper's random policy."""

PAPER = {
    ("credits", "random-table"): (35.6, 90, 0, 499),
    ("credits", "initial"): (-2.4, 64, 17, 0),
    ("credits", "intermediate"): (1.0, 49, 151, 180),
    ("weighted", "random-table"): (38.4, 95, 1, 624),
    ("weighted", "initial"): (-0.1, 63, 208, 157),
    ("weighted", "intermediate"): (-0.8, 49, 906, 891),
    ("weighted", "credits-only"): (0.6, 54, 569, 555),
}
"""Tables 2 and 3 of the paper: the policy's credits a game and percent of hands, its busts, the opponent's."""

PAPER_HUMAN = {"credits": "-50, 20 % of one game's hands", "weighted": "-25 a game, 27 % of 11 hands"}

PAPER_SEATS = {
    (2, 10): ((18.3, 64, 329), (-18.3, 36, 1044)),
    (4, 10): ((1.7, 27, 575), (-1.6, 26, 619)),
    (8, 2): ((-1.2, 12, 0), (1.0, 14, 0)),
}
"""Table 4, by seats and hands: credits, percent of hands and busts of the 2-player policy, then of the 4-player one."""

SEATINGS = ((2, 10), (4, 10), (8, 2), (8, 10))

DEEP_OPPONENTS = ("random", "initial", "heuristic", "credits", "weighted", "credits, legal", "weighted, legal")


def load_deep(paths: Sequence[Path]) -> list[Player]:
    """The deep agents of some checkpoints, each asked for two players."""
    return [resolve(path, find(ENV), CorellianSpikeOptions()) for path in paths]


def wanted_matches(results: Results, plan: Plan, deep: Sequence[Player]) -> dict[tuple[object, ...], list[Match]]:
    """The matches of all tables, one for each training run, by table, row and exploration."""
    asked: dict[tuple[object, ...], list[Match]] = {}
    two = CorellianSpikeOptions()

    def ask(key: tuple[object, ...], options: CorellianSpikeOptions, players: Sequence[PlayerSpec], seed: int) -> None:
        asked.setdefault(key, []).append(Match(options, players, plan.games, plan.base_seed + seed))

    for reward, base in (("credits", CREDITS), ("weighted", WEIGHTED)):
        for case in (base, legal(base)):
            for seed, run in enumerate(results.runs[case]):
                credits_run = results.runs[Case(exploration=case.exploration)][seed]
                rows: dict[str, PlayerSpec] = {name: name for name in ("random-table", "initial", "heuristic")}
                rows["intermediate"] = run.halfway
                if reward == "weighted":
                    rows["credits-only"] = credits_run.player()
                if deep:
                    rows["double DQN"] = deep[seed % len(deep)]
                for name, opponent in rows.items():
                    ask((reward, name, case.exploration), two, [run.player(), opponent], seed)
    for case in (matched(CREDITS), matched(legal(CREDITS))):
        for seed, run in enumerate(results.runs[case]):
            rows = {"random-table": "random-table", "initial": "initial", "intermediate": run.halfway}
            for name, opponent in rows.items():
                ask(("matched", name, case.exploration), case.options, [run.player(), opponent], seed)
    for seats, hands in SEATINGS:
        options = CorellianSpikeOptions(num_players=seats, hands=hands)
        for first, second in ((WEIGHTED, FOUR), (legal(WEIGHTED), legal(FOUR))):
            for seed in range(plan.seeds):
                pair = [
                    transferred(results.runs[case][seed].player().actions, case.options, options)
                    for case in (first, second)
                ]
                ask(("seats", (seats, hands), first.exploration), options, [*pair, *["initial"] * (seats - 2)], seed)
    for number, agent in enumerate(deep):
        for seed in range(plan.deep_seeds):
            run_of = seed % plan.seeds
            opponents: dict[str, PlayerSpec] = {name: name for name in ("random", "initial", "heuristic")}
            for name, case in (("credits", CREDITS), ("weighted", WEIGHTED)):
                opponents[name] = results.runs[case][run_of].player()
                opponents[f"{name}, legal"] = results.runs[legal(case)][run_of].player()
            for name in DEEP_OPPONENTS:
                ask(("deep", name, number), two, [agent, opponents[name]], seed)
    return asked


STATE_MODELS = {"": "the paper's code", "cards": "three cards for their sum", "spikes": "code and the opponent's spike"}


def wanted_learnings(results: Results, plan: Plan) -> list[Learning]:
    """Learning against the paper's final policy with each state model and budget, one run a seed."""
    found = []
    for budget in plan.budgets:
        for model in STATE_MODELS:
            for seed in range(plan.information_seeds):
                opponent = results.runs[CREDITS][seed % plan.seeds].player()
                judges = (opponent, "initial", "heuristic")
                found.append(Learning(model, plan.base_seed + seed, budget, opponent, judges, plan.games))
    return found
