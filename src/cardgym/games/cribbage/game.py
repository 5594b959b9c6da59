"""Cribbage as two games: the whole game, and one deal of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cardgym.engine.contract import Adviser, Game, Observation, OutsidePolicy, Rules, Words
from cardgym.games.cribbage import guide, observations, plain_observation, rated_observation, rules, state, text, view
from cardgym.games.cribbage.doc import DEAL_DOC, DOC
from cardgym.games.cribbage.metrics import METRICS
from cardgym.games.cribbage.players import PLAYERS
from cardgym.games.cribbage.strength import DEAL_STRENGTH, STRENGTH

if TYPE_CHECKING:
    from cardgym.games.cribbage.pegging.player import EquilibriumPlayer


def _adviser(options: state.CribbageOptions) -> Adviser:
    from cardgym.games.cribbage.adviser import adviser

    return adviser(options)


def _equilibrium(options: state.CribbageOptions) -> EquilibriumPlayer:
    from cardgym.games.cribbage.pegging.player import make_player

    return make_player(options)


GAME = Game(
    id="Cribbage-v0",
    doc=DOC,
    state=state.STATE,
    options=state.CribbageOptions,
    num_actions=state.NUM_ACTIONS,
    rules=Rules.of(rules, observations, state),
    observations={
        "full": Observation(observations.observe, observations.features),
        "plain": Observation(plain_observation.observe_plain, plain_observation.features),
        "rated": Observation(rated_observation.observe_rated, rated_observation.features),
    },
    words=Words.of(text, guide, view),
    players={**PLAYERS, "equilibrium": OutsidePolicy(_equilibrium)},
    opponent="expert",
    strength=STRENGTH,
    adviser=_adviser,
    metrics=METRICS,
)

DEAL_GAME = GAME.variant("CribbageDeal-v0", DEAL_DOC, DEAL_STRENGTH, deals=1, reward="points")
