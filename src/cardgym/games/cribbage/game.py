"""Cribbage as two games: the whole game, and one deal of it."""

from __future__ import annotations

from cardgym.engine.contract import Game, Observation, Rules, Words
from cardgym.games.cribbage import observations, rated_observation, rules, state, text
from cardgym.games.cribbage.doc import DEAL_DOC, DOC
from cardgym.games.cribbage.players import PLAYERS
from cardgym.games.cribbage.rules import METRICS

GAME = Game(
    id="Cribbage-v0",
    doc=DOC,
    state=state.STATE,
    options=state.CribbageOptions,
    num_actions=state.NUM_ACTIONS,
    rules=Rules.of(rules, resample=observations.resample, invariants=state.invariants),
    observations={
        "full": Observation(observations.observe, observations.features),
        "plain": Observation(observations.observe_plain, observations.plain_features),
        "rated": Observation(rated_observation.observe_rated, rated_observation.features),
    },
    words=Words.of(text),
    players={**PLAYERS, "equilibrium": "cardgym.games.cribbage.pegging.player:make_player"},
    opponent="expert",
    metrics=METRICS,
)

DEAL_GAME = GAME.variant("CribbageDeal-v0", DEAL_DOC, deals=1, reward="points")
