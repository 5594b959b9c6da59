"""Cribbage."""

from cardgym.engine.registry import GamePackage

PACKAGE = GamePackage(
    name="cribbage",
    games={
        "Cribbage-v0": "cardgym.games.cribbage.game:GAME",
        "CribbageDeal-v0": "cardgym.games.cribbage.game:DEAL_GAME",
        "CribbageMini-v0": "cardgym.games.cribbage.game:MINI_GAME",
    },
    loaders={"cardgym-experts-1": "cardgym.games.cribbage.experts:load_player"},
    positions="cardgym.games.cribbage.advice",
    table="cardgym.games.cribbage.view:TABLE",
)
