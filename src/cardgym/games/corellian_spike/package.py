"""What the package of Corellian Spike provides, each part imported when it is needed."""

from __future__ import annotations

from cardgym.engine.contract import Game
from cardgym.engine.registry import GamePackage


def _games() -> tuple[Game, ...]:
    from cardgym.games.corellian_spike.game import GAME, MINI

    return GAME, MINI


PACKAGE = GamePackage("corellian_spike", ("CorellianSpike-v0", "SpikeMini-v0"), _games)
