"""Coda as the contract has it, under its two ids."""

from __future__ import annotations

from cardgym.engine.contract import Game, Observation, Rules, StateIndex, Words
from cardgym.games.coda import observations, rules, state, text
from cardgym.games.coda.doc import DOC, OFFICIAL_DEFAULTS, OFFICIAL_DOC
from cardgym.games.coda.players import PLAYERS

GAME = Game(
    id="Coda-v0",
    doc=DOC,
    state=state.STATE,
    options=state.CodaOptions,
    num_actions=state.num_actions(state.CodaOptions()),
    count_actions=state.num_actions,
    rules=Rules.of(rules, observations, state, text),
    observations={
        "full": Observation(observations.observe_full, observations.full_features),
        "paper": Observation(observations.observe_paper, observations.paper_features),
        "beliefs": Observation(observations.observe_beliefs, observations.beliefs_features),
        "odds": Observation(observations.observe_odds, observations.odds_features),
    },
    words=Words.of(text),
    state_index=StateIndex.of(observations),
    players=PLAYERS,
    opponent="heuristic",
)

OFFICIAL = GAME.variant("CodaOfficial-v0", OFFICIAL_DOC, **OFFICIAL_DEFAULTS)
