"""Cribbage: its cards and scoring, the exact statistics of every discard, and the game."""

from __future__ import annotations

import dataclasses

from cardgym.games.cribbage import observations, rules, text
from cardgym.games.cribbage.doc import DEAL_DOC, DOC
from cardgym.rules import Encoding, Game

GAME = Game(
    id="Cribbage-v0",
    doc=DOC,
    state=rules.STATE,
    options=rules.CribbageOptions,
    num_actions=rules.NUM_ACTIONS,
    encodings={"full": Encoding(observations.observe, observations.table)},
    setup=rules.setup,
    outcomes=rules.outcomes,
    actor=rules.actor,
    legal=rules.legal,
    apply=rules.apply,
    describe=text.describe,
    action_text=text.action_text,
    resample=observations.resample,
    won=rules.won,
    contests=rules.contests,
    conserved=text.conserved,
    narrate=text.narrate,
    deal=rules.deal,
    forfeit=rules.forfeit,
    extra={
        "points": rules.points,
        "pegging_points": rules.pegging_points,
        "hand_points": rules.hand_points,
        "crib_points": rules.crib_points,
        "heels_points": rules.heels_points,
    },
)

DEAL_GAME = dataclasses.replace(GAME, id="CribbageDeal-v0", doc=DEAL_DOC, defaults={"deals": 1, "reward": "points"})
