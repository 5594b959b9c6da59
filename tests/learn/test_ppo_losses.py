"""PPO's formulas, each against numbers worked out by hand or another definition of the same thing."""

import math
from typing import NamedTuple

import numpy as np
import pytest
import torch
from torch import Tensor

from cardgym.learn.ppo import explained_variance
from cardgym.learn.ppo_loss import (
    APPROX_KL,
    CLIPPED,
    ENTROPY,
    MAGNET_KL,
    POLICY,
    VALUE,
    loss,
    loss_gradient,
    uniform_log_probs,
)
from cardgym.learn.rollouts import Turns
from cardgym.learn.saved_state import restore, state_of
from cardgym.learn.turns import TurnBuffer
from cardgym.players import sample_actions
from cardgym.players.policy_networks import log_probabilities

NOTHING = np.empty(0, np.float32)


class Rows(NamedTuple):
    """Rows of a minibatch: what the networks gave, and what was recorded."""

    logits: Tensor
    values: Tensor
    critic_values: Tensor
    masks: Tensor
    actions: Tensor
    log_probs: Tensor
    advantages: Tensor
    returns: Tensor


def compiled(
    rows: Rows, magnet: Tensor | None, coefficients: list[float], *, norm_adv: bool = False, forward_kl: bool = False
) -> tuple[list[float], list[Tensor]]:
    """The figures and the gradients of the compiled loss."""
    given = [field.detach().numpy() for field in rows]
    gradients = [np.full_like(outputs, np.nan) for outputs in given[:3]]
    figures = np.empty(6)
    other = np.empty((0, 0), np.float32) if magnet is None else magnet.numpy()
    loss_gradient(
        given[0], given[1], given[2], tuple(given[3:]), other, np.array(coefficients), norm_adv, forward_kl,
        gradients[0], gradients[1], gradients[2], figures,
    )  # fmt: skip
    return figures.tolist(), [torch.from_numpy(gradient) for gradient in gradients]


@pytest.mark.parametrize("critic", [False, True])
@pytest.mark.parametrize("magnet", ["none", "uniform", "other"])
@pytest.mark.parametrize("forward_kl", [False, True])
def test_gradient_is_the_one_that_pytorch_finds(critic: bool, magnet: str, forward_kl: bool) -> None:
    generator = torch.Generator().manual_seed(1)
    size, actions = 200, 7
    masks = torch.rand(size, actions, generator=generator) < 0.6
    masks[:, 2] = True
    logits = 3 * torch.randn(size, actions, generator=generator)
    old = log_probabilities(logits + 0.3 * torch.randn(size, actions, generator=generator), masks)
    chosen = torch.multinomial(old.exp(), 1, generator=generator)
    numbers = [torch.randn(size, generator=generator) for _ in range(4)]
    outputs = [logits, numbers[0], numbers[1] if critic else torch.empty(0)]
    for output in outputs:
        output.requires_grad_()
    rows = Rows(
        outputs[0], outputs[1], outputs[2], masks, chosen[:, 0], old.gather(1, chosen)[:, 0], numbers[2], numbers[3],
    )  # fmt: skip
    pull = {"none": None, "uniform": uniform_log_probs(masks), "other": old}[magnet]
    coefficients = [0.2, 0.5, 0.05, 0.3]
    values = outputs[1:] if critic else outputs[1:2]
    total, parts = loss(logits, values, rows[3:], pull, torch.full((size,), 1 / size), coefficients, True, forward_kl)
    torch.autograd.backward(total)
    figures, gradients = compiled(rows, pull, coefficients, norm_adv=True, forward_kl=forward_kl)
    assert parts.tolist() == pytest.approx(figures, rel=1e-4, abs=1e-6)
    for output, gradient in zip(outputs, gradients, strict=True):
        if len(output):
            assert output.grad is not None
            assert (output.grad - gradient).norm() <= 1e-6 * output.grad.norm()
    assert gradients[0][~masks].eq(0).all()


def row_of(logits: list[float], mask: list[bool], action: int, old: float, advantage: float = 0.0) -> Rows:
    return Rows(
        torch.tensor([logits]), torch.tensor([1.0]), torch.tensor(NOTHING), torch.tensor([mask]),
        torch.tensor([action]), torch.tensor([old]), torch.tensor([advantage]), torch.tensor([3.0]),
    )  # fmt: skip


def test_entropy_divergence_and_value_loss() -> None:
    rows = row_of([0.0, 9.0, math.log(3.0)], [True, False, True], 2, math.log(0.75))
    figures, gradients = compiled(rows, uniform_log_probs(rows.masks), [0.2, 0.5, 1.0, 1.0])
    entropy = -(0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    assert figures[ENTROPY] == pytest.approx(entropy)
    assert figures[MAGNET_KL] == pytest.approx(math.log(2) - entropy)
    assert figures[VALUE] == 2.0
    assert gradients[1].item() == -1.0
    assert figures[APPROX_KL] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("ratio", "advantage", "expected", "moves"),
    [
        (1.5, 2.0, 2.4, False),
        (1.5, -2.0, -3.0, True),
        (0.5, 2.0, 1.0, True),
        (0.5, -2.0, -1.6, False),
        (1.1, 2.0, 2.2, True),
    ],
)
def test_surrogate_is_clipped_only_where_that_lowers_it(
    ratio: float, advantage: float, expected: float, moves: bool
) -> None:
    rows = row_of([0.0, 0.0], [True, True], 0, math.log(0.5 / ratio), advantage)
    figures, gradients = compiled(rows, None, [0.2, 0.0, 0.0, 0.0])
    assert -figures[POLICY] == pytest.approx(expected)
    assert figures[CLIPPED] == float(abs(ratio - 1) > 0.2)
    assert figures[APPROX_KL] == pytest.approx(ratio - 1 - math.log(ratio), abs=1e-6)
    assert gradients[0].tolist() == [
        pytest.approx([-ratio * advantage / 2, ratio * advantage / 2] if moves else [0, 0])
    ]


def test_explained_variance() -> None:
    returns = torch.tensor([1.0, 2.0, 3.0])
    assert explained_variance(returns, returns) == 1.0
    assert explained_variance(torch.full((3,), 2.0), returns) == 0.0
    assert explained_variance(returns, torch.ones(3)) == 0.0


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
