"""Checkpoints of networks of either kind, as players."""

from __future__ import annotations

from pathlib import Path

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError
from cardgym.players import networks, policy_networks
from cardgym.players.base import GREEDY, BatchPolicy
from cardgym.players.metadata import format_of


def load_player(path: Path, game: Game, options: Options) -> BatchPolicy:
    """The player of a checkpoint: greedy for a Q-network, sampling for a policy network.

    Raises:
        CardgymError: for a file that is missing, truncated or no checkpoint of cardgym, or that was made for another
            game, other options, or an observation whose features have changed since.
    """
    if format_of(path) == policy_networks.FORMAT:
        return policy_networks.load_policy(path, game, options)
    return networks.load_player(path, game, options)


def load_greedy_player(path: Path, game: Game, options: Options) -> BatchPolicy:
    """The greedy player of a policy network's checkpoint, named with `:greedy` behind its path.

    Raises:
        CardgymError: as `load_player`, and for a Q-network, which is greedy anyway.
    """
    path = Path(str(path).removesuffix(GREEDY))
    if format_of(path) == networks.FORMAT:
        raise CardgymError(f"checkpoint {path}: a Q-network is greedy as it is; leave out {GREEDY!r}")
    return policy_networks.load_policy(path, game, options, samples=False)
