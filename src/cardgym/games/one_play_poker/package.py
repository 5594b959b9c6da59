"""What the package of One Play Poker provides, each part imported when it is needed."""

from __future__ import annotations

from cardgym.engine.contract import Game
from cardgym.engine.registry import GamePackage


def _games() -> tuple[Game, ...]:
    from cardgym.games.one_play_poker.game import GAME

    return (GAME,)


PACKAGE = GamePackage("one_play_poker", ("OnePlayPoker-v0",), _games)
