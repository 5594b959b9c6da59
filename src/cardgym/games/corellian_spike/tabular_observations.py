"""Small whole numbers that a table can be kept over: the paper's state with each card told, or with the others' spikes.

The paper names both as future work (section 6). All else is as in its state code: the round, the decision, and the tens
of the own credits and of the pool.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Feature, Record, rule
from cardgym.games.corellian_spike.observations import info_state_key
from cardgym.games.corellian_spike.piles import card_sum
from cardgym.games.corellian_spike.state import (
    EMPTY,
    HIGH_SLOT,
    LOW_SLOT,
    MAX_PLAYERS,
    SPIKE_SLOT,
    CorellianSpikeOptions,
)

NO_CARD = 11
"""Stands for a card where there is none."""

CARDS_SIZE = 8
SUM_SIZE = 6


def cards_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    """The rows of the observation `cards`."""
    return (
        Feature("round", "round", 1, 0, 3),
        Feature("decision", "1 betting, 2 buying, 3 placing, 0 at the end", 1, 0, 3),
        Feature("low", "own lower hand card, 11 if there is none", 1, -10, NO_CARD),
        Feature("high", "own higher hand card, 11 if there is none", 1, -10, NO_CARD),
        Feature("spike", "own spike, 11 if there is none", 1, -10, NO_CARD),
        Feature("extra", "own bought card, 11 if there is none", 1, -10, NO_CARD),
        Feature("credits", "own credits / 10, rounded half to even, at most 9", 1, 0, 9),
        Feature("pool", "pool / 10, rounded half to even, at most 9", 1, 0, 9),
    )


def spikes_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    """The rows of the observation `spikes`: the paper's state, and the opponents' spikes in the order of play."""
    first, last = cards_features(options)[:2], cards_features(options)[5:]
    total = Feature("sum", "sum of the cards held, at least -9, at most 9", 1, -9, 9)
    spikes = tuple(
        Feature(f"opponent_{ahead}_spike", "its spike, 11 if it has none or has folded", 1, -10, NO_CARD)
        for ahead in range(1, options.num_players)
    )
    return (*first, total, *last, *spikes)


@rule
def observe_cards(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the observation `cards`; its table is `cards_features`."""
    paper = info_state_key(state, seat)
    out[0] = paper // 10_000_000
    out[1] = paper // 1_000_000 % 10
    for slot in (LOW_SLOT, HIGH_SLOT, SPIKE_SLOT):
        out[2 + slot] = _card(state.cards[seat, slot])
    out[5] = _card(state.extra) if state.turn == seat else NO_CARD
    out[6] = paper // 10 % 10
    out[7] = paper % 10


@rule
def observe_spikes(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the observation `spikes`; its table is `spikes_features`."""
    paper = info_state_key(state, seat)
    out[0] = paper // 10_000_000
    out[1] = paper // 1_000_000 % 10
    out[2] = min(max(card_sum(state, seat), -9), 9)
    out[3] = _card(state.extra) if state.turn == seat else NO_CARD
    out[4] = paper // 10 % 10
    out[5] = paper % 10
    for ahead in range(1, state.num_players):
        other = (seat + ahead) % state.num_players
        out[5 + ahead] = NO_CARD if state.folded[other] else _card(state.cards[other, SPIKE_SLOT])


@rule
def name_cards(state: Record, seat: int) -> int:
    """The observation `cards` as one whole number, never 0."""
    numbers = np.empty(CARDS_SIZE, np.float32)
    observe_cards(state, seat, numbers)
    return name_numbers(numbers, CARDS_SIZE)


@rule
def name_spikes(state: Record, seat: int) -> int:
    """The observation `spikes` as one whole number, never 0."""
    numbers = np.empty(SUM_SIZE + MAX_PLAYERS - 1, np.float32)
    observe_spikes(state, seat, numbers)
    return name_numbers(numbers, SUM_SIZE + state.num_players - 1)


@rule
def name_numbers(numbers: npt.NDArray[np.float32], size: int) -> int:
    """The first `size` numbers of such an observation, each -10 to 11, as one; below 2^63 for 13 of them."""
    name = 1
    for place in range(size):
        name = name * 22 + int(numbers[place]) + 10
    return name


@rule
def _card(card: int) -> int:
    return NO_CARD if card == EMPTY else int(card)
