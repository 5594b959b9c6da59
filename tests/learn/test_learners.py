"""What every learner promises, each with its own config: a learner joins by an entry in LEARNERS.

It learns, repeats itself bit for bit, survives being killed, stopped or out of disk, and refuses bad input in one line.
"""

import errno
import itertools
import json
import os
import signal
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch

from cardgym.arena import evaluate
from cardgym.cli import main
from cardgym.engine.contract import Game
from cardgym.errors import CardgymError
from cardgym.experiments.launch import flags_of
from cardgym.learn import ppo_networks
from cardgym.learn.config import GameConfig
from cardgym.learn.distill import DistillConfig
from cardgym.learn.dqn import DQNConfig
from cardgym.learn.nfsp import NFSPConfig
from cardgym.learn.ppo import PPOConfig
from cardgym.learn.saved_state import STATE_FILE, load_state, save_state
from cardgym.learn.tabular import TabularConfig
from cardgym.players import resolve
from cardgym.players.checkpoints import load_checkpoint
from killing import check_killed_run_ends_with_the_same_bits, check_run_that_is_asked_to_end_saves, check_same_bits
from learning_game import ROOT, trainer

COMMON: dict[str, Any] = {"env_id": "Tiny-v0", "eval_every": 0, "final_games": 0, "log_every": 1_000}
POOL = ("self=1", "snapshot@0.4:", "random=1@:0.6")
ALONE = {"env_options": {"num_players": 1}, "eval_opponents": ("random",)}


@dataclass(frozen=True)
class Learner:
    """A learner's part of the suite.

    Attributes:
        config: learns the tiny game.
        variants: changes of it with which it learns the game, too, by name.
        pool: changes with which everything random takes part.
        frozen: changes with which a training that starts from a checkpoint leaves its weights.
        short: the steps of the runs that are stopped.
        bad: words after the id of the game, and the error.
        checkpoint: the file of the learner.
    """

    config: GameConfig
    variants: dict[str, dict[str, Any]]
    pool: dict[str, Any]
    frozen: dict[str, Any] | None = None
    short: int = 1_500
    bad: dict[tuple[str, ...], str] = field(default_factory=dict)
    checkpoint: str = "model.safetensors"


