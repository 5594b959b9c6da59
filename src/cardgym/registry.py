"""The games that are known by name, each with its compiled players."""

from __future__ import annotations

import copyreg
import dataclasses
import importlib
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from cardgym.errors import CardgymError, unknown
from cardgym.rules import Game, Options

_GAMES: dict[str, Game] = {}


def register(
    game: Game,
    players: Mapping[str, Callable[..., int]] | None = None,
    tables: Mapping[str, Callable[[Any], npt.NDArray[np.int8]]] | None = None,
    outside: Mapping[str, Callable[[Any], Any]] | None = None,
    **defaults: int | str,
) -> Game:
    """Make a game known to cardgym and to Gymnasium, for `gymnasium.make` and `gymnasium.make_vec`.

    Args:
        game: the rules.
        players: further compiled players of it, by name.
        tables: further players of it that are tables of actions, by name.
        outside: further players of it that are asked from outside the kernel, by name.
        defaults: options that differ from the game's own defaults under this id.

    Returns:
        The game as it is known from now on.
    """
    known = dataclasses.replace(
        game,
        players={**game.players, **(players or {})},
        tables={**game.tables, **(tables or {})},
        outside={**game.outside, **(outside or {})},
        defaults={**game.defaults, **game.options.parse(defaults).asdict()} if defaults else game.defaults,
    )
    _GAMES[known.id] = known
    gymnasium.register(
        id=known.id,
        entry_point="cardgym.envs.single:CardEnv",
        vector_entry_point="cardgym.envs.vector:CardVectorEnv",
        kwargs={"game": known.id},
    )
    return known


def _reduce_game(game: Game) -> tuple[Any, ...]:
    return find, (game.id,)


copyreg.pickle(Game, _reduce_game)  # A game is pickled and copied as its name: compiled functions stay where they are.


def registered() -> tuple[str, ...]:
    """The ids of all known games."""
    return tuple(_GAMES)


def find(name: str | Game) -> Game:
    """The game of that id, or an error that names the nearest.

    `module:Id-v0`, as `gymnasium.make` takes it too, first imports the module that registers the game.
    """
    if isinstance(name, Game):
        return name
    module, _, short = name.rpartition(":")
    if module:
        try:
            importlib.import_module(module)
        except (ImportError, TypeError, ValueError) as error:  # The latter two for names such as `.a`.
            told = f"game {name!r}: cannot import {module!r} ({error}); is its folder on PYTHONPATH?"
            raise CardgymError(told) from None
    if short not in _GAMES:
        raise unknown("game", name, _GAMES)
    return _GAMES[short]


def parse_options(game: Game, values: Mapping[str, object]) -> Options:
    """The options of a game from names and values, those not named as its id has them."""
    return game.options.parse({**game.defaults, **values})


def parse_settings(words: list[str]) -> dict[str, str]:
    """Names and values from words such as `num_players=4`, as `--set` takes them."""
    settings = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise CardgymError(f"setting {word!r}: write it as name=value, such as num_players=4")
        settings[name] = value
    return settings
