"""train/distill.py: it imitates players of every kind, repeats itself bit for bit, and survives being killed."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from learning_game import SCRIPT, load_script

from cardgym.arena import evaluate
from cardgym.engine.contract import Game
from cardgym.errors import CardgymError
from cardgym.learn.distill import DistillConfig, DistillLearner, Labeled, Teacher, cross_entropy
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.players import resolve, softmax
from cardgym.players.checkpoints import save_checkpoint
from cardgym.players.mixture_file import save_mixture
from cardgym.players.networks import NetworkPlayer, NetworkShape, QNetwork
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer, log_probabilities
from killing import check_killed_run_ends_with_the_same_bits

QUICK = DistillConfig(
    env_id="Tiny-v0",
    teacher="perfect",
    total_steps=4_000,
    num_envs=32,
    num_steps=4,
    hidden_sizes=(16,),
    batch_size=64,
    learning_rate=1e-2,
    learning_rate_final=1e-3,
    eval_opponents=("random",),
    eval_every=0,
    final_games=100,
    log_every=1_000,
    save_every=1_000,
)
SHORT = QUICK.replace(total_steps=1_000, final_games=0)


@pytest.fixture(scope="module")
def distill() -> ModuleType:
    return load_script(SCRIPT.with_name("distill.py"))


def model(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


@pytest.mark.parametrize("changes", [{}, {"wide": True, "hidden_sizes": (4,)}, {"teacher_share": 0.0}])
def test_network_imitates_its_teacher(distill: ModuleType, tiny: Game, tmp_path: Path, changes: dict[str, Any]) -> None:
    distill.train(QUICK.replace(**changes), tmp_path, False)
    options = tiny.parse_options()
    player = resolve(f"{tmp_path / 'model.safetensors'}:greedy", tiny, options)
    report = evaluate(tiny, options, [player, "perfect"], games=100, seed=1)
    assert report.players[0].win_rate == 0.5  # The share of right actions: nobody made a mistake.


def test_same_seed_gives_the_same_bits_and_another_seed_does_not(
    distill: ModuleType, tiny: Game, tmp_path: Path
) -> None:
    for name, seed in [("one", 5), ("two", 5), ("three", 6)]:
        distill.train(SHORT.replace(seed=seed, teacher="random"), tmp_path / name, False)
    assert model(tmp_path / "one") == model(tmp_path / "two")
    assert model(tmp_path / "one") != model(tmp_path / "three")


KILLED = [
    *("--env-id", "register_tiny:Tiny-v0", "--teacher", "perfect", "--total-steps", "6000", "--num-envs", "32"),
    *("--num-steps", "8", "--hidden-sizes", "32", "--batch-size", "64", "--final-games", "0"),
    *("--eval-opponents", "random", "--eval-games", "100", "--eval-every", "2000", "--save-every", "2000"),
]


@pytest.mark.slow
def test_killed_run_ends_with_the_same_bits_when_resumed(
    distill: ModuleType, tiny: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = [str(SCRIPT.with_name("distill.py"))]
    evaluations = ("2,048 of 6,000 steps", "4,096 of 6,000 steps")
    check_killed_run_ends_with_the_same_bits(
        distill.main, script, KILLED, evaluations, tmp_path, capsys, suffixes=(".safetensors",)
    )


@pytest.mark.parametrize(
    ("words", "needle"),
    [
        ([], "teacher: name the player to imitate"),
        (["--teacher", "perfct"], "did you mean 'perfect'?"),
        (["--teacher", "perfect", "--temperature", "-1"], "temperature=-1.0: allowed: a number of at least 0"),
    ],
)
def test_script_refuses_in_one_line(
    distill: ModuleType, tiny: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], needle: str
) -> None:
    assert distill.main(["--env-id", "Tiny-v0", "--out", str(tmp_path / "run"), *words]) == 2
    assert needle in capsys.readouterr().err


# -- the teacher ------------------------------------------------------------------------------------------------------


def asked(tiny: Game, name: str, temperature: float = 0.0) -> tuple[Teacher, SelfPlayRollout]:
    """A teacher, and games that wait for a decision."""
    options = tiny.parse_options()
    pool = OpponentPool.parse(["self=1"])
    player = NetworkPlayer("learner", QNetwork(NetworkShape(8, 5)), "plain")
    rollout = SelfPlayRollout(tiny, options, 16, pool, player, seed=1)
    return Teacher(tiny, options, name, temperature, np.random.default_rng(1)), rollout


def targets(tiny: Game, name: str, temperature: float = 0.0) -> tuple[Any, SelfPlayRollout]:
    """What a teacher would do in these games."""
    teacher, rollout = asked(tiny, name, temperature)
    shares = teacher.targets(rollout.states, rollout.turns.streams % 2, rollout.turns.masks)
    assert (shares[rollout.turns.masks == 0] == 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-6)
    return shares, rollout


def test_compiled_teacher_gives_its_action(tiny: Game) -> None:
    shares, rollout = targets(tiny, "perfect")
    states = rollout.states
    assert (shares.argmax(axis=1) == 2 * (states["played"] // 2 % 2) + states["card"] % 2).all()
    assert (shares.max(axis=1) == 1.0).all()
    assert set(np.unique(targets(tiny, "random")[0]).tolist()) == {0.0, 0.5}


def test_networks_teach_probabilities(tiny: Game, tmp_path: Path) -> None:
    torch.manual_seed(1)
    options, path = tiny.parse_options(), tmp_path / "network.safetensors"
    policy = PolicyNetwork(NetworkShape(8, 5))
    save_checkpoint(path, policy, tiny, options, "plain")
    shares, rollout = targets(tiny, str(path))
    own = PolicyPlayer("own", policy).probabilities(rollout.turns.observations, rollout.turns.masks)
    np.testing.assert_allclose(shares, own, rtol=1e-5)

    values = QNetwork(NetworkShape(8, 5))
    save_checkpoint(path, values, tiny, options, "plain")
    hard, rollout = targets(tiny, str(path))
    actions = NetworkPlayer("own", values).act(rollout.turns.observations, rollout.turns.masks)
    assert (hard.argmax(axis=1) == actions).all()
    assert (hard.max(axis=1) == 1.0).all()
    soft, _ = targets(tiny, str(path), temperature=1.0)
    own = NetworkPlayer("own", values).values(rollout.turns.observations, rollout.turns.masks)
    np.testing.assert_allclose(soft, softmax(own, rollout.turns.masks, 1.0), rtol=1e-5)


def test_mixtures_are_refused_as_teachers(tiny: Game, tmp_path: Path) -> None:
    path = tmp_path / "both.mixture.json"
    save_mixture(path, {"random": 0.5, "perfect": 0.5}, tiny, tiny.parse_options())
    with pytest.raises(CardgymError, match="imitate one of its parts"):
        asked(tiny, str(path))


# -- the learner ------------------------------------------------------------------------------------------------------


def test_cross_entropy_is_least_for_the_teachers_own_probabilities() -> None:
    shares = torch.tensor([[0.25, 0.75, 0.0]])
    masks = torch.tensor([[True, True, False]])
    own = cross_entropy(shares, log_probabilities(torch.tensor([[0.25, 0.75, 1.0]]).log(), masks))
    assert float(own) == pytest.approx(-0.25 * np.log(0.25) - 0.75 * np.log(0.75))
    other = cross_entropy(shares, log_probabilities(torch.zeros(1, 3), masks))
    assert float(other) == pytest.approx(np.log(2))


def test_teacher_share_determines_who_plays() -> None:
    torch.manual_seed(1)
    network = PolicyNetwork(NetworkShape(3, 4, (8,)))
    learner = DistillLearner(network, QUICK, torch.device("cpu"), np.random.default_rng(1))
    observations, masks = np.zeros((1000, 3), np.float32), np.ones((1000, 4), np.int8)
    always_3 = np.tile(np.array([0, 0, 0, 1], np.float32), (1000, 1))
    assert (learner.act(observations, masks, always_3, 1.0) == 3).all()
    assert 200 < (learner.act(observations, masks, always_3, 0.0) == 3).sum() < 300  # The new network is uniform.
    assert 575 < (learner.act(observations, masks, always_3, 0.5) == 3).sum() < 675


def test_update_without_decisions_changes_nothing() -> None:
    network = PolicyNetwork(NetworkShape(3, 4, (8,)))
    learner = DistillLearner(network, QUICK, torch.device("cpu"), np.random.default_rng(1))
    before = [weights.clone() for weights in network.parameters()]
    learner.update(Labeled(np.zeros((0, 3), np.float32), np.zeros((0, 4), np.bool_), np.zeros((0, 4), np.float32)))
    assert all(torch.equal(old, new) for old, new in zip(before, network.parameters(), strict=True))
