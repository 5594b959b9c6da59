"""What the package of One Play Poker provides, each part imported when it is needed."""

from __future__ import annotations

from cardgym.engine.contract import Game
from cardgym.engine.registry import GamePackage


def _game() -> Game:
    from cardgym.games.one_play_poker.game import GAME

    return GAME


PACKAGE = GamePackage(name="one_play_poker", games={"OnePlayPoker-v0": _game})
