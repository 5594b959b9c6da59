"""What the package of Corellian Spike provides, each part imported when it is needed."""

from __future__ import annotations

from cardgym.engine.contract import Game
from cardgym.engine.registry import GamePackage


def _spike() -> Game:
    from cardgym.games.corellian_spike.game import GAME

    return GAME


def _mini() -> Game:
    from cardgym.games.corellian_spike.game import MINI

    return MINI


PACKAGE = GamePackage(name="corellian_spike", games={"CorellianSpike-v0": _spike, "SpikeMini-v0": _mini})
