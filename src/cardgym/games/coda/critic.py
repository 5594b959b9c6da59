"""The critic of a trained policy network in compiled code: the value of a position to the seat to move."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from cardgym.engine.contract import Float32s, Game, State, rule
from cardgym.errors import CardgymError
from cardgym.games.coda.guess_features import BY_GUESS, observe_position
from cardgym.games.coda.state import CodaOptions


class Critic(NamedTuple):
    """Two hidden layers and a value head; weights are float32, (inputs, units)."""

    first: Float32s
    first_bias: Float32s
    second: Float32s
    second_bias: Float32s
    values: Float32s
    value_bias: Float32s


PLAY_OUT = Critic(*(np.zeros(shape, np.float32) for shape in ((0, 0), 0, (0, 0), 0, 0, 1)))
"""No critic: the search plays to the end of the game."""


OFFICIAL = "CodaOfficial-v0"
"""The game whose shipped network has the critic."""


def shipped_critic(options: CodaOptions) -> Critic:
    """Return the critic of the shipped PPO agent for the official rules."""
    from cardgym.engine.registry import find
    from cardgym.files.shipped import CHECKPOINTS, root

    return load_critic(root() / CHECKPOINTS / "coda" / "official_ppo.safetensors", find(OFFICIAL), options)


def load_critic(path: Path, game: Game, options: CodaOptions) -> Critic:
    """Return the critic of a checkpoint of `train/ppo.py`; reading it needs no PyTorch."""
    from cardgym.players.checkpoints import POLICY_NETWORK, load_player

    player = load_player(path, game, options)
    metadata, arrays = player.metadata, player.arrays
    shape = metadata.shape
    fits = len(shape.hidden_sizes) == 2 and len(shape.feature_starts) == len(BY_GUESS)
    if metadata.format != POLICY_NETWORK or metadata.observation != "guesses" or not fits:
        raise CardgymError(
            f"checkpoint {path}: the search cannot use it; train a policy network of two hidden layers on the "
            f"observation guesses, with action_features = {', '.join(BY_GUESS)}"
        )
    weights = [arrays[f"{layer}.weight"] for layer in ("body.0", "body.2", "value")]
    biases = [arrays[f"{layer}.bias"] for layer in ("body.0", "body.2", "value")]
    first, second, values = (np.ascontiguousarray(weight.T) for weight in weights)
    return Critic(first, biases[0], second, biases[1], np.ascontiguousarray(values[:, 0]), biases[2])


@rule
def value_of(critic: Critic, state: State, seat: int) -> float:
    """Return the value of a position to the seat to move, from -1 to 1."""
    position = np.empty(critic.first.shape[0], np.float32)
    observe_position(state, seat, position)
    units = _layer(position, critic.first, critic.first_bias)
    units = _layer(units, critic.second, critic.second_bias)
    value = critic.value_bias[0]
    for i in range(units.shape[0]):
        value += units[i] * critic.values[i]
    return min(max(float(value), -1.0), 1.0)


@rule
def _layer(inputs: Float32s, weights: Float32s, bias: Float32s) -> Float32s:
    """Return a linear layer and a ReLU; inputs of 0, which most are, are skipped."""
    outputs = bias.copy()
    for i in range(inputs.shape[0]):
        scale = inputs[i]
        if scale != 0.0:
            for j in range(outputs.shape[0]):
                outputs[j] += scale * weights[i, j]
    for j in range(outputs.shape[0]):
        outputs[j] = max(outputs[j], np.float32(0.0))
    return outputs
