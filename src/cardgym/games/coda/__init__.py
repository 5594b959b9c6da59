"""Coda (Da Vinci Code)."""

from cardgym.engine.registry import GamePackage

PACKAGE = GamePackage(
    name="coda",
    games={
        "Coda-v0": "cardgym.games.coda.game:GAME",
        "CodaOfficial-v0": "cardgym.games.coda.game:OFFICIAL",
        "CodaMini-v0": "cardgym.games.coda.game:MINI",
        "CodaMiniOfficial-v0": "cardgym.games.coda.game:MINI_OFFICIAL",
    },
    table="cardgym.games.coda.view:TABLE",
)
