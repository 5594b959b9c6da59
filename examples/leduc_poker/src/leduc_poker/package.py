"""What the distribution provides: its games by id, each imported when it is needed."""

from __future__ import annotations

from cardgym.engine.contract import Game
from cardgym.engine.registry import GamePackage


def _games() -> tuple[Game, ...]:
    from leduc_poker.game import GAME

    return (GAME,)


PACKAGE = GamePackage("leduc_poker", ("LeducPoker-v0",), _games)
