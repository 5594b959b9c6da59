"""Cribbage as the contract has it: the whole game, and one deal of it."""

from __future__ import annotations

from cardgym.engine.contract import Game, Observation, Rules, Words
from cardgym.games.cribbage import observations, rules, text
from cardgym.games.cribbage.doc import DEAL_DOC, DOC
from cardgym.games.cribbage.players import PLAYERS

GAME = Game(
    id="Cribbage-v0",
    doc=DOC,
    state=rules.STATE,
    options=rules.CribbageOptions,
    num_actions=rules.NUM_ACTIONS,
    rules=Rules.of(rules, observations, text),
    observations={"full": Observation(observations.observe, observations.features)},
    words=Words.of(text),
    players=PLAYERS,
    opponent="expert",
    metrics={
        "points": rules.points,
        "pegging_points": rules.pegging_points,
        "hand_points": rules.hand_points,
        "crib_points": rules.crib_points,
        "heels_points": rules.heels_points,
    },
)

DEAL_GAME = GAME.variant("CribbageDeal-v0", DEAL_DOC, deals=1, reward="points")
