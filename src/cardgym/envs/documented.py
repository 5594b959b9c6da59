"""Env classes with their game's documentation, so that `help(env)` shows the page of the game that it plays."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from cardgym.engine.contract import Game
from cardgym.engine.registry import find


class Documented:
    """An env whose instances are of a class of their game, which differs in its name and docstring only.

    A class derived from such an env keeps its own name and docstring.
    """

    game: Game

    def __new__(cls, game: str | Game | None = None, *args: Any, **kwargs: Any) -> Any:
        """An instance of the game's class, not yet initialised. Pickle names no game, and gets one of `cls`."""
        return object.__new__(cls) if game is None or Documented not in cls.__bases__ else _new(cls, game)


def _new(cls: type, game: str | Game) -> Any:
    return object.__new__(_class_of(cls, find(game)))


@cache
def _class_of(cls: type, game: Game) -> type:
    def reduce(self: Any) -> tuple[Any, ...]:
        return _new, (cls, self.game), vars(self)  # Pickle cannot import a class made here, but the one it is made of.

    name = re.sub(r"\W", "", re.sub(r"-v\d+$", "", game.id)) + cls.__name__.removeprefix("Card")
    return type(name, (cls,), {"__doc__": game.documentation, "__module__": cls.__module__, "__reduce__": reduce})
