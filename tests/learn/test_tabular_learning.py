"""Q-learning and Sarsa: agreement with a dictionary, masks, ties, optimal play, resuming and files."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cardgym import CardgymError, find
from cardgym.arena import evaluate
from cardgym.learn.tabular.learner import TabularConfig, TabularLearner
from cardgym.learn.tabular.loop import best_legal, greedy_legal
from cardgym.players.base import resolve
from cardgym.players.q_table import hash_of, save_q_table
from cardgym.solvers.policies import policy_of
from cardgym.solvers.solve import solver

POKER = "OnePlayPoker-v0"
SPIKE = "CorellianSpike-v0"
ROOT = Path(__file__).parents[2]


def learner(**settings):
    config = TabularConfig(**settings)
    game = find(config.env)
    return TabularLearner(game, game.parse_options(), config)


def exact_share(learned):
    known = solver(learned.game, learned.options)
    value = known.value(policy_of(known.mdp, learned.player())).mean
    return float(value / known.solve_exactly(1).value)


@pytest.mark.parametrize("algorithm", ["q_learning", "sarsa"])
@pytest.mark.parametrize("observation", ["", "full"])
def test_one_play_poker_is_nearly_solved(algorithm, observation):
    settings = {"epsilon_end": 0.5 if algorithm == "q_learning" else 0.0, "epsilon_share": 1.0}
    learned = learner(
        env=POKER, algorithm=algorithm, observation=observation, decisions=2_000_000, table_size=100_000,
        step_size=1.0, step_size_end=1.0, visits_power=0.7, **settings,
    )  # fmt: skip
    learned.advance(2_000_000)
    assert exact_share(learned) > 0.95
    # 5,536 states; the observation tells apart nothing less, though suits may be told in more ways.
    assert learned.states >= 5_000


def test_values_are_those_of_the_random_policy_where_all_is_random():
    """Sarsa with epsilon 1 values the uniform policy: the mean over first states is its exact value."""
    learned = learner(env=POKER, algorithm="sarsa", decisions=3_000_000, epsilon_start=1.0, epsilon_end=1.0,
                      step_size=0.5, step_size_end=0.001)  # fmt: skip
    learned.advance(3_000_000)
    known = solver(learned.game, learned.options)
    exact = float(known.value("random").mean)
    visits, values = learned.visits, learned.values
    # Every game starts in one of 16 equally likely states, each first dealt card: those visited most.
    first = np.argsort(-visits.sum(axis=1))[:16]
    assert values[first].mean() == pytest.approx(exact, abs=0.02)


def test_no_illegal_action_is_ever_taken_or_looked_ahead_to():
    learned = learner(env=SPIKE, decisions=200_000, opponents=("random=1",), gamma=1.0)
    learned.values[:] = 1e9  # Were an illegal action's value read, it would stay in the targets.
    masks = np.zeros_like(learned.visits, np.bool_)
    codes = find(SPIKE).state_index.info_state_keys(learned.options) // 1_000_000 % 10
    for decision, actions in ((1, [0, 1, 2]), (2, [3, 4]), (3, [5, 6, 7, 8])):
        masks[np.ix_(codes == decision, actions)] = True
    learned.values[masks] = 0.0
    learned.advance(200_000)
    assert learned.visits[~masks].sum() == 0
    assert learned.visits[masks].sum() > 150_000
    assert np.abs(learned.values[masks]).max() < 1000


def test_ties_are_broken_at_random_among_legal_actions():
    generator = np.array([1, 0], np.uint64)
    values, mask = np.array([5.0, 1.0, 1.0, 0.0, 1.0]), np.array([0, 1, 1, 1, 1], np.int8)
    assert best_legal(values, mask) == 1.0
    taken = [greedy_legal(values, mask, generator) for _ in range(3000)]
    counts = np.bincount(taken, minlength=5)
    assert counts[0] == counts[3] == 0
    assert (np.abs(counts[[1, 2, 4]] - 1000) < 150).all()


@pytest.mark.parametrize(("env", "observation"), [(SPIKE, ""), (SPIKE, "cards"), (POKER, "")])
def test_learning_in_two_goes_is_learning_in_one(env, observation):
    settings = {"env": env, "observation": observation, "decisions": 3000, "table_size": 5000, "seed": 4}
    whole, first, second = learner(**settings), learner(**settings), learner(**settings)
    whole.advance(3000)
    first.advance(1234)
    second.load_state_dict({name: array.copy() for name, array in first.state_dict().items()})
    second.advance(3000)
    for name, array in whole.state_dict().items():
        assert (second.state_dict()[name] == array).all(), name


def test_a_table_of_observations_is_a_player_from_its_file(tmp_path):
    learned = learner(env=SPIKE, observation="spikes", decisions=50_000, table_size=50_000, deal_ends=True)
    learned.advance(50_000)
    path = tmp_path / "table.npz"
    save_q_table(path, learned.table(), learned.game, learned.options, "spikes")
    games = {"games": 200, "seed": 3}
    here = evaluate(SPIKE, None, [learned.player("a"), "random"], **games)
    there = evaluate(SPIKE, None, [str(path), "random"], **games)
    assert here.players[0].mean_return == there.players[0].mean_return
    with pytest.raises(CardgymError, match="made for num_players=2, not num_players=3"):
        resolve(path, learned.game, learned.game.parse_options({"num_players": 3}))
    with pytest.raises(CardgymError, match="made for CorellianSpike-v0, not for OnePlayPoker-v0"):
        resolve(path, find(POKER), find(POKER).parse_options())
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(CardgymError, match="truncated"):
        resolve(path, learned.game, learned.options)


def test_a_full_table_says_so():
    learned = learner(env=SPIKE, observation="cards", decisions=100_000, table_size=100)
    with pytest.raises(CardgymError, match="table_size=100: full after"):
        learned.advance(100_000)


def test_equal_observations_have_one_hash_and_others_another():
    zero = np.array([0.0, 1.0, 2.0], np.float32)
    assert hash_of(zero) == hash_of(np.array([-0.0, 1.0, 2.0], np.float32))
    rows = np.unique(np.random.default_rng(0).integers(0, 4, (2000, 5)), axis=0).astype(np.float32)
    assert len({int(hash_of(row)) for row in rows}) == len(rows)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"env": "Cribbage"}, "unknown game"),
        ({"env": SPIKE, "algorithm": "sarssa"}, "did you mean 'sarsa'"),
        ({"env": SPIKE, "opponents": ("initial=x",)}, "write it as name=weight"),
        ({"env": SPIKE, "observation": "card"}, "did you mean 'cards'"),
        ({"env": SPIKE, "step_size": 0.0}, "step_size=0.0: allowed"),
    ],
)
def test_bad_settings_are_one_line(settings, message):
    with pytest.raises(CardgymError, match=message):
        learner(**settings)


@pytest.mark.parametrize("name", ["bench_coda", "bench_tabular"])
def test_the_benchmarks_help_and_refuse_instead_of_running(name, monkeypatch, capsys):
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    for word, code in (("--help", 0), ("--nose", 2)):
        monkeypatch.setattr(sys, "argv", [name, word])
        with pytest.raises(SystemExit) as stop:
            bench.main()
        assert stop.value.code == code
        told = capsys.readouterr()
        assert "usage: " in told.out + told.err


def test_the_scripts_train_resume_and_refuse(tmp_path):
    def script(name, *words, fails=False):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        done = subprocess.run(
            [sys.executable, str(ROOT / "train" / name), *words], capture_output=True, text=True, env=environment
        )
        assert (done.returncode == 2) == fails, done.stderr
        assert "Traceback" not in done.stderr
        return done.stderr

    small = ["--decisions", "4000", "--save-every", "2000", "--eval-every", "0", "--final-games", "20"]
    script("tabular.py", "--env", POKER, *small, "--out", str(tmp_path / "a"))
    assert (tmp_path / "a" / "policy.json").exists()
    assert "holds a run already" in script(
        "tabular.py", "--env", POKER, *small, "--out", str(tmp_path / "a"), fails=True
    )
    assert "did you mean" in script("tabular.py", "--desicions", "5", fails=True)
    small = ["--iterations", "2", "--games", "10", "--save-every", "1", "--eval-games", "0", "--final-games", "20"]
    script("batch_q.py", *small, "--out", str(tmp_path / "b"))
    names = {path.name for path in (tmp_path / "b").glob("*.json")}
    assert names == {"policy_0.json", "policy_1.json", "policy_2.json", "results.json"}
    for run in ("a", "b"):  # The last figures stand beside the hyper-parameters in TensorBoard.
        assert any(b"_hparams_/session_start_info" in path.read_bytes() for path in (tmp_path / run).rglob("events*"))
    script("batch_q.py", *small, "--out", str(tmp_path / "b"), "--resume")
    assert "num_players" in script("batch_q.py", "--set", "num_players=9", fails=True)
