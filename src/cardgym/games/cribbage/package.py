"""What the package of cribbage provides, each part imported when it is needed."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from cardgym.engine.contract import Game, Options
from cardgym.engine.registry import GamePackage
from cardgym.players import Player


def _cribbage() -> Game:
    from cardgym.games.cribbage.game import GAME

    return GAME


def _deal() -> Game:
    from cardgym.games.cribbage.game import DEAL_GAME

    return DEAL_GAME


def _mini() -> Game:
    from cardgym.games.cribbage.game import MINI_GAME

    return MINI_GAME


def _positions() -> ModuleType:
    from cardgym.games.cribbage import advice

    return advice


def _load_experts(path: Path, game: Game, options: Options) -> Player:
    from cardgym.games.cribbage.experts import load_player

    return load_player(path, game, options)


PACKAGE = GamePackage(
    name="cribbage",
    games={"Cribbage-v0": _cribbage, "CribbageDeal-v0": _deal, "CribbageMini-v0": _mini},
    loaders={"cardgym-experts-1": _load_experts},
    positions=_positions,
)
