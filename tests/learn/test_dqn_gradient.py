"""The learner's own gradient and Adam, against PyTorch's."""

from __future__ import annotations

import copy

import pytest
import torch

from cardgym.learn.adam import Adam
from cardgym.learn.dqn.gradient import QNetworkGradient
from cardgym.players.networks import NetworkShape, QNetwork

SHAPES = [
    NetworkShape(5, 4, (16, 8)),
    NetworkShape(5, 4, (16,), dueling=True),
    NetworkShape(5, 4, (8, 16, 8), wide=True),
    NetworkShape(5, 4, (16, 8), dueling=True, wide=True),
]


def make_network(shape: NetworkShape) -> QNetwork:
    torch.manual_seed(1)
    network = QNetwork(shape)
    if shape.wide:
        torch.nn.init.normal_(network.direct.weight)  # It starts at 0, which would hide a mistake.
    return network


@pytest.mark.parametrize("shape", SHAPES, ids=["plain", "dueling", "wide", "dueling-wide"])
def test_gradient_is_that_of_autograd(shape: NetworkShape) -> None:
    network, reference = make_network(shape), make_network(shape)
    gradient = QNetworkGradient(network)
    for rows in (32, 7):  # The second overwrites the gradient of the first.
        observations, slopes = torch.randn(rows, 5), torch.randn(rows, 4)
        reference.zero_grad()
        values = reference(observations)
        torch.autograd.backward((values * slopes).sum())
        torch.testing.assert_close(gradient.forward(observations), values.detach(), rtol=0, atol=0)
        gradient.backward(slopes)
        for mine, other in zip(network.parameters(), reference.parameters(), strict=True):
            torch.testing.assert_close(mine.grad, other.grad)


def test_flat_parameters_are_the_networks_own() -> None:
    network, reference = make_network(SHAPES[0]), make_network(SHAPES[0])
    gradient = QNetworkGradient(network)
    assert all(map(torch.equal, network.parameters(), reference.parameters()))
    gradient.parameters.zero_()
    assert not any(values.any() for values in network.parameters())
    network.load_state_dict(reference.state_dict())
    copied = copy.deepcopy(network)
    gradient.parameters.zero_()
    assert all(map(torch.equal, copied.parameters(), reference.parameters()))


def test_adam_steps_as_pytorchs_does() -> None:
    generator = torch.Generator().manual_seed(2)
    mine = torch.randn(50, generator=generator)
    other = mine.clone().requires_grad_()
    adam = Adam(mine, 0.01, epsilon=1e-5)
    reference = torch.optim.Adam([other], lr=0.01, eps=1e-5)
    for step in range(60):
        adam.learning_rate = reference.param_groups[0]["lr"] = 0.01 / (1 + step)
        other.grad = torch.randn(50, generator=generator)
        adam.step(other.grad)
        reference.step()
    torch.testing.assert_close(mine, other.detach(), rtol=1e-5, atol=1e-7)
