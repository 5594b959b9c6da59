"""Networks as players: the Q-network, the player that asks it, and checkpoints that say what they were made for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import safetensors
import safetensors.torch
import torch
from torch import Tensor, nn

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError
from cardgym.files import replacing
from cardgym.players.metadata import check_compatible, checkpoint_metadata

FORMAT = "cardgym-q-network-1"


@dataclass(frozen=True)
class NetworkShape:
    """What a Q-network is made of: numbers in, hidden layers, actions out, and whether it is dueling or wide."""

    inputs: int
    actions: int
    hidden: tuple[int, ...] = (128, 128)
    dueling: bool = False
    wide: bool = False


class QNetwork(nn.Module):
    """A multilayer perceptron from an observation to one value an action.

    With `dueling` the last layer gives a state value and advantages, and the value of an action is the state value
    plus its advantage less their mean (Wang et al., "Dueling network architectures", ICML 2016, equation 9).

    With `wide` the last layer also sees the observation itself, so that what is linear in it need not pass through the
    hidden layers (Cheng et al., "Wide and deep learning", 2016). Those weights start at 0.
    """

    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        self.shape = shape
        layers: list[nn.Module] = []
        width = shape.inputs
        for hidden in shape.hidden:
            layers += [nn.Linear(width, hidden), nn.ReLU()]
            width = hidden
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(width, shape.actions + int(shape.dueling))
        if shape.wide:
            self.direct = nn.Linear(shape.inputs, shape.actions + int(shape.dueling), bias=False)
            nn.init.zeros_(self.direct.weight)

    def forward(self, observations: Tensor) -> Tensor:
        """Action values (rows, actions) of observations (rows, inputs), float32; illegal actions included."""
        values: Tensor = self.head(self.body(observations))
        if self.shape.wide:
            values = values + self.direct(observations)
        if self.shape.dueling:
            state, advantages = values[:, :1], values[:, 1:]
            return state + advantages - advantages.mean(dim=1, keepdim=True)
        return values


def masked(values: Tensor, masks: Tensor) -> Tensor:
    """`values` (rows, actions) where `masks` (bool) allows, and the lowest finite float elsewhere.

    Not minus infinity: a product with 0 further on would be no number.
    """
    return torch.where(masks, values, torch.finfo(values.dtype).min)


class NetworkPlayer:
    """The greedy player of a Q-network, asked in batches; deterministic.

    Attributes:
        name: how reports call it.
        network: the network, on any device.
        encoding: the observation it reads.
    """

    def __init__(self, name: str, network: QNetwork, observation_name: str | None = None) -> None:
        self.name = name
        self.network = network
        self.observation_name = observation_name
        self._device = next(network.parameters()).device

    def act(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """The legal action of the highest value in each row, (rows,) int64; see `BatchPolicy`."""
        return greedy_actions(self.network, observations, masks, self._device)


def greedy_actions(
    network: QNetwork,
    observations: npt.NDArray[np.float32],
    masks: npt.NDArray[np.int8],
    device: torch.device | str = "cpu",
) -> npt.NDArray[np.int64]:
    """The legal action of the highest value in each row.

    Args:
        network: the network.
        observations: (rows, inputs), float32.
        masks: (rows, actions), int8, 1 where legal.
        device: where the network lies.

    Returns:
        (rows,), int64.
    """
    threads = torch.get_num_threads()
    if threads != 1:  # More threads make a small network slower, up to 80 times on a busy machine.
        torch.set_num_threads(1)
    try:
        with torch.inference_mode():
            # `torch.tensor` copies to aligned memory, so that the same numbers always give the same bits.
            values = network(torch.tensor(observations, device=device))
            legal = torch.tensor(masks, device=device).bool()
            best: npt.NDArray[np.int64] = masked(values, legal).argmax(dim=1).cpu().numpy()
        return best
    finally:
        if threads != 1:
            torch.set_num_threads(threads)


# -- checkpoints ------------------------------------------------------------------------------------------------------


def network_shape(
    game: Game, options: Options, observation_name: str, hidden: tuple[int, ...], dueling: bool, wide: bool = False
) -> NetworkShape:
    """The shape of a network for this game and observation.

    Raises:
        CardgymError: where the observation is a state's number, which a network cannot read.
    """
    table = game.observation(observation_name)
    if table.discrete is not None:
        usable = [name for name, other in game.observations.items() if other.discrete is None]
        raise CardgymError(
            f"observation {observation_name!r} of {game.id} numbers the states, which a network cannot read; "
            f"use {' or '.join(usable) or 'another game'}"
        )
    return NetworkShape(table.size(options), game.actions(options), hidden, dueling, wide)


def save_checkpoint(
    path: Path,
    network: QNetwork,
    game: Game,
    options: Options,
    observation_name: str,
    config: Mapping[str, Any] | None = None,
) -> None:
    """Write a network as safetensors, with what it was made for in the metadata.

    The metadata has one key, `cardgym`, a JSON object of `format`, `env`, `options`, `observation` (its name), `table`
    (the digest of its table), `network` (its shape) and `config` (the training's). One key, because safetensors
    writes several in no fixed order, and the same training is to give the same file.

    Raises:
        CardgymError: where the file cannot be written.
    """
    purpose = {
        "format": FORMAT,
        **checkpoint_metadata(game, options, observation_name),
        "network": asdict(network.shape),
        "config": dict(config or {}),
    }
    tensors = {name: value.detach().cpu().contiguous() for name, value in network.state_dict().items()}
    with replacing(path) as temporary:
        temporary.write_bytes(safetensors.torch.save(tensors, {"cardgym": json.dumps(purpose)}))


def load_checkpoint(path: Path, game: Game, options: Options) -> tuple[QNetwork, dict[str, Any]]:
    """Read a checkpoint for this game and these options.

    Returns:
        The network, on the CPU, and what the checkpoint was made for; see `save_checkpoint`.

    Raises:
        CardgymError: where the file is missing, truncated or not one of ours, or was made for another game, other
            options (only `reward` may differ: it changes what is paid and nothing a player sees), or an observation
            whose table has changed since.
    """
    if not path.is_file():
        raise CardgymError(f"checkpoint {path}: no such file; give the path of a .safetensors file")
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            metadata: dict[str, str] = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (safetensors.SafetensorError, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CardgymError(f"checkpoint {path}: truncated or not a safetensors file ({reason})") from None
    try:
        purpose = json.loads(metadata["cardgym"])
        known = purpose["format"] == FORMAT
    except (KeyError, TypeError, ValueError):
        known = False
    if not known:
        raise CardgymError(f"checkpoint {path}: not a Q-network of cardgym (no format {FORMAT!r} in its metadata)")
    try:
        check_compatible(f"checkpoint {path}", purpose, game, options)
        shape = purpose["network"]
        network = QNetwork(NetworkShape(**{**shape, "hidden": tuple(shape["hidden"])}))
        network.load_state_dict(tensors)
    except CardgymError:
        raise
    except (KeyError, TypeError, ValueError, RuntimeError, AttributeError):
        raise CardgymError(f"checkpoint {path}: its metadata and its weights do not fit together") from None
    return network.eval(), purpose


def load_player(path: Path, game: Game, options: Options) -> NetworkPlayer:
    """The greedy player of a checkpoint; see `load_checkpoint` for what is refused."""
    network, purpose = load_checkpoint(path, game, options)
    return NetworkPlayer(str(path), network, purpose["observation"])
