"""The adviser of Corellian Spike: credits won in the hand, by rollouts of `heuristic`, and the odds of the cards."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from cardgym.engine.contract import State
from cardgym.engine.numba.compilation import compiled
from cardgym.games.corellian_spike.game import GAME
from cardgym.games.corellian_spike.hand import card_sum
from cardgym.games.corellian_spike.observations import count_unseen
from cardgym.games.corellian_spike.players import MAX_SUM, chances_to_beat_all
from cardgym.games.corellian_spike.rules import credits_gained
from cardgym.games.corellian_spike.state import (
    BETTING,
    BUYING,
    EMPTY,
    NUM_VALUES,
    SPIKE_SLOT,
    STATE,
    CorellianSpikeOptions,
)
from cardgym.table.advice import Advice, Adviser
from cardgym.table.rollouts import Rollouts

_BLUNDER = 3.0
"""Credits."""
_WORLDS = 1000


def adviser(options: CorellianSpikeOptions) -> Adviser:
    rollouts = Rollouts(
        GAME,
        options,
        "heuristic",
        unit="credits",
        blunder=_BLUNDER,
        worth=credits_gained,
        whole_game=False,
        # More players mean bigger pools, so more luck has to average out.
        worlds=_WORLDS * (options.num_players - 1),
    )

    def advise(state: State, seat: int) -> Advice:
        kind = "bet" if state.phase == BETTING else "buy" if state.phase == BUYING else "place"
        advice = rollouts.advise(state, seat, kind)
        reason = _odds(state, seat)
        # Relative to the credits the seat has now, not to those it started the game with.
        so_far = float(state.stack[seat] - state.credits)
        actions = tuple(dataclasses.replace(one, value=one.value - so_far, reason=reason) for one in advice.actions)
        return dataclasses.replace(advice, actions=actions)

    def standing(state: State, seat: int) -> float:
        return float(state.stack[seat])

    return Adviser(advise, standing, "credits")


def _odds(state: State, seat: int) -> str:
    """The chance that the seat's cards beat cards drawn from the unseen ones."""
    cards = [int(card) for card in state.cards[seat] if card != EMPTY]
    if state.cards[seat, SPIKE_SLOT] == EMPTY:
        return f"{sum(cards):+d} before the spikes are dealt"
    states = np.zeros(1, STATE)
    states[:1] = state
    return f"{sum(cards):+d} beats random unseen cards {100 * _chance(states, seat):.0f} % of the time"


@compiled
def _chance(states: Any, seat: int) -> float:
    state = states[0]
    unseen = np.zeros(NUM_VALUES, np.float32)
    count_unseen(state, seat, unseen)
    beats = np.zeros(2 * MAX_SUM + 1, np.float64)
    chances_to_beat_all(state, seat, unseen, beats)
    return float(beats[card_sum(state, seat) + MAX_SUM])
