"""Targets, exploration and networks: the formulas worked out by hand, and the traps of masked Q-learning."""

import math
import sys

import numpy as np
import pytest
import torch

from cardgym.learn.dqn import EpsilonGreedy, random_legal, td_target
from cardgym.learn.schedules import linear
from cardgym.players.network_shapes import NetworkShape
from cardgym.players.networks import NetworkPlayer, QNetwork, masked

REWARDS = torch.tensor([1.0, -2.0, 0.5])
DONE = torch.tensor([False, False, True])
ONLINE = torch.tensor([[1.0, 5.0, 9.0], [3.0, 2.0, 9.0], [0.0, 0.0, 0.0]])
TARGET = torch.tensor([[10.0, 20.0, 99.0], [-7.0, -4.0, 99.0], [50.0, 60.0, 70.0]])
MASKS = torch.tensor([[True, True, False], [True, True, False], [True, True, True]])


def test_dqn_target_takes_the_largest_legal_value() -> None:
    # 1 + 0.5 * 20; -2 + 0.5 * -4; at the end the reward alone. The 99s and 9s belong to illegal actions.
    assert td_target(REWARDS, DONE, 0.5, TARGET, TARGET, MASKS).tolist() == [11.0, -4.0, 0.5]


def test_double_dqn_target_selects_with_one_network_and_evaluates_with_the_other() -> None:
    # Row 0: the online network selects action 1, worth 20. Row 1: action 0, worth -7 (not the larger -4).
    assert td_target(REWARDS, DONE, 0.5, ONLINE, TARGET, MASKS).tolist() == [11.0, -5.5, 0.5]


def test_targets_stay_finite_at_the_end_of_an_episode() -> None:
    nothing_legal = torch.zeros(3, 3, dtype=torch.bool)
    not_finite = torch.tensor([[math.inf, 0, 0], [-math.inf, 0, 0], [math.nan, 0, 0]])
    done = torch.ones(3, dtype=torch.bool)
    for masks in (nothing_legal, MASKS):
        assert td_target(REWARDS, done, 0.99, not_finite, not_finite, masks).tolist() == REWARDS.tolist()


def test_masked_values_are_finite_and_below_every_legal_one() -> None:
    values = torch.tensor([[-1e30, 5.0], [-sys.float_info.max, 0.0]]).clamp(-3e38)
    masks = torch.tensor([[True, False], [True, False]])
    # sys.float_info.min is a small positive number: as the value of illegal actions it would win here.
    assert sys.float_info.min > 0
    assert masked(values, masks).argmax(dim=1).tolist() == [0, 0]
    assert torch.isfinite(masked(values, masks)).all()
    assert not torch.isnan(0.0 * masked(values, masks)).any()


def test_greedy_player_restores_the_number_of_threads() -> None:
    before = torch.get_num_threads()
    network = QNetwork(NetworkShape(inputs=2, actions=2))
    torch.set_num_threads(2)
    try:
        NetworkPlayer("x", network).act(np.zeros((1, 2), np.float32), np.ones((1, 2), np.int8))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_random_legal_is_uniform_over_the_legal_actions() -> None:
    masks = np.tile(np.array([[0, 1, 0, 1, 1], [1, 0, 0, 0, 0]], np.int8), (6000, 1))
    actions = random_legal(masks, np.random.default_rng(5))
    counts = np.bincount(actions[0::2], minlength=5)
    assert counts[[0, 2]].tolist() == [0, 0]
    assert np.abs(counts[[1, 3, 4]] - 2000).max() < 5 * math.sqrt(6000 * 2 / 9)  # Five standard deviations.
    assert (actions[1::2] == 0).all()


@pytest.mark.parametrize("epsilon", [0.0, 0.25, 1.0])
def test_epsilon_is_the_share_of_random_decisions(epsilon: float) -> None:
    masks = np.tile(np.array([[1, 1, 0, 1]], np.int8), (8000, 1))
    actions = EpsilonGreedy(np.random.default_rng(7))(np.full(8000, 3), masks, epsilon)
    assert (actions != 2).all()
    expected = epsilon * 2 / 3
    assert abs((actions != 3).mean() - expected) <= 5 * math.sqrt(expected * (1 - expected) / 8000)


def test_wide_network_adds_a_linear_layer_that_starts_at_zero() -> None:
    torch.manual_seed(0)
    network = QNetwork(NetworkShape(inputs=3, actions=4, hidden_sizes=(8,), wide=True))
    observations = torch.randn(5, 3)
    deep = network.head(network.body(observations))
    assert torch.equal(network(observations), deep)
    with torch.no_grad():
        network.direct.weight.copy_(torch.arange(12.0).reshape(4, 3))
    torch.testing.assert_close(network(observations), deep + observations @ torch.arange(12.0).reshape(4, 3).T)


def test_linear_schedule() -> None:
    assert [linear(step, 1.0, 0.5, 10) for step in (0, 5, 10, 99)] == [1.0, 0.75, 0.5, 0.5]
    assert linear(0, 1.0, 0.2, 0) == 0.2
