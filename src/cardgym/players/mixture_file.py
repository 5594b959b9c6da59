"""Files of mixtures: JSON with a list of players by name or path, each with its weight."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from cardgym.engine.contract import Game, Options
from cardgym.engine.declarations import options_that_count
from cardgym.errors import CardgymError, of_kind, path_of
from cardgym.files.documents import Document, Items, Name, at_most, parse_document
from cardgym.files.json_values import read_bytes, sealed, write_json
from cardgym.files.paths import relative
from cardgym.files.schema import Field
from cardgym.players.base import split_path
from cardgym.players.checks import check_setting
from cardgym.players.compatibility import OptionValues, check_made_for
from cardgym.players.mixtures import parse_weights

FORMAT = "cardgym mixture 1"
SUFFIX = ".mixture.json"

_MAX_PLAYERS = 256


class _Part(Document):
    player: Name
    """A name, or a path relative to the file's folder."""
    weight: Annotated[float, Field(ge=0, le=1e9)]


class _File(Document):
    format: Literal["cardgym mixture 1"]
    env: Name
    options: OptionValues
    players: Annotated[Items[_Part], Field(min_length=1), at_most(_MAX_PLAYERS)]


def save_mixture(path: Path, weights: Mapping[str, float], game: Game, options: Options) -> None:
    """Write a mixture of players, named or by path, to a file whose name ends in `.mixture.json`.

    Paths are written relative to the file's folder.
    """
    check_setting(game, options)
    path = path_of("path", path)
    of_kind("weights", weights, Mapping, "mappings from players to weights")
    for player in weights:
        of_kind("player", player, str, "names and paths")
    parse_weights(weights)
    content = {
        "format": FORMAT,
        "env": game.id,
        "options": options_that_count(options),
        "players": [{"player": _from(path.parent, name), "weight": weight} for name, weight in weights.items()],
    }
    write_json(path, sealed(content))


def read_mixture(path: Path, game: Game, options: Options) -> dict[str, float]:
    """Return the players of a mixture's file, named or by path, with their weights.

    Raises:
        CardgymError: for a file that is missing, not a mixture, or made for another game or other options, or that
            names another mixture.
    """
    check_setting(game, options)
    path = path_of("path", path)
    what = f"mixture {path}"
    content = parse_document(_File, read_bytes(path, what), what)
    check_made_for(what, content.env, content.options, game, options)
    weights: dict[str, float] = {}
    for part in content.players:
        if part.player.endswith(SUFFIX):
            raise CardgymError(f"{what}: contains another mixture, {part.player!r}; name its players instead")
        name = _found(path.parent, part.player)
        weights[name] = weights.get(name, 0.0) + part.weight
    return weights


def _from(folder: Path, name: str) -> str:
    """Return the path of a file relative to a folder, if they are on one drive; a name unchanged."""
    path, rest = split_path(name)
    return relative(Path(path), folder).as_posix() + rest if Path(path).is_file() else name


def _found(folder: Path, name: str) -> str:
    path, rest = split_path(name)
    return f"{folder / path}{rest}" if (folder / path).is_file() else name
