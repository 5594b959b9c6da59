"""The Q-network and its player."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import torch
from torch import Tensor, nn

from cardgym.engine.contract import Float32s
from cardgym.errors import of_kind
from cardgym.players.base import Masks, Observations, Player
from cardgym.players.checks import check_named
from cardgym.players.network_shapes import NetworkShape

linear = partial(nn.Linear, device="cpu", dtype=torch.float32)
"""Makes a linear layer, also where a program has set another default device or dtype of PyTorch."""


def hidden_layers(shape: NetworkShape) -> tuple[nn.Sequential, int]:
    """Return the hidden layers, each followed by a ReLU, and the number of units of the last one."""
    layers: list[nn.Module] = []
    width = shape.inputs
    for size in shape.hidden_sizes:
        layers += [linear(width, size), nn.ReLU(inplace=True)]
        width = size
    return nn.Sequential(*layers), width


class QNetwork(nn.Module):
    """A multilayer perceptron from an observation to one value for each action.

    With `dueling` the last layer gives a state value and advantages, and the value of an action is the state value
    plus its advantage minus the mean advantage (Wang et al., "Dueling network architectures for deep reinforcement
    learning", ICML 2016).

    With `wide` the last layer also reads the observation itself, so that linear effects need not pass through the
    hidden layers (Cheng et al., "Wide & deep learning for recommender systems", 2016). Those weights start at 0.
    """

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        of_kind("shape", shape, NetworkShape, "shapes, such as network_shape returns them")
        self.shape = shape
        self.body, width = hidden_layers(shape)
        self.head = linear(width, shape.actions + int(shape.dueling))
        if shape.wide:
            self.direct = linear(shape.inputs, shape.actions + int(shape.dueling), bias=False)
            nn.init.zeros_(self.direct.weight)

    def forward(self, observations: Tensor) -> Tensor:
        """Return action values (rows, actions) for observations (rows, inputs), float32, illegal actions included."""
        return self.combine(self.head(self.body(observations)), observations)

    def combine(self, outputs: Tensor, observations: Tensor) -> Tensor:
        """Return action values from the last layer's outputs: adds the `wide` part, merges the `dueling` parts."""
        if self.shape.wide:
            outputs = outputs + self.direct(observations)
        if self.shape.dueling:
            state, advantages = outputs[:, :1], outputs[:, 1:]
            return state + advantages - advantages.mean(dim=1, keepdim=True)
        return outputs


def masked(values: Tensor, masks: Tensor) -> Tensor:
    """`values` (rows, actions) where `masks` (bool) is true, and the lowest finite float elsewhere.

    Not minus infinity, which becomes NaN when multiplied by 0.
    """
    return torch.where(masks, values, torch.finfo(values.dtype).min)


class NetworkPlayer(Player):
    """The greedy player of a Q-network, on any device; deterministic."""

    def __init__(self, name: str, network: QNetwork, observation_name: str | None = None) -> None:
        check_named(name, observation_name)
        of_kind("network", network, QNetwork, "QNetworks")
        self.name = name
        self.network = network
        self.observation_name = observation_name
        self._device = next(network.parameters()).device

    def values(self, observations: Observations, masks: Masks) -> Float32s:
        """See `Player.values`."""
        with one_thread(), torch.inference_mode():
            # `torch.tensor` copies to aligned memory, so that the same numbers always give the same bits.
            values: Float32s = self.network(torch.tensor(observations, device=self._device)).cpu().numpy()
        return values


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch use one thread: more make a small network slower, up to 80 times on a busy machine."""
    threads = torch.get_num_threads()
    if threads != 1:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        if threads != 1:
            torch.set_num_threads(threads)
