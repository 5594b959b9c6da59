"""Cribbage as three games: the whole game, one deal of it and a small deal; the documentation is in doc.md."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from cardgym.engine.contract import Game, Observation, Rules, Words, feature_table
from cardgym.games.cribbage import observations, rated_observation, rules, state, text
from cardgym.games.cribbage.players import PLAYERS
from cardgym.games.cribbage.rules import METRICS

_FOLDER = Path(__file__).parent
_OPTIONS = state.CribbageOptions()
_TEMPLATE = (_FOLDER / "doc.md").read_text(encoding="utf-8")
DOC = _TEMPLATE.format(
    full=feature_table(observations.features(_OPTIONS)),
    plain=feature_table(observations.plain_features(_OPTIONS)),
    rated=feature_table(rated_observation.features(_OPTIONS)),
)
DEAL_DOC = DOC.replace(
    "Cribbage for two players: six cards,", "One deal of cribbage, for the net points. Six cards,", 1
).replace(
    '`deals` (0 .. 1000, default 0: as many as it takes), `reward` ("win" or "points")',
    ('`deals` (0 .. 1000, default 1; 0: as many as it takes), `reward` ("points", the default here, or "win")'),
    1,
)

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
        "rated": Observation(rated_observation.observe_rated, rated_observation.features),
    },
    words=Words.of(text),
    players={
        **PLAYERS,
        "equilibrium": "cardgym.games.cribbage.pegging.player:make_player",
        "champion": "cardgym.games.cribbage.pegging.champion:make_player",
    },
    opponent="expert",
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
    players=PLAYERS,
    unit="points",
    defaults=_ONE_DEAL,
)
