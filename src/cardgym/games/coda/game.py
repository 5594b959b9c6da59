"""Coda as a `Game`, under its two ids."""

from __future__ import annotations

from cardgym.engine.contract import Adviser, Game, Rules, StateIndex, Words
from cardgym.games.coda import guide, knowledge, observations, rules, state, text, view
from cardgym.games.coda.doc import DOC, OFFICIAL_DEFAULTS, OFFICIAL_DOC
from cardgym.games.coda.players import PLAYERS
from cardgym.games.coda.strength import OFFICIAL_STRENGTH, STRENGTH


def _adviser(options: state.CodaOptions) -> Adviser:
    from cardgym.games.coda.adviser import adviser

    return adviser(GAME, options)


GAME = Game(
    id="Coda-v0",
    doc=DOC,
    state=state.STATE,
    options=state.CodaOptions,
    num_actions=state.num_actions(state.CodaOptions()),
    count_actions=state.num_actions,
    rules=Rules.of(rules, knowledge, state),
    observations=observations.OBSERVATIONS,
    words=Words.of(text, guide, view),
    state_index=StateIndex.of(observations),
    players=PLAYERS,
    opponent="heuristic",
    strength=STRENGTH,
    adviser=_adviser,
)

OFFICIAL = GAME.variant("CodaOfficial-v0", OFFICIAL_DOC, OFFICIAL_STRENGTH, **OFFICIAL_DEFAULTS)
"""The board game's rules."""
