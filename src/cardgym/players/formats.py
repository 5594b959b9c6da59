"""Players in files: the checkpoints that come with a game, and the formats of `.safetensors` files."""

from __future__ import annotations

from pathlib import Path

from cardgym.engine import registry
from cardgym.engine.contract import Game, Options
from cardgym.engine.declarations import load
from cardgym.errors import CardgymError, printable
from cardgym.files import shipped
from cardgym.files.tensors import SUFFIX, read_document
from cardgym.players.base import Player
from cardgym.players.resolver import GREEDY, resolve

_LOADERS = {
    ".mixture.json": "cardgym.players.mixture_file:load_player",
    ".json": "cardgym.players.policy_file:load_player",
    ".safetensors": "cardgym.players.formats:load_tensors",
    f".safetensors{GREEDY}": "cardgym.players.checkpoints:load_player",
    ".zip": "cardgym.interop.sb3:load_player",
}
"""Loaders of players by the suffix of the file; the first match counts."""


def load_file(name: str, game: Game, options: Options) -> Player | None:
    """The player of a file; None if no loader has a suffix of that name."""
    for suffix, reference in _LOADERS.items():
        if name.endswith(suffix):
            greedy = GREEDY if name.endswith(GREEDY) else ""
            path = shipped.checkpoint_path(Path(name.removesuffix(greedy)))
            player: Player = load(reference)(Path(f"{path}{greedy}"), game, options)
            player.name = name  # As the caller called it, not the path of its installed file.
            return player
    return None


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


_FORMATS = {
    "cardgym-q-network-1": "cardgym.players.checkpoints:load_player",
    "cardgym-policy-network-1": "cardgym.players.checkpoints:load_player",
    "cardgym-q-table-1": "cardgym.players.tables:load_player",
    "cardgym-strategy-1": "cardgym.players.tables:load_player",
}
"""Loaders of players from `.safetensors` files, by the format named in the file; games add theirs."""

PLAYER_SUFFIXES = (".json", ".safetensors", ".zip")
"""The suffixes of players' files."""


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
    player: Player = load(loaders[form])(path, game, options)
    return player
