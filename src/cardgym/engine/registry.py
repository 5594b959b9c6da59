"""The registry of games.

A distribution registers its games through the entry-point group `cardgym.games`. An entry has the id of a game as its
name and refers to the `Game`, or to a `GamePackage` of functions that import its parts. Reading the entries imports
nothing; packages, rules and players are imported when needed.
"""

from __future__ import annotations

import copyreg
import importlib
import importlib.metadata
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardgym.engine.digest import digest_of_game, renewed_game
from cardgym.errors import CardgymError, quoted, reporting_missing, unknown

if TYPE_CHECKING:
    from cardgym.engine.contract import Game

GROUP = "cardgym.games"
"""The entry-point group for games."""
_ENTRY_POINT = "cardgym.envs.single:CardEnv"


@dataclass(frozen=True)
class GamePackage:
    """What one game provides; the functions import what they return, so that listing the games imports none.

    Attributes:
        name: the game's name in files and folders, such as `kuhn_poker`.
        ids: the ids of its games; one set of rules may go by several.
        games: a function that returns the games, in the order of the ids.
        loaders: functions `load(path, game, options)` that load a player from a `.safetensors` file, by the format
            named in the file's metadata.
    """

    name: str
    ids: tuple[str, ...]
    games: Callable[[], tuple[Game, ...]]
    loaders: Mapping[str, Callable[[Path, Game, Any], Any]] = field(default_factory=dict)


_IDS: dict[str, GamePackage | EntryPoint | None] = {}
"""The package of each id; its entry point until that is loaded; None if it has no package."""
_GAMES: dict[str, Game] = {}
_MODULES: dict[str, str] = {}
"""The module that registered a game without a package, by the game's id; its rules may be edited while it runs."""


def register_package(package: GamePackage) -> None:
    """Register a game's package with cardgym and its ids with Gymnasium."""
    _take_ids(package, package.ids)


def _take_ids(package: GamePackage, ids: Iterable[str]) -> None:
    for game_id in ids:
        _IDS[game_id] = package
        _GAMES.pop(game_id, None)
        _register_with_gymnasium(game_id)


def register(game: Game) -> Game:
    """Register one game without a package, for notebooks, tests and first attempts.

    Args:
        game: the game; it replaces a game registered before under its id.

    Returns:
        The game.

    Raises:
        CardgymError: for anything but a `Game`, and for the id of another environment of Gymnasium.
    """
    if not hasattr(game, "rules"):
        raise CardgymError(f"game {quoted(game)}: give a `Game`")
    if not _register_with_gymnasium(game.id):
        raise CardgymError(f"game {game.id}: Gymnasium has another environment of this id; choose another")
    module = str(sys._getframe(1).f_globals.get("__name__", ""))
    known = _IDS.get(game.id)
    if module != (known.module if isinstance(known, EntryPoint) else _MODULES.get(game.id)):
        _IDS[game.id] = None  # It takes the place of an installed game, whose package would bring that back.
    _MODULES[game.id] = module
    return _keep(game)


def _keep(game: Game) -> Game:
    copyreg.pickle(type(game), _reduce_game)
    _GAMES[game.id] = game
    return game


def _register_with_gymnasium(game_id: str) -> bool:
    """Make a game known to Gymnasium, if that is installed; return False if the id is that of another environment."""
    if find_spec("gymnasium") is None:  # In a page.
        return True
    import gymnasium

    if game_id in gymnasium.registry:
        return gymnasium.registry[game_id].entry_point == _ENTRY_POINT
    # References by name, so that the registry stays below the envs, which Gymnasium imports when it makes one.
    gymnasium.register(
        id=game_id,
        entry_point=_ENTRY_POINT,
        vector_entry_point="cardgym.envs.vector:make_vector_env",
        kwargs={"game": game_id},
    )
    return True


def _reduce_game(game: Game) -> tuple[Any, ...]:
    """Pickle a game as its id, its module and a digest: compiled functions are not copied."""
    return _found_again, (game.id, _MODULES.get(game.id, ""), digest_of_game(game))


def _found_again(game_id: str, module: str, digest: str) -> Game:
    """Return a pickled game, also where another game has its id.

    Raises:
        CardgymError: if it has other rules now: the states that were pickled with it may have another layout.
    """
    game = find(game_id if _MODULES.get(game_id, "") == module else f"{module}:{game_id}")
    if digest_of_game(game) != digest:
        raise CardgymError(f"{game_id}: its rules or Python's version have changed since it was pickled; make it anew")
    return game


