"""Checkpoints: files of Q-networks and policy networks, with the game and options they were trained for.

PyTorch is imported when its networks are needed: for training, and for many decisions at once.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from copy import copy
from dataclasses import asdict
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Float32s, Game, Options
from cardgym.engine.declarations import checkpoint_metadata
from cardgym.errors import CardgymError, of_kind, path_of
from cardgym.files.documents import Document, Items, at_most
from cardgym.files.schema import Field
from cardgym.files.tensors import Arrays, Layout, read_tensors, write_tensors
from cardgym.players.base import GREEDY, Masks, Observations, Player, best_actions, one_hot
from cardgym.players.checks import check_setting
from cardgym.players.compatibility import PlayerMetadata, check_compatible
from cardgym.players.compiled_networks import CompiledNetwork
from cardgym.players.network_shapes import MAX_LAYERS, MAX_UNITS, NetworkShape, weights_of_policy, weights_of_values

if TYPE_CHECKING:
    from cardgym.players.networks import NetworkPlayer
    from cardgym.players.policy_networks import Network, PolicyPlayer

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
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.0


class CheckpointMetadata(PlayerMetadata):
    """What is saved with a network; see `save_checkpoint`."""

    format: Literal["cardgym-q-network-1", "cardgym-policy-network-1"]
    network: _Layers

    @property
    def shape(self) -> NetworkShape:
        """Its layers as the network's shape."""
        return NetworkShape(**dict(self.network))

    def network_of(self, arrays: Arrays) -> Network:
        """Return the PyTorch network with these weights, on the CPU."""
        import torch

        from cardgym.players.networks import QNetwork
        from cardgym.players.policy_networks import PolicyNetwork

        network = PolicyNetwork(self.shape) if self.format == POLICY_NETWORK else QNetwork(self.shape)
        network.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
        return network.eval()


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
    from cardgym.players.networks import QNetwork
    from cardgym.players.policy_networks import PolicyNetwork

    check_setting(game, options)
    of_kind("config", config, Mapping | None, "mappings and None")
    of_kind("network", network, (QNetwork, PolicyNetwork), "networks of cardgym.players")
    metadata = {
        "format": POLICY_NETWORK if isinstance(network, PolicyNetwork) else Q_NETWORK,
        **checkpoint_metadata(game, options, observation_name),
        "network": _shape(network.shape),
        "config": dict(config or {}),
    }
    arrays = {name: value.detach().cpu().numpy() for name, value in network.state_dict().items()}
    write_tensors(path_of("path", path), metadata, arrays)


def _shape(shape: NetworkShape) -> dict[str, Any]:
    """Return the shape as metadata, without the keys of per-action features and thresholds for networks without."""
    layers = asdict(shape)
    if not shape.threshold:
        del layers["threshold"]
    if not shape.feature_starts:
        del layers["feature_starts"], layers["featured_actions"]
    return layers


def load_checkpoint(path: Path, game: Game, options: Options) -> tuple[Network, CheckpointMetadata]:
    """Read a checkpoint for this game and these options.

    Returns:
        The PyTorch network, on the CPU, and the metadata; see `save_checkpoint`.

    Raises:
        CardgymError: for a file that is missing, truncated or not a checkpoint of cardgym, or that was made for another
            game, other options (only `reward` may differ: it changes nothing that a player sees), or an observation
            whose features have changed since.
    """
    metadata, arrays = _read(path, game, options)
    return metadata.network_of(arrays), metadata


def _read(path: Path, game: Game, options: Options) -> tuple[CheckpointMetadata, Arrays]:
    """Return the metadata and the weights of a checkpoint; raises as `load_checkpoint`."""
    check_setting(game, options)
    path = path_of("path", path)
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
        weights = weights_of_policy(shape) if metadata.format == POLICY_NETWORK else weights_of_values(shape)
        return {name: (np.float32, lengths) for name, lengths in weights.items()}

    return read_tensors(path, what, CheckpointMetadata, layout)


# -- players -----------------------------------------------------------------------------------------------------------

