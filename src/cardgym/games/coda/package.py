"""What the package of Coda provides, each part imported when it is needed."""

from __future__ import annotations

from cardgym.engine.contract import Game
from cardgym.engine.registry import GamePackage


def _coda() -> Game:
    from cardgym.games.coda.game import GAME

    return GAME


def _official() -> Game:
    from cardgym.games.coda.game import OFFICIAL

    return OFFICIAL


def _mini() -> Game:
    from cardgym.games.coda.game import MINI

    return MINI


def _mini_official() -> Game:
    from cardgym.games.coda.game import MINI_OFFICIAL

    return MINI_OFFICIAL


PACKAGE = GamePackage(
    name="coda",
    games={"Coda-v0": _coda, "CodaOfficial-v0": _official, "CodaMini-v0": _mini, "CodaMiniOfficial-v0": _mini_official},
)
