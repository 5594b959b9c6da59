"""train/league.py: exploitability falls by generation, and a league that was killed ends with the same bits."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from cardgym import find
from cardgym.experiments import launch
from cardgym.experiments.league import LeagueConfig
from cardgym.experiments.trainers import Trainer
from cardgym.learn.tags import EXPLOITABILITY
from cardgym.learn.tensorboard import read_curves
from cardgym.players import resolve
from cardgym.scaling.stopping import Stopped
from cardgym.solvers.best_response import expected_returns
from cardgym.solvers.exact import tree_exploitability
from cardgym.solvers.strategies import mixed_strategy
from cardgym.solvers.tree import enumerate_tree
from killing import SEARCH_PATH
from learning_game import ROOT, trainer

ENV = "KuhnPoker-v0"
GAME = find(ENV)
OPTIONS = GAME.parse_options()
TRAINER = ROOT / "examples" / "kuhn_poker" / "configs" / "q_learning.toml"
WORDS = [
    "--env-id", ENV, "--trainer", "tabular", "--trainer-config", str(TRAINER), "--games", "400", "--workers", "1",
    "--trainer-options", "total_steps=100000", "eval_every=0", "final_games=0",
]  # fmt: skip


@pytest.fixture(scope="module")
def league() -> Trainer:
    return trainer("league")


def results(folder: Path) -> dict[str, bytes]:
    """What a league leaves that its config decides."""
    files = [
        *folder.glob("*.json"),
        *folder.glob("mixtures/*"),
        *folder.glob("games/ranges/*"),
        *folder.rglob("policy.*"),
    ]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.slow
def test_killed_league_resumes_with_the_same_bits_and_gets_harder_to_exploit(
    league: Trainer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*WORDS, "--generations", "1"]
    whole, killed, log = tmp_path / "whole", tmp_path / "killed", tmp_path / "log"
    assert league.run("league", [*words, "--out", str(whole)]) == 0
    with log.open("wb") as file:
        run = subprocess.Popen(
            [sys.executable, str(ROOT / "train" / "league.py"), *words, "--out", str(killed)],
            env={**os.environ, "PYTHONPATH": SEARCH_PATH}, stderr=file, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    while not (killed / "generation_01" / "log.txt").exists():
        assert run.poll() is None, log.read_text()
        time.sleep(0.01)
    time.sleep(random.Random().uniform(0, 3))  # Not seeded: killed while it trains, and perhaps after.
    run.kill()
    run.wait()
    assert league.run("league", [*words, "--out", str(killed), "--resume"]) == 0
    one, other = results(whole), results(killed)
    assert one.keys() == other.keys()
    assert [name for name, content in one.items() if content != other[name]] == []

    generations = json.loads((whole / "league.json").read_text())["generations"]
    exact = [generation["exploitability"] for generation in generations]
    assert exact[0] == pytest.approx(0.4583, abs=1e-4)  # Of `random`, by hand in examples/kuhn_poker.
    assert exact[1] < exact[0]
    assert generations[0]["gain_ci95"][0] < exact[0] < generations[0]["gain_ci95"][1] + 0.1
    played = resolve(whole / generations[1]["mixture"], GAME, OPTIONS)
    assert tree_exploitability(GAME, OPTIONS, played) == (exact[1], None)
    assert (whole / "exploitability.png").read_bytes().startswith(b"\x89PNG")

    # It continues as it began, or not at all.
    assert league.run("league", [*WORDS, "--generations", "2", "--games", "500", "--out", str(whole), "--resume"]) == 2
    assert "began with games=400" in capsys.readouterr().err


def test_league_in_one_process_logs_exploitability_by_decisions_and_resumes(
    league: Trainer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--env-id", ENV, "--engine", "none", "--trainer", "tabular", "--games", "18", "--trainer-options"]
    words += ["total_steps=5000", "eval_every=0", "final_games=0"]
    whole, resumed = tmp_path / "whole", tmp_path / "resumed"
    assert league.run("league", [*words, "--generations", "2", "--out", str(whole)]) == 0
    assert "only 9 deals" in capsys.readouterr().out
    steps, curve = read_curves(whole)[EXPLOITABILITY]
    generations = json.loads((whole / "league.json").read_text())["generations"]
    assert steps == [0, 5000, 10_000]
    assert curve == pytest.approx([generation["exploitability"] for generation in generations])
    assert curve[0] == pytest.approx(11 / 24)
    assert json.loads((whole / "results.json").read_text())["cpu_seconds"] > 0

    assert league.run("league", [*words, "--generations", "1", "--out", str(resumed)]) == 0
    begun = (resumed / "generation_01" / "results.json").stat().st_mtime_ns
    assert league.run("league", [*words, "--generations", "2", "--out", str(resumed), "--resume"]) == 0
    assert (resumed / "generation_01" / "results.json").stat().st_mtime_ns == begun
    assert read_curves(resumed)[EXPLOITABILITY] == (steps, curve)
    assert (resumed / "league.json").read_bytes() == (whole / "league.json").read_bytes()


def test_a_terminated_training_in_this_process_ends_the_league(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Trainer, "run", lambda self, name, words: 128 + signal.SIGTERM)
    with pytest.raises(Stopped) as stopped:
        launch.train_here("tabular", [], str(tmp_path))
    assert stopped.value.number == signal.SIGTERM


def test_a_mixture_earns_what_its_players_earn_by_their_weights() -> None:
    """Whatever the other seat plays: one player is drawn for a whole game, so probabilities are weighed by reach."""
    tree = enumerate_tree(GAME, OPTIONS)
    starts, generator = tree.arrays.first_choice[:-1], np.random.default_rng(1)
    others, *strategies = generator.random((3, tree.num_choices)) ** 4
    for strategy in (others, *strategies):
        strategy /= np.repeat(np.add.reduceat(strategy, starts), np.diff(tree.arrays.first_choice))
    mixed = mixed_strategy(tree, strategies, [0.3, 0.7])
    for seat in range(2):
        own = np.repeat(tree.arrays.set_seats == seat, np.diff(tree.arrays.first_choice))
        one, other, both, even = (
            expected_returns(tree, np.where(own, strategy, others))[seat]
            for strategy in (*strategies, mixed, 0.3 * strategies[0] + 0.7 * strategies[1])
        )
        assert both == pytest.approx(0.3 * one + 0.7 * other)
        assert (even == pytest.approx(both)) == (seat == 1)  # Who decides once in a game has no reach of its own.


def test_training_that_fails_names_its_log(league: Trainer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*WORDS, "--trainer-options", "observation=none", "--generations", "1"]
    assert league.run("league", [*words, "--out", str(tmp_path / "run")]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert "generation 1: the training ended with exit code 2" in last
    assert "unknown observation" in Path(last.rpartition("see ")[2]).read_text()


def test_engine_and_workers_do_not_change_a_league() -> None:
    config = LeagueConfig(env_id=ENV)
    assert config.replace(engine="ray", workers=3, generations=99).lasting() == config.lasting()
    assert config.replace(seed=2).lasting() != config.lasting()
