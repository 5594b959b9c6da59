"""Coda as a `Game`, under its two ids."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from cardgym.engine.contract import Game, Rules, StateIndex, Words
from cardgym.files.shipped import CHECKPOINTS, root
from cardgym.games.coda import guess_features, knowledge, observations, rules, state, text
from cardgym.games.coda.doc import DOC, OFFICIAL_DEFAULTS, OFFICIAL_DOC
from cardgym.games.coda.players import PLAYERS

if TYPE_CHECKING:
    from cardgym.games.coda.search import SearchPlayer


def value_search(options: state.CodaOptions) -> SearchPlayer:
    """The player `value-search`, which judges states by the critic of the shipped PPO agent."""
    from cardgym.games.coda.critic import load_critic
    from cardgym.games.coda.search import VALUE_EFFORT, SearchPlayer

    critic = load_critic(root() / CHECKPOINTS / "coda" / "official_ppo.safetensors", OFFICIAL, options)
    return SearchPlayer(options, VALUE_EFFORT, critic, "value-search")


GAME = Game(
    id="Coda-v0",
    doc=DOC,
    state=state.STATE,
    options=state.CodaOptions,
    num_actions=state.num_actions(state.CodaOptions()),
    count_actions=state.num_actions,
    rules=Rules.of(rules, resample=knowledge.resample, invariants=state.invariants),
    observations={**observations.OBSERVATIONS, **guess_features.OBSERVATIONS},
    words=Words.of(text),
    state_index=StateIndex.of(observations),
    players=PLAYERS,
    opponent="heuristic",
)

OFFICIAL = dataclasses.replace(
    GAME.variant("CodaOfficial-v0", OFFICIAL_DOC, **OFFICIAL_DEFAULTS),
    players={**PLAYERS, "value-search": f"{__name__}:value_search"},
)
"""The board game's rules."""
