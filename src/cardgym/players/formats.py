"""Players in files: the checkpoints that come with a game, and the formats of `.safetensors` files."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cardgym.engine import registry
from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError, printable, reporting_missing
from cardgym.files import shipped
from cardgym.files.tensors import SUFFIX, read_document
from cardgym.players.base import Player
from cardgym.players.resolver import GREEDY, resolve

PLAYER_SUFFIXES = (".json", ".safetensors", ".zip")
"""The suffixes of players' files."""


def load_file(name: str, game: Game, options: Options) -> Player | None:
    """The player of a file; None if the name does not end like that of a player's file."""
    greedy = GREEDY if name.endswith(f"{SUFFIX}{GREEDY}") else ""
    if not name.removesuffix(greedy).endswith(PLAYER_SUFFIXES):
        return None
    path = shipped.checkpoint_path(Path(name.removesuffix(greedy)))
    with reporting_missing(f"player {printable(name)}"):
        player = _load(Path(f"{path}{greedy}"), game, options)
    player.name = name  # As the caller called it, not the path of its installed file.
    return player


def _load(path: Path, game: Game, options: Options) -> Player:
    if path.suffix == SUFFIX:
        return load_tensors(path, game, options)
    if path.suffix == ".zip":
        # By name: the module is above the players.
        model: Player = importlib.import_module("cardgym.interop.sb3_player").load_player(path, game, options)
        return model
    if path.name.endswith(".mixture.json"):
        from cardgym.players import mixture_file

        return mixture_file.load_player(path, game, options)
    if path.suffix == ".json":
        from cardgym.players import policy_file

        return policy_file.load_player(path, game, options)
    return _load_network(path, game, options)  # With `:greedy`.


def checkpoints(game: Game, options: Options | None = None) -> dict[str, Path]:
    """The checkpoints that come with a game, by their players' names.

    Checkpoints for other ids are left out, and those for other options if `options` are given.
    """
    package = registry.package_of(game)
    files = {} if package is None else shipped.checkpoints(package.name, PLAYER_SUFFIXES)
    return {name: path for name, path in files.items() if _is_of(path, game, options)}


def _is_of(path: Path, game: Game, options: Options | None) -> bool:
    """Whether a checkpoint was made for a game and its options, according to its metadata."""
    metadata = read_document(path, str(path)) if path.suffix == SUFFIX else {}
    if options is None or ("env" in metadata and "options" not in metadata):
        return metadata.get("env") in (game.id, None)
    from cardgym.players.compatibility import check_made_for

    try:
        if "env" in metadata:
            check_made_for(str(path), metadata["env"], metadata["options"], game, options)
        else:  # A format of the game itself, which says so when it is loaded.
            resolve(path, game, options)
    except CardgymError:
        return False
    return True


def _load_network(path: Path, game: Game, options: Options) -> Player:
    from cardgym.players.checkpoints import load_player

    return load_player(path, game, options)


def _load_table(path: Path, game: Game, options: Options) -> Player:
    from cardgym.players.tables import load_player

    return load_player(path, game, options)


_FORMATS: dict[str, Callable[[Path, Game, Any], Player]] = {
    "cardgym-q-network-1": _load_network,
    "cardgym-policy-network-1": _load_network,
    "cardgym-q-table-1": _load_table,
    "cardgym-strategy-1": _load_table,
}
"""Loaders of players from `.safetensors` files, by the format named in the file; games add theirs."""


def load_tensors(path: Path, game: Game, options: Options) -> Player:
    """The player of a `.safetensors` file.

    Raises:
        CardgymError: for a file that is missing, contains something other than a player, or was made for another game
            or other options.
    """
    what = f"checkpoint {path}"
    form = read_document(path, what).get("format")
    loaders = dict(_FORMATS)
    for package in registry.packages():
        loaders |= package.loaders
    if not isinstance(form, str) or form not in loaders:
        raise CardgymError(f"{what}: contains {printable(str(form), 60)}; players are {', '.join(sorted(loaders))}")
    player: Player = loaders[form](path, game, options)
    return player