_COMPILED_ROWS = 16
"""Compiled layers answer up to this many rows at once faster than PyTorch."""


@cache
def _has_torch() -> bool:
    return find_spec("torch") is not None


class CheckpointPlayer(Player):
    """The player of a checkpoint: greedy for a Q-network; sampling or greedy for a policy network.

    Up to 16 rows at once go through compiled layers, and more through PyTorch, if it is installed. The two differ in
    the last bits of float32.
    """

    def __init__(self, name: str, metadata: CheckpointMetadata, arrays: Arrays, *, samples: bool) -> None:
        """Take a checkpoint's weights; `samples` is for policy networks only."""
        self.name = name
        self.observation_name = metadata.observation
        self.samples = samples
        self.metadata = metadata
        self.arrays = arrays
        self._compiled = CompiledNetwork(metadata.shape, arrays)
        self._compiled_rows = _COMPILED_ROWS

    @cached_property
    def with_torch(self) -> NetworkPlayer | PolicyPlayer:
        """The player by PyTorch."""
        import torch

        from cardgym.players.networks import NetworkPlayer, QNetwork
        from cardgym.players.policy_networks import PolicyPlayer

        with torch.random.fork_rng(devices=[]):  # A player that loads leaves the draws of other code as they are.
            network = self.metadata.network_of(self.arrays)
        if isinstance(network, QNetwork):
            return NetworkPlayer(self.name, network, self.observation_name)
        return PolicyPlayer(self.name, network, self.observation_name, samples=self.samples)

    def _by(self, rows: int) -> NetworkPlayer | PolicyPlayer | None:
        """PyTorch's player for that many rows; None for the compiled layers."""
        return None if rows <= self._compiled_rows or not _has_torch() else self.with_torch

    def values(self, observations: Observations, masks: Masks) -> npt.NDArray[np.floating[Any]] | None:
        """See `Player.values`; None for a policy network."""
        if self.metadata.format == POLICY_NETWORK:
            return None
        player = self._by(len(masks))
        return player.values(observations, masks) if player else self._compiled.outputs(observations)

    def probabilities(
        self, observations: Observations, masks: Masks, temperature: float = 0.0
    ) -> npt.NDArray[np.floating[Any]] | None:
        """See `Player.probabilities`."""
        if self.metadata.format != POLICY_NETWORK:
            return super().probabilities(observations, masks, temperature)
        if player := self._by(len(masks)):
            return player.probabilities(observations, masks, temperature)
        shares = self._compiled.probabilities(observations, masks)
        return shares if self.samples else one_hot(best_actions(shares, masks), masks)

    def choose(self, observation: Float32s, mask: Masks, draw: float) -> int:
        """See `Player.choose`."""
        return self._compiled.choose(observation, mask, draw if self.samples else -1.0)


def with_fixed_sums(player: Player) -> Player:
    """Return the player with the same probabilities, to the bit, on every processor and for any number of rows.

    A checkpoint's then go through compiled layers only; other players are returned as they are.
    """
    if isinstance(player, CheckpointPlayer):
        player = copy(player)
        player._compiled_rows = sys.maxsize
    return player


def load_player(path: Path, game: Game, options: Options) -> CheckpointPlayer:
    """Return the player of a checkpoint: greedy for a Q-network; sampling for a policy network, greedy with `:greedy`.

    Raises:
        CardgymError: as `load_checkpoint`, and for a Q-network with `:greedy` after its path.
    """
    path = path_of("path", path)
    checkpoint = Path(str(path).removesuffix(GREEDY))
    metadata, arrays = _read(checkpoint, game, options)
    if metadata.format != POLICY_NETWORK and checkpoint != path:
        raise CardgymError(
            f"checkpoint {checkpoint}: a Q-network, which is always greedy and has no probabilities; leave out "
            f"{GREEDY!r}, or give the checkpoint of a policy network, as train/ppo.py saves"
        )
    return CheckpointPlayer(
        str(path), metadata, arrays, samples=metadata.format == POLICY_NETWORK and checkpoint == path
    )
