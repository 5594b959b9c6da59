"""Corellian Spike: its rules, what its seats can know, and its words."""

from __future__ import annotations

from cardgym.games.corellian_spike import cards, observations, rules, state, text
from cardgym.games.corellian_spike.doc import DOC
from cardgym.rules import Encoding, Game

GAME = Game(
    id="CorellianSpike-v0",
    doc=DOC,
    state=state.STATE,
    options=state.CorellianSpikeOptions,
    num_actions=state.NUM_ACTIONS,
    encodings={
        "full": Encoding(observations.observe_full, observations.full_table),
        "paper": Encoding(observations.observe_paper, observations.paper_table, observations.num_indices),
        "cards": Encoding(cards.observe_cards, cards.cards_table),
        "spikes": Encoding(cards.observe_spikes, cards.spikes_table),
    },
    setup=rules.setup,
    outcomes=rules.outcomes,
    actor=rules.actor,
    legal=rules.legal,
    apply=rules.apply,
    rewards=rules.rewards,
    describe=text.describe,
    action_text=text.action_text,
    resample=observations.resample,
    won=rules.won,
    contests=rules.contests,
    conserved=text.conserved,
    narrate=text.narrate,
    code=observations.code,
    index=observations.index,
    num_indices=observations.num_indices,
    codes=observations.codes,
    deal=rules.deal,
    forfeit=rules.forfeit,
    extra={"credits_per_game": rules.credits_gained, "bust_games": rules.bust},
)
