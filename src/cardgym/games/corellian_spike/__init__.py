"""Corellian Spike, the Sabacc of the films."""

from cardgym.engine.registry import GamePackage

PACKAGE = GamePackage(
    name="corellian_spike",
    games={
        "CorellianSpike-v0": "cardgym.games.corellian_spike.game:GAME",
        "SpikeMini-v0": "cardgym.games.corellian_spike.game:MINI",
    },
    table="cardgym.games.corellian_spike.view:TABLE",
)