LEARNERS = {
    "dqn": Learner(
        DQNConfig(
            **COMMON, total_steps=6_000, num_envs=32, hidden_sizes=(32,), learning_starts=200, train_frequency=8,
            batch_size=64, learning_rate=3e-3, learning_rate_final=3e-4, target_update_interval=20, buffer_size=4_000,
        ),
        {
            "double": {},
            "dqn": {"double": False},
            "dueling-wide-soft": {
                "dueling": True, "wide": True, "tau": 0.05, "target_update_interval": 1,
                "max_grad_norm": 10.0,
            },
            "one-player": ALONE,
            "self-play": {"opponents": ("self=1", "snapshot=1"), "snapshot_every": 1_000},
            "second-seat": {"seat": 1},
        },
        {"opponents": ("perfect=1", *POOL), "snapshot_every": 300},
        {"learning_starts": 100_000},
        bad={("--buffer-size", "100000000000000"): "buffer_size", ("--seat", "2"): "seat=2"},
    ),
    "ppo": Learner(
        PPOConfig(
            **COMMON, total_steps=10_000, num_envs=32, num_steps=8, hidden_sizes=(32,), learning_rate=1e-2,
            learning_rate_final=1e-3, num_minibatches=4, ent_coef=0.0, ent_coef_final=0.0, magnet_coef=0.05,
        ),
        {
            "ema": {},
            "average": {"magnet": "none", "average_tau": 0.1},
            "uniform": {"magnet": "uniform", "magnet_coef": 0.01},
            "features": {"action_features": ("parity",), "magnet": "none"},
            "all-seats": {"normalize": True, "critic": "all"},
            "device": {"device_games": True, "opponents": ("self=1",), "average_tau": 0.1},
            "pool": {"opponents": POOL, "snapshot_every": 1_000},
            "one-player": {**ALONE, "critic": "all"},
        },
        {"opponents": POOL, "snapshot_every": 300, "average_tau": 0.1, "normalize": True, "critic": "all"},
        {"learning_rate": 1e-30, "learning_rate_final": 0.0, "magnet": "none"},
        bad={("--action-features", "nose"): "nose", ("--magnet", "emma"): "did you mean 'ema'?"},
    ),
    "nfsp": Learner(
        NFSPConfig(
            **COMMON, total_steps=8_000, num_envs=32, hidden_sizes=(32,), learning_rate=1e-2, sl_learning_rate=1e-2,
            anticipatory_param=0.5, exploration_initial_eps=0.5, exploration_fraction=0.5, learning_starts=500,
            train_frequency=16, batch_size=128, buffer_size=5_000, reservoir_size=5_000, target_update_interval=50,
        ),
        {
            "self": {},
            "variants": {"double": False, "dueling": True, "wide": True},
            "pool": {"opponents": POOL, "snapshot_every": 2_000},
            "one-player": ALONE,
        },
        {"opponents": POOL, "snapshot_every": 300, "reservoir_size": 300, "learning_starts": 200},
        {"learning_starts": 100_000},
        bad={("--reservoir-size", "100000000000000"): "reservoir_size"},
    ),
    "distill": Learner(
        DistillConfig(
            **COMMON, teacher="perfect", total_steps=4_000, num_envs=32, num_steps=4, hidden_sizes=(16,),
            batch_size=64, learning_rate=1e-2, learning_rate_final=1e-3,
        ),
        {"hidden": {}, "wide": {"wide": True, "hidden_sizes": (4,)}, "alone": {"teacher_share": 0.0}},
        {"teacher": "random", "opponents": POOL, "snapshot_every": 300},
        {"learning_rate": 1e-30, "learning_rate_final": 0.0},
        bad={
            ("--teacher", ""): "teacher: name the player to imitate",
            ("--teacher", "perfct"): "did you mean 'perfect'?",
            ("--teacher", "perfect", "--temperature", "-1"): "temperature=-1.0: allowed: a number of at least 0",
            ("--teacher", "perfect", "--temperature", "1e-300"): "temperature=1e-300: allowed are numbers from 1e-30",
        },
    ),
    "tabular": Learner(
        TabularConfig(
            **{name: value for name, value in COMMON.items() if name != "log_every"}, observation="plain",
            total_steps=60_000, table_size=4_000, exploration_final_eps=0.0, visits_power=0.7, learning_rate=1.0,
            learning_rate_final=1.0,
        ),
        {
            f"{algorithm} against {opponents[0]}": {"algorithm": algorithm, "opponents": opponents}
            for algorithm in ("q_learning", "sarsa")
            for opponents in (("random=1",), ("self=1",), ("perfect=1", "random=1"))
        },
        {"opponents": ("perfect=1@0.3:", "self=1")},
        short=200_000,
        bad={
            ("--algorithm", "sarssa"): "did you mean 'sarsa'",
            ("--opponents", "snapshot=1"): "keeps no copies",
            ("--observation", ""): "does not number its states",
            ("--seat", "2"): "seat=2: Tiny-v0 has seats 0 to 1 here",
            ("--seat", "-2"): "seat=-2: allowed",
            ("--num-deals", "-1"): "num_deals=-1: allowed",
        },
        checkpoint="q_table.safetensors",
    ),
}  # fmt: skip
EVERY = pytest.mark.parametrize("name", LEARNERS)
brief = pytest.mark.usefixtures("_few_decisions_measured")
posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@pytest.fixture
def _few_decisions_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let PPO measure its observations over a few decisions, in trainings of this process."""
    monkeypatch.setattr(ppo_networks, "_DECISIONS", 1_000)


def words(config: GameConfig, **changes: Any) -> list[str]:
    """A config as flags, of the keys that are not the defaults; any process can find its game."""
    values = config.replace(env_id="register_tiny:Tiny-v0", **changes).model_dump()
    defaults = type(config)().model_dump()
    return flags_of({name: value for name, value in values.items() if value != defaults[name]})


def train(name: str, folder: Path, resume: bool = False, **changes: Any) -> bytes:
    """Train a learner with its short config; the content of its checkpoint."""
    learner = LEARNERS[name]
    trainer(name).train(learner.config.replace(**changes), folder, resume)
    return (folder / learner.checkpoint).read_bytes()


# -- learning ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "variant"), [(name, variant) for name, learner in LEARNERS.items() for variant in learner.variants]
)
def test_learns_to_play_the_tiny_game(tiny: Game, tmp_path: Path, name: str, variant: str) -> None:
    changes = LEARNERS[name].variants[variant]
    train(name, tmp_path, **changes, final_games=20)
    options = tiny.parse_options(changes.get("env_options"))
    greedy = ":greedy" if name in ("ppo", "nfsp", "distill") else ""
    player = resolve(f"{tmp_path / LEARNERS[name].checkpoint}{greedy}", tiny, options)
    report = evaluate(tiny, options, [player, *["random"] * (options.num_players - 1)], games=200, seed=1)
    # The share of right actions among the turns of all seats: perfect play gets all of its seat's.
    assert report.players[0].win_rate == 1.0 / options.num_players
    (results,) = json.loads((tmp_path / "results.json").read_text())["results"].values()
    assert results["win_rate"][0] > 0.3
    events = b"".join(path.read_bytes() for path in tmp_path.glob("events.out.tfevents.*"))
    assert b"_hparams_/session_start_info" in events  # Beside the final results.


@brief
@EVERY
def test_same_seed_gives_the_same_bits_and_another_seed_does_not(tiny: Game, tmp_path: Path, name: str) -> None:
    changes = {"total_steps": 2_000, **LEARNERS[name].pool}
    one, two, three = (train(name, tmp_path / f"{i}", seed=seed, **changes) for i, seed in enumerate((5, 5, 6)))
    assert one == two != three


@brief
@pytest.mark.parametrize("name", [name for name, learner in LEARNERS.items() if learner.frozen is not None])
def test_training_continues_from_another_checkpoint(
    tiny: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    learner = LEARNERS[name]
    variants: list[dict[str, Any]] = [{}, {"wide": True} if name != "nfsp" else {"gamma": 0.9}]
    if name == "ppo":
        variants[1] |= {"normalize": True, "critic": "all"}
    for number, changes in enumerate(variants):
        first, second = tmp_path / f"first{number}", tmp_path / f"second{number}"
        train(name, first, total_steps=2_000, **changes)
        start = {"init_from": str(first / learner.checkpoint), **(learner.frozen or {})}
        train(name, second, total_steps=1_000, **changes, **start)
        assert ("never updated" in capsys.readouterr().err) == ("learning_starts" in start)
        one, two = (
            load_checkpoint(path / learner.checkpoint, tiny, tiny.parse_options())[0] for path in (first, second)
        )
        for old, new in zip(one.parameters(), two.parameters(), strict=True):
            torch.testing.assert_close(old, new)


# -- resuming ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dqn", *(pytest.param(n, marks=pytest.mark.slow) for n in LEARNERS if n != "dqn")])
def test_killed_run_ends_with_the_same_bits_when_resumed(
    tiny: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    learner, steps = LEARNERS[name], 700_000 if name == "tabular" else 4_000
    often = {"total_steps": steps, "save_every": steps // 12, "eval_every": steps // 3, "eval_games": 20}
    flags = words(learner.config, **learner.pool, **often, eval_opponents=("random",))
    check_killed_run_ends_with_the_same_bits(
        lambda more: main(["train", name, *more]), [str(ROOT / "train" / f"{name}.py")], flags, None, tmp_path, capsys,
        suffixes=(".safetensors",),
    )  # fmt: skip
    left = {path.name for path in (tmp_path / "killed").iterdir() if not path.name.endswith(".part")}
    wanted = {learner.checkpoint, "resume.safetensors", "results.json"}
    assert {file for file in left if "tfevents" not in file} == wanted


@posix
@brief
@pytest.mark.parametrize(
    ("name", "by", "device"),
    [
        *((name, signal.SIGTERM, {}) for name in LEARNERS),
        ("dqn", signal.SIGINT, {}),
        *(("ppo", signal.SIGTERM, {"device_games": True, "opponents": (other,)}) for other in ("self=1", "random=1")),
    ],
    ids=str,
)
def test_terminated_run_saves_and_resumes_with_the_same_bits(
    tiny: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    name: str, by: signal.Signals, device: dict[str, Any],
) -> None:  # fmt: skip
    learner = LEARNERS[name]
    flags = words(learner.config, **(device or learner.pool), total_steps=learner.short)
    check_run_that_is_asked_to_end_saves(
        lambda more: main(["train", name, *more]), flags, tmp_path, monkeypatch, capsys, by
    )


@brief
@EVERY
@pytest.mark.parametrize("number", [errno.ENOSPC, pytest.param(errno.EDQUOT, marks=pytest.mark.slow)])
def test_full_disk_ends_a_training_in_one_line_and_it_resumes_when_there_is_room(
    tiny: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    name: str, number: int,
) -> None:  # fmt: skip
    learner = LEARNERS[name]
    flags = words(learner.config, **learner.pool, total_steps=learner.short, save_every=learner.short // 4)
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    assert main(["train", name, *flags, "--out", str(whole)]) == 0
    saves = itertools.count()

    def refuse(file: int) -> None:
        if next(saves) >= 3:  # Two files a save: the second save has its checkpoint, and no state.
            raise OSError(number, os.strerror(number))

    capsys.readouterr()
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", refuse)
        assert main(["train", name, *flags, "--out", str(stopped)]) == 2
    *_, line = capsys.readouterr().err.splitlines()
    assert line == f"{name}.py: cannot write {stopped / STATE_FILE}: {os.strerror(number)}"
    assert not list(stopped.glob(".*.part"))
    assert main(["train", name, *flags, "--out", str(stopped), "--resume"]) == 0
    assert "nothing to resume" not in capsys.readouterr().err
    check_same_bits(whole, stopped, (".safetensors",))


@EVERY
def test_run_is_resumed_with_the_hyper_parameters_it_began_with(
    tiny: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    learner = LEARNERS[name]
    train(name, tmp_path, total_steps=1_000)
    assert main(["train", name, "--env-id", "Tiny-v0", "--out", str(tmp_path)]) == 2
    assert "has a run already" in capsys.readouterr().err
    with pytest.raises(CardgymError, match=r"began with seed=1, not 7"):
        train(name, tmp_path, True, total_steps=1_000, seed=7)
    state = load_state(tmp_path / STATE_FILE)  # As an earlier version saved it, which lacked a key.
    began = json.loads(state["config"])
    del began["seat"]
    save_state(tmp_path / STATE_FILE, {**state, "config": json.dumps(began)})
    trainer(name).train(learner.config.replace(total_steps=1_000), tmp_path, True)
    with pytest.raises(CardgymError, match=r"began with seat=-1, not 0"):
        train(name, tmp_path, True, total_steps=1_000, seat=0)


# -- bad input --------------------------------------------------------------------------------------------------------

BAD: dict[tuple[str, ...], str] = {
    ("--env-id", "Tinny-v0"): "did you mean 'Tiny-v0'?",
    ("--env-options", "turns=99"): "turns=99",
    ("--opponents", "perfct"): "did you mean 'perfect'?",
    ("--opponents", "random=x"): "write it as name=weight",
    ("--opponents", "self=1", "random=1@0.6:0.2"): "shares of the training from which and up to which",
    ("--opponents", "random=1@:0.5"): "none from 0.5 to 1 of the training",
    ("--eval-opponents", "perfct"): "did you mean 'perfect'?",
    ("--observation", "plan"): "did you mean 'plain'?",
    ("--gama", "1"): "unknown option '--gama'",
    ("--learning-rate", "0"): "learning_rate=0.0: allowed: a number above 0",
}


@pytest.mark.parametrize(
    ("name", "bad"), [(name, bad) for name, learner in LEARNERS.items() for bad in {**BAD, **learner.bad}]
)
def test_bad_input_is_one_line_and_leaves_nothing(
    tiny: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Any, name: str, bad: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    learner = LEARNERS[name]
    assert {**BAD, **learner.bad}[bad] in refused("train", name, *words(learner.config), *bad)
    assert list(tmp_path.rglob("*")) == []
