"""Weights to start a training from."""

from __future__ import annotations

from pathlib import Path

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError
from cardgym.players.checkpoints import Network, load_checkpoint


def load_weights(network: Network, path: Path, game: Game, options: Options, observation: str) -> None:
    """Give a network the weights of a checkpoint.

    Raises:
        CardgymError: as `load_checkpoint`, and where it holds another kind of network, other layers, or one that
            reads another observation.
    """
    other, metadata = load_checkpoint(path, game, options)
    if type(other) is not type(network):
        raise CardgymError(f"init_from {path}: holds a {type(other).__name__}, not a {type(network).__name__}")
    if metadata.observation != observation:
        raise CardgymError(
            f"init_from {path}: reads the observation {metadata.observation!r}, not {observation!r}; set `observation`"
        )
    if other.shape != network.shape:
        raise CardgymError(f"init_from {path}: its layers are {_layers(other)}, not {_layers(network)}")
    network.load_state_dict(other.state_dict())


def _layers(network: Network) -> str:
    shape = network.shape
    extra = "".join(f", {name}" for name in ("dueling", "wide") if getattr(shape, name))
    return f"{' x '.join(map(str, shape.hidden_sizes))}{extra}"
