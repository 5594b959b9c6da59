"""Corellian Spike as the contract has it."""

from __future__ import annotations

from cardgym.engine.contract import Game, Observation, Rules, StateIndex, Words
from cardgym.games.corellian_spike import observations, rules, state, tabular_observations, text
from cardgym.games.corellian_spike.doc import DOC
from cardgym.games.corellian_spike.players import PLAYERS

GAME = Game(
    id="CorellianSpike-v0",
    doc=DOC,
    state=state.STATE,
    options=state.CorellianSpikeOptions,
    num_actions=state.NUM_ACTIONS,
    rules=Rules.of(rules, observations, state, text),
    observations={
        "full": Observation(observations.observe_full, observations.full_features),
        "paper": Observation(observations.observe_paper, observations.paper_features, observations.num_info_states),
        "cards": Observation(tabular_observations.observe_cards, tabular_observations.cards_features),
        "spikes": Observation(tabular_observations.observe_spikes, tabular_observations.spikes_features),
    },
    words=Words.of(text),
    state_index=StateIndex.of(observations),
    players=PLAYERS,
    opponent="heuristic",
    metrics={"credits_per_game": rules.credits_gained, "bust_games": rules.bust},
)
