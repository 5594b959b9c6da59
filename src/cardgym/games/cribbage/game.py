"""Cribbage as three games: the whole game, one deal of it and a small deal; the documentation is in doc.md."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cardgym.engine.contract import Game, Int64s, Observation, Rules
from cardgym.games.cribbage import observations, rules, state
from cardgym.games.cribbage.players import COMPILED, PLAYERS
from cardgym.games.cribbage.rated_observation import RATED
from cardgym.games.cribbage.rules import METRICS
from cardgym.games.cribbage.text import WORDS

if TYPE_CHECKING:
    from cardgym.experiments.exploit.posterior import Worlds
    from cardgym.players import Player
    from cardgym.table.presentation import Presentation

_FOLDER = Path(__file__).parent
DOC = (_FOLDER / "doc.md").read_text(encoding="utf-8")
DEAL_DOC = DOC.replace(
    "Cribbage for two players: six cards,", "One deal of cribbage, for the net points. Six cards,", 1
).replace(
    '`deals` (0 .. 1000, default 0: as many as it takes), `reward` ("win", "points" or "games")',
    ('`deals` (0 .. 1000, default 1; 0: as many as it takes), `reward` ("points", the default here, "win" or "games")'),
    1,
)


def _table() -> Presentation:
    from cardgym.games.cribbage.view import TABLE

    return TABLE


def _posterior(
    game: Game, options: state.CribbageOptions, player: Player, seats: Int64s, generator: np.random.Generator
) -> Worlds:
    from cardgym.games.cribbage.posterior import DiscardPosterior

    return DiscardPosterior(game, options, player, seats, generator)


GAME = Game(
    id="Cribbage-v0",
    doc=DOC,
    state=state.STATE,
    options=state.CribbageOptions,
    num_actions=state.NUM_ACTIONS,
    rules=Rules.of(
        rules, resample=observations.resample, canonical=observations.canonical, invariants=state.invariants
    ),
    observations={
        "full": Observation(observations.observe, observations.features),
        "plain": Observation(observations.observe_plain, observations.plain_features),
        "rated": RATED,
    },
    words=WORDS,
    players=PLAYERS,
    table=_table,
    opponent="expert",
    posterior=_posterior,
    metrics=METRICS,
)

_ONE_DEAL: dict[str, int | str] = {"deals": 1, "reward": "points"}

DEAL_GAME = dataclasses.replace(GAME.variant("CribbageDeal-v0", DEAL_DOC, **_ONE_DEAL), unit="points")


MINI_GAME = dataclasses.replace(
    GAME,
    id="CribbageMini-v0",
    doc=(_FOLDER / "mini.md").read_text(encoding="utf-8"),
    options=state.CribbageMiniOptions,
    observations={name: GAME.observations[name] for name in ("full", "plain")},
    players=COMPILED,
    unit="points",
    defaults=_ONE_DEAL,
)
