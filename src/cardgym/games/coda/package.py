"""What the package of Coda provides, each part imported when it is needed."""

from __future__ import annotations

from cardgym.engine.contract import Game
from cardgym.engine.registry import GamePackage


def _games() -> tuple[Game, ...]:
    from cardgym.games.coda.game import GAME, MINI, MINI_OFFICIAL, OFFICIAL

    return GAME, OFFICIAL, MINI, MINI_OFFICIAL


PACKAGE = GamePackage("coda", ("Coda-v0", "CodaOfficial-v0", "CodaMini-v0", "CodaMiniOfficial-v0"), _games)
