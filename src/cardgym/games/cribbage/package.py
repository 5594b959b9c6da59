"""What the package of cribbage provides, each part imported when it is needed."""

from __future__ import annotations

from pathlib import Path

from cardgym.engine.contract import Game, Options
from cardgym.engine.registry import GamePackage
from cardgym.players import Player


def _games() -> tuple[Game, ...]:
    from cardgym.games.cribbage.game import DEAL_GAME, GAME, MINI_GAME

    return GAME, DEAL_GAME, MINI_GAME


def _load_experts(path: Path, game: Game, options: Options) -> Player:
    from cardgym.games.cribbage.experts import load_player

    return load_player(path, game, options)


PACKAGE = GamePackage(
    "cribbage",
    ("Cribbage-v0", "CribbageDeal-v0", "CribbageMini-v0"),
    _games,
    loaders={"cardgym-experts-1": _load_experts},
)