def discover() -> None:
    """Register the games of all installed distributions, those of cardgym first; nothing is imported."""
    entries = importlib.metadata.entry_points(group=GROUP)
    for entry in sorted(entries, key=lambda entry: (not entry.value.startswith("cardgym."), entry.value)):
        _IDS[entry.name] = entry
        _register_with_gymnasium(entry.name)


def _package(game_id: str) -> GamePackage | None:
    """Return the package of a registered id, imported if necessary.

    Raises:
        Exception: of any kind, if the package fails to load.
    """
    found = _IDS[game_id]
    if isinstance(found, EntryPoint):
        loaded = found.load()
        if not isinstance(loaded, GamePackage):
            loaded = GamePackage(found.module.partition(".")[0], (game_id,), lambda: (found.load(),))
        if game_id not in loaded.ids:
            raise TypeError(f"{found.value} has no game {game_id}")
        # Not those that games without a package have taken.
        _take_ids(loaded, [other for other in loaded.ids if _IDS.get(other, loaded) is not None])
        return loaded
    return found


def registered() -> tuple[str, ...]:
    """Return the ids of the registered games, those of a package in its order."""
    listed = [game_id for package in packages() for game_id in package.ids]
    return tuple(dict.fromkeys([*listed, *_IDS]))


def packages() -> tuple[GamePackage, ...]:
    """Return the registered packages; those that fail to load are reported on stderr, and their ids removed."""
    found = {}  # In the order of the ids, whichever game was used first.
    for game_id in list(_IDS):
        try:
            if (package := _package(game_id)) is not None:
                found[package.name] = package
        except Exception as error:  # A broken plug-in must not break the other games.
            print(f"cardgym: skipped game {game_id!r}: {type(error).__name__}: {error}", file=sys.stderr)
            del _IDS[game_id]
            if (gymnasium := sys.modules.get("gymnasium")) is not None:
                del gymnasium.registry[game_id]
    return tuple(found.values())


def package_of(game: Game) -> GamePackage | None:
    """Return the package of a game; None for a game registered without one."""
    return _package(game.id) if game.id in _IDS else None


def importable_name(name: str) -> str:
    """`module:Id-v0` for a game that a module registered without a package, so that another process finds it too."""
    is_known = ":" in name or isinstance(_IDS.get(name), GamePackage | EntryPoint)
    return name if is_known or name not in _MODULES else f"{_MODULES[name]}:{name}"


def find(name: str | Game) -> Game:
    """Find the game with an id.

    Args:
        name: the id; `module:Id-v0` first imports the module, which registers the game, as in `gymnasium.make`. A
            `Game` is returned as it is.

    Returns:
        The game.

    Raises:
        CardgymError: for an unknown id, with the nearest one, or a module that cannot be imported.
    """
    if not isinstance(name, str):
        if not hasattr(name, "rules"):  # Not isinstance: `Game` is imported with the first game.
            raise CardgymError(f"game {quoted(name)}: give the id of a registered game, or a `Game`")
        return _current(name) if name.id in _MODULES else name
    module, _, short = name.rpartition(":")
    if module:
        try:
            importlib.import_module(module)
        except (ImportError, TypeError, ValueError) as error:  # TypeError and ValueError for names such as `.a`.
            message = f"game {name!r}: cannot import {module!r} ({error}); is its folder on PYTHONPATH?"
            raise CardgymError(message) from None
    if module == "__main__" and _MODULES.get(short) not in ("__main__", "__mp_main__"):
        what = "is not defined in this process, which does not see a notebook or standard input"
        raise CardgymError(f"game {short!r} {what}: save it as a file, and name it MODULE:{short}")
    if short not in _GAMES:
        package = _package(short) if short in _IDS else None
        if package is None:
            raise unknown("game", name, _IDS)
        with reporting_missing(f"game {short}"):
            _keep(package.games()[package.ids.index(short)])
    return _current(_GAMES[short]) if short in _MODULES else _GAMES[short]


def _current(game: Game) -> Game:
    """Return a game whose rules may have been edited, by their latest code; warn where it still has older functions."""
    parts: list[Any] = [game.options, game.count_actions, *game.players.values()]
    for group in (game.rules, game.state_index, game.words, *game.observations.values(), *game.metrics.values()):
        parts += vars(group).values()
    for part in parts:
        function = getattr(part, "py_func", part)
        name = getattr(function, "__name__", "")
        latest = getattr(sys.modules.get(getattr(function, "__module__", "")), name, part)
        if latest is not part and name == function.__qualname__ and type(latest) is type(part):
            message = f"{game.id} plays an older {name}(), from before it was edited: run register(Game(...)) again"
            warnings.warn(message, stacklevel=3)
    renewed: Game = renewed_game(game)
    return renewed
