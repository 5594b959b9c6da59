"""Distillation: teachers of every kind, and the learner that imitates them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cardgym.engine.contract import Game
from cardgym.errors import CardgymError
from cardgym.learn.distill import DistillConfig, DistillLearner, Labeled, Teacher, cross_entropy
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.players import softmax
from cardgym.players.checkpoints import save_checkpoint
from cardgym.players.mixture_file import save_mixture
from cardgym.players.network_shapes import NetworkShape
from cardgym.players.networks import NetworkPlayer, QNetwork
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer, log_probabilities

QUICK = DistillConfig(hidden_sizes=(16,), batch_size=64)


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
