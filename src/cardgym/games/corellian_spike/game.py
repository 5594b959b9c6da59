"""Corellian Spike as the contract has it."""

from __future__ import annotations

from cardgym.engine.contract import Game, Metric, Observation, Rules, StateIndex, Words
from cardgym.games.corellian_spike import (
    belief,
    buckets,
    observations,
    rules,
    state,
    state_index,
    tabular_observations,
    text,
)
from cardgym.games.corellian_spike.doc import DOC
from cardgym.games.corellian_spike.players import PLAYERS

GAME = Game(
    id="CorellianSpike-v0",
    doc=DOC,
    state=state.STATE,
    options=state.CorellianSpikeOptions,
    num_actions=state.NUM_ACTIONS,
    rules=Rules.of(rules, resample=observations.resample, invariants=state.invariants),
    observations={
        "full": Observation(observations.observe_full, observations.full_features),
        "belief": Observation(belief.observe_belief, belief.belief_features),
        "paper": Observation(state_index.observe_paper, state_index.paper_features, state_index.num_info_states),
        "cards": Observation(tabular_observations.observe_cards, tabular_observations.cards_features),
        "spikes": Observation(tabular_observations.observe_spikes, tabular_observations.spikes_features),
        "buckets": Observation(buckets.observe_buckets, buckets.buckets_features),
    },
    words=Words.of(text),
    state_index=StateIndex.of(state_index),
    players=PLAYERS,
    opponent="heuristic",
    metrics={"credits_per_game": Metric(rules.credits_gained), "bust_games": Metric(rules.bust, counts=True)},
    payoff="credits_per_game",
    unit="credits",
)
