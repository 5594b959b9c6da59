"""The metric of a sweep: exact exploitability where it is known, else what the game's players play for."""

import json
from pathlib import Path
from typing import Any

import pytest

from cardgym import find
from cardgym.engine.contract import RETURN
from cardgym.experiments.launch import RESULTS, Run
from cardgym.experiments.sweep import RunResult, result_of
from cardgym.experiments.sweep_report import metric_of, table
from cardgym.learn.evaluation import results_tables, summary

RANDOM = {"random": {"win_rate": [0.5, [0.4, 0.6]], "mean_return": [1.5, [1.0, 2.0]]}}


def ended(folder: Path, label: str, seed: int, **document: Any) -> RunResult:
    run = Run(f"{label}/seed{seed}", (), {"key": label}, seed)
    (folder / run.name).mkdir(parents=True)
    (folder / run.name / RESULTS).write_text(json.dumps({"results": RANDOM, **document}))
    return result_of(run, folder / run.name, 0)


def test_settings_are_compared_by_exploitability_the_lowest_first(tmp_path: Path) -> None:
    results = [
        ended(tmp_path, label, seed, exploitability=value + seed)
        for label, value in (("a", 0.5), ("b", 0.25))
        for seed in (1, 2)
    ]
    game = find("CorellianSpike-v0")
    assert metric_of(game, results) == "exploitability"
    head, rows = table(results, "exploitability")
    assert head == ["options", "runs", "exploitability", "exploitability, IQM"]
    assert [row[0] for row in rows] == ["b", "a"]
    assert rows[0][2].startswith("1.7500")
    head, rows = table(results, "mean_return")
    assert head == ["options", "runs", "mean return against random", "mean return, IQM"]
    assert metric_of(game, [*results, ended(tmp_path, "c", 1)]) == "mean_return"


@pytest.mark.parametrize(
    ("env", "metric"),
    [("CorellianSpike-v0", "mean_return"), ("Coda-v0", "win_rate"), ("OnePlayPoker-v0", "net_profit_per_game")],
)
def test_games_are_compared_by_what_their_players_play_for(env: str, metric: str) -> None:
    game = find(env)
    assert metric_of(game, []) == metric
    assert (metric in game.metrics) == (game.payoff != RETURN)


def test_logs_and_tables_of_a_paid_game_begin_with_credits() -> None:
    results: Any = {"random": {"win_rate": (0.5, (0.4, 0.6)), "mean_return": (1.5, (1.0, 2.0))}}
    game = find("CorellianSpike-v0")
    assert summary(game, results) == "credits a game +1.50 against random; wins 50.0% against random"
    assert summary(find("Coda-v0"), results, 0.25) == "exploitability 0.25; wins 50.0% against random"
    (columns,) = ([str(column.header) for column in one.columns] for one in results_tables(game, results, 100))
    assert "mean return" in columns[1]
    assert "win rate" in columns[2]
