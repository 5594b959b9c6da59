"""Corellian Spike as a `Game`; its documentation is in doc.md."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from cardgym.engine.contract import Game, Metric, Observation, Rules, StateIndex
from cardgym.games.corellian_spike import observations, rules, state, state_index
from cardgym.games.corellian_spike.belief import BELIEF, ODDS
from cardgym.games.corellian_spike.players import ANY_OPTIONS, PLAYERS
from cardgym.games.corellian_spike.text import WORDS

if TYPE_CHECKING:
    import numpy as np

    from cardgym.engine.contract import Int64s
    from cardgym.experiments.exploit.posterior import Worlds
    from cardgym.players import Player
    from cardgym.table.presentation import Presentation

_FOLDER = Path(__file__).parent


def _table() -> Presentation:
    from cardgym.games.corellian_spike.view import TABLE

    return TABLE


def _posterior(
    game: Game, options: state.CorellianSpikeOptions, player: Player, seats: Int64s, generator: np.random.Generator
) -> Worlds | None:
    """Return the exact posterior; none with a cheat, whose sleeve hides a card more."""
    from cardgym.games.corellian_spike.posterior import HandPosterior

    return HandPosterior(game, options, player, seats, generator) if options.cheat == "no" else None


GAME = Game(
    id="CorellianSpike-v0",
    doc=(_FOLDER / "doc.md").read_text(encoding="utf-8"),
    state=state.STATE,
    options=state.CorellianSpikeOptions,
    num_actions=state.NUM_ACTIONS,
    rules=Rules.of(rules, resample=observations.resample, invariants=state.invariants),
    observations={
        "full": Observation(observations.observe_full, observations.full_features),
        "belief": BELIEF,
        "paper": Observation(state_index.observe_paper, state_index.paper_features, state_index.num_info_states),
        "cards": Observation(state_index.observe_cards, state_index.cards_features),
        "spikes": Observation(state_index.observe_spikes, state_index.spikes_features),
        "odds": ODDS,
        "plain": Observation(observations.observe_plain, observations.plain_features),
    },
    words=WORDS,
    state_index=StateIndex.of(state_index),
    players=PLAYERS,
    table=_table,
    opponent="heuristic",
    posterior=_posterior,
    metrics={"bust_games": Metric(rules.bust, counts=True)},
    unit="credits",
)

MINI = dataclasses.replace(
    GAME.variant(
        "SpikeMini-v0",
        (_FOLDER / "mini.md").read_text(encoding="utf-8"),
        hands=1, credits=6, values=2, copies=2, zeros=1, rounds=1, max_raises=1,
    ),
    players=ANY_OPTIONS,
)  # fmt: skip
