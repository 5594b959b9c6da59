"""The registry of games.

A distribution registers its games through the entry-point group `cardgym.games`. An entry has the id of a game as its
name and refers to the `Game`, or to a `GamePackage`, which lists a game's modules as strings. Reading the entries
imports nothing; packages, rules and players are imported when needed.
"""

from __future__ import annotations

import copyreg
import importlib
import importlib.metadata
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import gymnasium

from cardgym.engine.declarations import load
from cardgym.errors import CardgymError, unknown

if TYPE_CHECKING:
    from cardgym.engine.contract import Game

GROUP = "cardgym.games"
"""The entry-point group for games."""


@dataclass(frozen=True)
class GamePackage:
    """What one game provides. References are written `module:attribute`, modules by their full names.

    Attributes:
        name: the game's name in files and folders, such as `kuhn_poker`.
        games: references to its games, each a `Game`, by id; a game may have several ids.
        loaders: references to functions `load(path, game, options)` that load a player from a `.safetensors` file, by
            the format named in the file's metadata.
        positions: the module behind `cardgym advise`, which parses positions in the game's notation.
        table: a reference to its `cardgym.table.presentation.Presentation`; without one, people see its words.
    """

    name: str
    games: Mapping[str, str]
    loaders: Mapping[str, str] = field(default_factory=dict)
    positions: str | None = None
    table: str | None = None


_IDS: dict[str, GamePackage | str | None] = {}
"""The package of each id; the reference in its entry point until that is loaded; None if it has no package."""
_GAMES: dict[str, Game] = {}
_TABLES: dict[str, str] = {}


def register_package(package: GamePackage) -> None:
    """Register a game's package with cardgym and its ids with Gymnasium."""
    for game_id in package.games:
        _IDS[game_id] = package
        _GAMES.pop(game_id, None)
        _register_with_gymnasium(game_id)


def register(game: Game, table: str | None = None) -> Game:
    """Register one game without a package, for notebooks, tests and first attempts; returns the game.

    `table` is what `GamePackage.table` is.
    """
    _IDS.setdefault(game.id, None)
    if table is not None:
        _TABLES[game.id] = table
    _register_with_gymnasium(game.id)
    return _keep(game)


def _keep(game: Game) -> Game:
    copyreg.pickle(type(game), _reduce_game)
    _GAMES[game.id] = game
    return game


def _register_with_gymnasium(game_id: str) -> None:
    if game_id in gymnasium.registry:
        return
    gymnasium.register(
        id=game_id,
        entry_point="cardgym.envs.single:CardEnv",
        vector_entry_point="cardgym.envs.vector:CardVectorEnv",
        kwargs={"game": game_id},
    )


def _reduce_game(game: Game) -> tuple[Any, ...]:
    """Pickle a game as its id: compiled functions are not copied."""
    return find, (game.id,)


def discover() -> None:
    """Register the games of all installed distributions, those of cardgym first; nothing is imported."""
    entries = importlib.metadata.entry_points(group=GROUP)
    for entry in sorted(entries, key=lambda entry: (not entry.value.startswith("cardgym."), entry.value)):
        _IDS[entry.name] = entry.value
        _register_with_gymnasium(entry.name)


def _package(game_id: str) -> GamePackage | None:
    """The package of a registered id, imported if necessary.

    Raises:
        Exception: of any kind, if the package fails to load.
    """
    reference = _IDS[game_id]
    if isinstance(reference, str):
        loaded = load(reference)
        if not isinstance(loaded, GamePackage):
            loaded = GamePackage(reference.partition(":")[0].partition(".")[0], {game_id: reference})
        if game_id not in loaded.games:
            raise TypeError(f"{reference} has no game {game_id}")
        register_package(loaded)
        return loaded
    return reference


def registered() -> tuple[str, ...]:
    """The ids of all registered games, those of a package in its order."""
    listed = [game_id for package in packages() for game_id in package.games]
    return tuple(dict.fromkeys([*listed, *_IDS]))


def packages() -> tuple[GamePackage, ...]:
    """All registered packages; those that fail to load are reported on stderr, and their ids removed."""
    found = {}  # In the order of the ids, whichever game was used first.
    for game_id in list(_IDS):
        try:
            if (package := _package(game_id)) is not None:
                found[package.name] = package
        except Exception as error:  # A broken plug-in must not break the other games.
            print(f"cardgym: skipped game {game_id!r}: {type(error).__name__}: {error}", file=sys.stderr)
            del _IDS[game_id], gymnasium.registry[game_id]
    return tuple(found.values())


def package_of(game: Game) -> GamePackage | None:
    """The package of a game; None for a game registered without one."""
    return _package(game.id) if game.id in _IDS else None


def table_of(game: Game) -> str | None:
    """The reference to a game's `Presentation`; None if people see only its words."""
    package = package_of(game)
    return _TABLES.get(game.id) or (package.table if package is not None else None)


def find(name: str | Game) -> Game:
    """The game with that id; the error for an unknown id suggests the nearest.

    `module:Id-v0` first imports the module, which registers the game, as in `gymnasium.make`.
    """
    if not isinstance(name, str):
        return name
    module, _, short = name.rpartition(":")
    if module:
        try:
            importlib.import_module(module)
        except (ImportError, TypeError, ValueError) as error:  # TypeError and ValueError for names such as `.a`.
            message = f"game {name!r}: cannot import {module!r} ({error}); is its folder on PYTHONPATH?"
            raise CardgymError(message) from None
    if short not in _GAMES:
        package = _package(short) if short in _IDS else None
        if package is None:
            raise unknown("game", name, _IDS)
        _keep(load(package.games[short]))
    return _GAMES[short]
