"""Corellian Spike as a `Game`; its documentation is in doc.md."""

from __future__ import annotations

from pathlib import Path

from cardgym.engine.contract import Game, Metric, Observation, Rules, StateIndex, Words, feature_table
from cardgym.games.corellian_spike import belief, buckets, observations, rules, state, state_index, text
from cardgym.games.corellian_spike.players import PLAYERS

_OPTIONS = state.CorellianSpikeOptions()
_FOLDER = Path(__file__).parent
_TEMPLATE = (_FOLDER / "doc.md").read_text(encoding="utf-8")
DOC = _TEMPLATE.format(
    full=feature_table(observations.full_features(_OPTIONS)),
    belief="\n".join(
        feature_table(belief.belief_features(_OPTIONS)).splitlines()[len(observations.full_features(_OPTIONS)) :]
    ),
    cards=feature_table(state_index.cards_features(_OPTIONS)),
    spikes=feature_table(state_index.spikes_features(_OPTIONS)),
    buckets=feature_table(buckets.buckets_features(_OPTIONS)),
)


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
        "cards": Observation(state_index.observe_cards, state_index.cards_features),
        "spikes": Observation(state_index.observe_spikes, state_index.spikes_features),
        "buckets": Observation(buckets.observe_buckets, buckets.buckets_features),
    },
    words=Words.of(text),
    state_index=StateIndex.of(state_index),
    players=PLAYERS,
    opponent="heuristic",
    metrics={"bust_games": Metric(rules.bust, counts=True)},
    unit="credits",
)

MINI = GAME.variant(
    "SpikeMini-v0",
    (_FOLDER / "mini.md").read_text(encoding="utf-8"),
    hands=1, credits=6, values=2, copies=2, rounds=1, max_raises=1,
)  # fmt: skip
