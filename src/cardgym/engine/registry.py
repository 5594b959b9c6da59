"""The games that are known by name.

A distribution makes its games known through the entry-point group `cardgym.games`. An entry is named after a game's id
and refers to the `Game`, or it refers to a `GamePackage`, which says in plain strings what a game brings. Reading them
imports no game; rules, players and commands are imported when they are needed.
"""

from __future__ import annotations

import copyreg
import importlib
import importlib.metadata
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import gymnasium

from cardgym.errors import CardgymError, missing, unknown

if TYPE_CHECKING:
    from cardgym.engine.contract import Game

GROUP = "cardgym.games"
"""The entry-point group through which distributions make their games known."""
_GAME_ID = re.compile(r"-v\d+$")


@dataclass(frozen=True)
class Command:
    """A command that a game adds to `cardgym`.

    Attributes:
        module: the module that runs it; see `cardgym.cli`.
        help: its line in `cardgym --help`.
        trains: whether it is a training with a config, which `cardgym train` runs too.
    """

    module: str
    help: str
    trains: bool = False


@dataclass(frozen=True)
class GamePackage:
    """What one game brings. References are written `module:attribute`, and modules by their full names.

    Attributes:
        name: the game's name in files and folders, such as `kuhn_poker`; its entry point has the same name.
        games: references to its games, each a `Game`, by id; one game may go by several ids.
        loaders: references to functions that load players from `.safetensors` files, by the format that the file's
            document names: `load(path, game, options)` returns a player.
        commands: the commands it adds.
        solver: the module that solves it, for `cardgym solve`; games of one player need none.
        positions: the module that advises on positions in the game's own words, for `cardgym advise`.
        table: a reference to how people see its games, a `cardgym.table.presentation.Presentation`; without it they are
            shown by their words.
    """

    name: str
    games: Mapping[str, str]
    loaders: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, Command] = field(default_factory=dict)
    solver: str | None = None
    positions: str | None = None
    table: str | None = None

    def __post_init__(self) -> None:
        if self.name in _AWAITED:
            _AWAITED.discard(self.name)
            register_package(self)


_PACKAGES: dict[str, GamePackage] = {}
_IDS: dict[str, GamePackage | None] = {}
_GAMES: dict[str, Game] = {}
_AWAITED: set[str] = set()
"""Entry points whose modules were importing cardgym when it looked for games; their packages register when made."""


def register_package(package: GamePackage) -> None:
    """Make a game's package known to cardgym, and its ids to Gymnasium."""
    _PACKAGES[package.name] = package
    for game_id in package.games:
        _IDS[game_id] = package
        _GAMES.pop(game_id, None)
        _register_with_gymnasium(game_id)


def register(game: Game) -> Game:
    """Make one game known by itself, without a package: for a notebook, a test or a first try.

    Returns:
        The game.
    """
    _IDS.setdefault(game.id, None)
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
    """A game is pickled and copied as its id: compiled functions stay where they are."""
    return find, (game.id,)


def discover() -> None:
    """Register the packages of all installed distributions; report on stderr, and skip, those that cannot be loaded."""
    entries = sorted(importlib.metadata.entry_points(group=GROUP), key=_own_first)
    for entry in entries:
        if _GAME_ID.search(entry.name):
            register_package(GamePackage(entry.module.partition(".")[0], {entry.name: entry.value}))
            continue
        module = sys.modules.get(entry.module)
        if module is not None and getattr(module.__spec__, "_initializing", False):
            _AWAITED.add(entry.name)
            continue
        try:
            package = entry.load()
            if not isinstance(package, GamePackage):
                raise TypeError(f"{entry.value} is not a GamePackage")
        except Exception as error:  # Whatever a broken plug-in raises, the other games still work.
            print(f"cardgym: game {entry.name!r} is skipped: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        register_package(package)


def _own_first(entry: importlib.metadata.EntryPoint) -> tuple[bool, str]:
    return not entry.value.startswith("cardgym."), entry.name


def registered() -> tuple[str, ...]:
    """The ids of all known games."""
    return tuple(_IDS)


def packages() -> tuple[GamePackage, ...]:
    """What every known game brings."""
    return tuple(_PACKAGES.values())


def package_of(game: Game) -> GamePackage | None:
    """The package that a game came with; None for one registered by itself."""
    return _IDS.get(game.id)


def find(name: str | Game) -> Game:
    """The game of that id, or an error that names the nearest.

    `module:Id-v0`, as `gymnasium.make` takes it too, first imports the module that registers the game.
    """
    if not isinstance(name, str):
        return name
    module, _, short = name.rpartition(":")
    if module:
        try:
            importlib.import_module(module)
        except (ImportError, TypeError, ValueError) as error:  # The latter two for names such as `.a`.
            message = f"game {name!r}: cannot import {module!r} ({error}); is its folder on PYTHONPATH?"
            raise CardgymError(message) from None
    if short not in _GAMES:
        package = _IDS.get(short)
        if package is None:
            raise unknown("game", name, _IDS)
        _keep(load(package.games[short]))
    return _GAMES[short]


def load(reference: str) -> Any:
    """What a reference `module:attribute` names; its module is imported.

    Raises:
        CardgymError: for a package that the module needs and that is not installed.
    """
    module, _, attribute = reference.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        if (error.name or module).partition(".")[0] == module.partition(".")[0]:
            raise
        raise missing(module, error) from None


def loaders() -> Iterator[tuple[str, str]]:
    """Formats of the files that games load players from, with the references of their loaders."""
    for package in _PACKAGES.values():
        yield from package.loaders.items()


def parse_settings(words: list[str]) -> dict[str, str]:
    """Names and values from words such as `num_players=4`, as `--set` takes them."""
    settings = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise CardgymError(f"setting {word!r}: write it as name=value, such as num_players=4")
        settings[name] = value
    return settings
