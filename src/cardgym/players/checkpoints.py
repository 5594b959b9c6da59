"""Checkpoints: files of Q-networks and policy networks, with the game and options they were trained for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import torch
from pydantic import Field

from cardgym.engine.contract import Game, Options
from cardgym.engine.declarations import checkpoint_metadata
from cardgym.errors import CardgymError
from cardgym.files.documents import Document, Items, at_most
from cardgym.files.tensors import Layout, read_tensors, write_tensors
from cardgym.players.base import GREEDY
from cardgym.players.compatibility import PlayerMetadata, check_compatible
from cardgym.players.networks import MAX_LAYERS, MAX_UNITS, NetworkPlayer, NetworkShape, QNetwork
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer

Network = QNetwork | PolicyNetwork

Q_NETWORK = "cardgym-q-network-1"
POLICY_NETWORK = "cardgym-policy-network-1"


class _Layers(Document):
    """The layers of a saved network; see `NetworkShape`."""

    inputs: Annotated[int, Field(ge=1, le=2**31)]
    actions: Annotated[int, Field(ge=1, le=2**31)]
    hidden_sizes: Annotated[Items[Annotated[int, Field(ge=1, le=MAX_UNITS)]], at_most(MAX_LAYERS)]
    dueling: bool = False
    wide: bool = False
    feature_starts: Annotated[Items[Annotated[int, Field(ge=0, le=2**31)]], at_most(MAX_LAYERS)] = ()
    featured_actions: Annotated[int, Field(ge=0, le=2**31)] = 0


class CheckpointMetadata(PlayerMetadata):
    """What is saved with a network; see `save_checkpoint`."""

    format: Literal["cardgym-q-network-1", "cardgym-policy-network-1"]
    network: _Layers

    @property
    def shape(self) -> NetworkShape:
        """Its layers as the network's shape."""
        return NetworkShape(**dict(self.network))

    def new_network(self) -> Network:
        """A network of its kind and shape, with new weights."""
        return PolicyNetwork(self.shape) if self.format == POLICY_NETWORK else QNetwork(self.shape)


def save_checkpoint(
    path: Path,
    network: Network,
    game: Game,
    options: Options,
    observation_name: str,
    config: Mapping[str, Any] | None = None,
) -> None:
    """Write a network's weights; see `cardgym.files.tensors`.

    The document has `format`, the keys of `checkpoint_metadata`, `network` (its shape) and `config` (of the training).
    """
    metadata = {
        "format": POLICY_NETWORK if isinstance(network, PolicyNetwork) else Q_NETWORK,
        **checkpoint_metadata(game, options, observation_name),
        "network": _shape(network.shape),
        "config": dict(config or {}),
    }
    write_tensors(path, metadata, {name: value.detach().cpu().numpy() for name, value in network.state_dict().items()})


def _shape(shape: NetworkShape) -> dict[str, Any]:
    """The shape as metadata, without the keys of per-action features for networks that have none."""
    layers = asdict(shape)
    if not shape.feature_starts:
        del layers["feature_starts"], layers["featured_actions"]
    return layers


def load_checkpoint(path: Path, game: Game, options: Options) -> tuple[Network, CheckpointMetadata]:
    """Read a checkpoint for this game and these options.

    Returns:
        The network, on the CPU, and the metadata; see `save_checkpoint`.

    Raises:
        CardgymError: for a file that is missing, truncated or not a checkpoint of cardgym, or that was made for another
            game, other options (only `reward` may differ: it changes nothing that a player sees), or an observation
            whose features have changed since.
    """
    what = f"checkpoint {path}"

    def layout(metadata: CheckpointMetadata) -> Layout:
        check_compatible(what, metadata, game, options)
        shape = metadata.shape
        size = game.observation(metadata.observation).size(options)
        if (shape.inputs, shape.actions) != (size, game.actions(options)):
            raise CardgymError(
                f"{what}: its metadata do not fit together: {shape.inputs} inputs and {shape.actions} actions, not "
                f"{size} and {game.actions(options)}"
            )
        featured, last = shape.featured_actions, max(shape.feature_starts, default=0)
        if bool(shape.feature_starts) != (featured > 0) or featured > shape.actions or last + featured > shape.inputs:
            raise CardgymError(
                f"{what}: its metadata do not fit together: {len(shape.feature_starts)} features of {featured} actions "
                f"up to input {last + featured}, with {shape.inputs} inputs and {shape.actions} actions"
            )
        with torch.device("meta"):  # Only shapes: no memory is allocated.
            weights = metadata.new_network().state_dict()
        return {name: (np.float32, tuple(value.shape)) for name, value in weights.items()}

    metadata, arrays = read_tensors(path, what, CheckpointMetadata, layout)
    network = metadata.new_network()
    network.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
    return network.eval(), metadata


def load_player(path: Path, game: Game, options: Options) -> NetworkPlayer | PolicyPlayer:
    """The player of a checkpoint: greedy for a Q-network; sampling for a policy network, greedy with `:greedy`.

    Raises:
        CardgymError: as `load_checkpoint`, and for a Q-network with `:greedy` after its path.
    """
    checkpoint = Path(str(path).removesuffix(GREEDY))
    network, metadata = load_checkpoint(checkpoint, game, options)
    if isinstance(network, PolicyNetwork):
        return PolicyPlayer(str(path), network, metadata.observation, samples=checkpoint == path)
    if checkpoint != path:
        raise CardgymError(
            f"checkpoint {checkpoint}: a Q-network, which is always greedy and has no probabilities; leave out "
            f"{GREEDY!r}, or give the checkpoint of a policy network, as train/ppo.py saves"
        )
    return NetworkPlayer(str(path), network, metadata.observation)
