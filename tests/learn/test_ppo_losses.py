"""PPO's formulas, each against numbers worked out by hand or another definition of the same thing."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from cardgym.learn.learner import entropy
from cardgym.learn.ppo import (
    approximate_kl,
    clip_fraction,
    clipped_surrogate,
    explained_variance,
    kl_divergence,
    uniform_log_probs,
    value_loss,
)
from cardgym.learn.rollouts import Turns
from cardgym.learn.saved_state import restore, state_of
from cardgym.learn.turns import TurnBuffer
from cardgym.players import sample_actions
from cardgym.players.policy_networks import log_probabilities, probabilities

MASKS = torch.tensor([[True, True, False], [True, False, True]])
LOGITS = torch.tensor([[1.0, 1.0, 50.0], [0.0, 9.0, math.log(3.0)]])


def test_illegal_actions_have_probability_0_and_no_gradient() -> None:
    logits = LOGITS.clone().requires_grad_()
    log_probs = log_probabilities(logits, MASKS)
    assert log_probs.exp().tolist() == [[0.5, 0.5, 0.0], pytest.approx([0.25, 0.0, 0.75])]
    assert torch.equal(probabilities(log_probs), log_probs.exp())
    torch.autograd.backward(entropy(log_probs).sum() + kl_divergence(log_probs, uniform_log_probs(MASKS)).sum())
    assert logits.grad is not None
    assert logits.grad.isfinite().all()
    assert logits.grad[~MASKS].eq(0).all()


def test_entropy_and_divergence() -> None:
    log_probs = log_probabilities(LOGITS, MASKS)
    uniform = uniform_log_probs(MASKS)
    expected = -(0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    assert entropy(log_probs).tolist() == pytest.approx([math.log(2), expected])
    assert kl_divergence(log_probs, uniform).tolist() == pytest.approx([0.0, math.log(2) - expected], abs=1e-6)
    assert kl_divergence(uniform, uniform).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("ratio", "advantage", "expected"),
    [(1.5, 2.0, 2.4), (1.5, -2.0, -3.0), (0.5, 2.0, 1.0), (0.5, -2.0, -1.6), (1.1, 2.0, 2.2)],
)
def test_surrogate_is_clipped_only_where_that_lowers_it(ratio: float, advantage: float, expected: float) -> None:
    old = torch.tensor([-1.0])
    value = clipped_surrogate(old + math.log(ratio), old, torch.tensor([advantage]), 0.2)
    assert value.item() == pytest.approx(expected)


def test_statistics_of_an_update() -> None:
    old = torch.log(torch.tensor([0.5, 0.5]))
    new = torch.log(torch.tensor([0.5, 0.8]))
    assert approximate_kl(old, old).item() == 0.0
    assert approximate_kl(new, old).item() == pytest.approx((0.6 - math.log(1.6)) / 2)
    assert clip_fraction(new, old, 0.2).item() == 0.5
    assert value_loss(torch.tensor([1.0, 2.0]), torch.tensor([2.0, 4.0])).item() == 1.25
    returns = torch.tensor([1.0, 2.0, 3.0])
    assert explained_variance(returns, returns) == 1.0
    assert explained_variance(torch.full((3,), 2.0), returns) == 0.0
    assert explained_variance(returns, torch.ones(3)) == 0.0


@pytest.mark.parametrize("draw", [0.0, 0.25, 0.5, np.nextafter(1.0, 0.0)])
def test_sampled_actions_are_legal_for_any_draw(draw: float) -> None:
    probabilities = np.array(
        [[0.0, 0.3, 0.7, 0.0], [0.5, 0.0, 0.0, 0.5], [0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]], np.float32
    )
    actions = sample_actions(probabilities, np.full(4, draw))
    assert (probabilities[np.arange(4), actions] > 0).all()


def test_sampled_actions_are_legal_where_denormal_numbers_count_as_0(request: pytest.FixtureRequest) -> None:
    torch.set_flush_denormal(True)
    request.addfinalizer(lambda: torch.set_flush_denormal(False))
    # A total below 1 made the smallest goal a denormal.
    probabilities = np.array([[0.0, 0.3, 0.69999, 0.0]], np.float32)
    actions = sample_actions(probabilities, np.array([np.nextafter(1.0, 0.0)]))
    assert actions.tolist() == [1]


def test_actions_are_sampled_in_proportion() -> None:
    draws = (np.arange(1000) + 0.5) / 1000
    actions = sample_actions(np.tile(np.array([0.1, 0.0, 0.6, 0.3], np.float32), (1000, 1)), draws)
    assert np.bincount(actions, minlength=4).tolist() == [100, 0, 600, 300]


# -- turns and advantages ---------------------------------------------------------------------------------------------


def turn(stream: int) -> Turns:
    return Turns(np.array([stream]), np.full((1, 1), stream, np.float32), np.ones((1, 2), np.int8))


def act(buffer: TurnBuffer, stream: int, value: float) -> None:
    buffer.act(turn(stream), np.array([1]), np.array([-0.5], np.float32), np.array([value], np.float32))


NOBODY = np.zeros(0, np.int64)


def test_seat_gets_all_rewards_until_its_next_turn() -> None:
    buffer = TurnBuffer(2, 10, 1, 2)
    act(buffer, 0, value=0.5)
    buffer.pay(np.array([1.0, 7.0]), NOBODY)  # Stream 1 has had no turn yet: its payment belongs to no action.
    act(buffer, 1, value=0.25)
    buffer.pay(np.array([2.0, 0.0]), NOBODY)  # Paid in the other seat's turn.
    act(buffer, 0, value=2.0)
    buffer.pay(np.array([4.0, -4.0]), np.array([0, 1]))
    batch = buffer.take(gamma=1.0, gae_lambda=0.0)
    assert batch.returns.tolist() == [1.0 + 2.0 + 2.0, -4.0, 4.0]
    assert batch.advantages.tolist() == [4.5, -4.25, 2.0]
    assert buffer.size == 0


def test_advantages_do_not_leak_over_the_end_of_a_game() -> None:
    buffer = TurnBuffer(1, 10, 1, 2)
    for reward in (1.0, 10.0):
        act(buffer, 0, value=0.0)
        buffer.pay(np.array([reward]), np.array([0]))
    assert buffer.take(gamma=1.0, gae_lambda=1.0).returns.tolist() == [1.0, 10.0]


def test_lambda_weighs_the_later_turns_of_the_seat() -> None:
    buffer = TurnBuffer(1, 10, 1, 2)
    rewards, values = [1.0, 2.0, 4.0], [0.5, 0.25, 3.0]
    for number, (reward, value) in enumerate(zip(rewards, values, strict=True)):
        act(buffer, 0, value)
        buffer.pay(np.array([reward]), np.array([0]) if number == 2 else NOBODY)
    gamma, lam = 0.9, 0.8
    deltas = [1.0 + gamma * 0.25 - 0.5, 2.0 + gamma * 3.0 - 0.25, 4.0 - 3.0]
    expected = [sum((gamma * lam) ** (j - i) * deltas[j] for j in range(i, 3)) for i in range(3)]
    assert buffer.take(gamma, lam).advantages.tolist() == pytest.approx(expected)


def test_open_turn_waits_for_the_next_batch_and_provides_its_value() -> None:
    buffer = TurnBuffer(1, 4, 1, 2)
    act(buffer, 0, value=0.0)
    buffer.pay(np.array([1.0]), NOBODY)
    act(buffer, 0, value=5.0)
    buffer.pay(np.array([2.0]), NOBODY)
    first = buffer.take(gamma=1.0, gae_lambda=1.0)
    assert first.returns.tolist() == [6.0]
    assert buffer.size == 1
    restore(buffer, state_of(buffer))
    buffer.pay(np.array([4.0]), np.array([0]))
    assert buffer.take(gamma=1.0, gae_lambda=1.0).returns.tolist() == [6.0]
