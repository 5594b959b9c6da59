"""The Q-network and its player, and the shape of networks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn

from cardgym.engine.contract import Feature, Float32s, Game, Options, offsets
from cardgym.errors import CardgymError, unknown
from cardgym.files.limits import check_memory
from cardgym.players.base import Masks, Observations, Player

MAX_LAYERS = 64
"""The largest number of hidden layers."""
MAX_UNITS = 65_536
"""The largest number of units of a hidden layer."""


@dataclass(frozen=True)
class NetworkShape:
    """The layers of a network: inputs, actions, the sizes of hidden layers.

    Both kinds can be wide. A Q-network can be dueling. A policy network can have features by action: each starts in the
    inputs at one of `feature_starts` and has a number for each of the first `featured_actions` actions.
    """

    inputs: int
    actions: int
    hidden_sizes: tuple[int, ...] = (128, 128)
    dueling: bool = False
    wide: bool = False
    feature_starts: tuple[int, ...] = ()
    featured_actions: int = 0


def hidden_layers(shape: NetworkShape) -> tuple[nn.Sequential, int]:
    """The hidden layers, each followed by a ReLU, and the number of units of the last one."""
    layers: list[nn.Module] = []
    width = shape.inputs
    for size in shape.hidden_sizes:
        layers += [nn.Linear(width, size), nn.ReLU(inplace=True)]
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
        self.shape = shape
        self.body, width = hidden_layers(shape)
        self.head = nn.Linear(width, shape.actions + int(shape.dueling))
        if shape.wide:
            self.direct = nn.Linear(shape.inputs, shape.actions + int(shape.dueling), bias=False)
            nn.init.zeros_(self.direct.weight)

    def forward(self, observations: Tensor) -> Tensor:
        """Action values (rows, actions) for observations (rows, inputs), float32, illegal actions included."""
        return self.combine(self.head(self.body(observations)), observations)

    def combine(self, outputs: Tensor, observations: Tensor) -> Tensor:
        """Action values from the outputs of the last layer: adds the `wide` part, and merges the `dueling` parts."""
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


def network_shape(
    game: Game,
    options: Options,
    observation_name: str,
    hidden_sizes: tuple[int, ...],
    dueling: bool,
    wide: bool = False,
    action_features: tuple[str, ...] = (),
) -> NetworkShape:
    """The shape of a network for this game and observation.

    Args:
        action_features: features of the observation that have a number for each action, from action 0 on; see
            `PolicyNetwork`.

    Raises:
        CardgymError: for an observation that is a single whole number, which a network cannot read, hidden layers that
            would not fit in memory, or features that are missing or differ in size.
    """
    observation = game.observation(observation_name)
    if observation.discrete is not None:
        usable = [name for name, other in game.observations.items() if other.discrete is None]
        raise CardgymError(
            f"observation {observation_name!r} of {game.id} numbers the states, which a network cannot read; "
            f"use {' or '.join(usable) or 'another game'}"
        )
    inputs, actions = observation.size(options), game.actions(options)
    if len(hidden_sizes) > MAX_LAYERS or max(hidden_sizes, default=1) > MAX_UNITS:
        raise CardgymError(f"hidden_sizes: allowed are up to {MAX_LAYERS} layers of 1 to {MAX_UNITS:,} units")
    weights = sum(rows * columns for rows, columns in pairwise((inputs, *hidden_sizes, actions)))
    # With its gradient, the two moments of Adam and the target network.
    check_memory(f"a network of {weights:,} weights in training", 5 * 4 * weights, "choose smaller hidden_sizes")
    starts, featured = _by_action(observation.features(options), actions, action_features)
    return NetworkShape(inputs, actions, hidden_sizes, dueling, wide, starts, featured)


def _by_action(features: tuple[Feature, ...], actions: int, names: tuple[str, ...]) -> tuple[tuple[int, ...], int]:
    """The starts of the features with these names, and the number of actions for which each has a number."""
    if not names:
        return (), 0
    sizes = {feature.name: feature.size for feature in features if 1 < feature.size <= actions}
    for name in names:
        if name not in sizes:
            raise unknown("feature in action_features", name, sizes)
    if len({sizes[name] for name in names}) > 1:
        shown = ", ".join(f"{name} {sizes[name]}" for name in names)
        raise CardgymError(f"action_features: each must have a number for the same actions, and these have {shown}")
    starts = offsets(features)
    return tuple(starts[name] for name in names), sizes[names[0]]
