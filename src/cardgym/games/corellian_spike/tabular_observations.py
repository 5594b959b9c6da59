"""Observations of small whole numbers for tabular learners: `cards` and `spikes`.

The paper names both as future work (section 6): its state with each card instead of the sum, and its state with the
opponents' spikes added. The round, the decision and the tens of credits and of the pool are as in its state code.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Feature, State, offsets, rule
from cardgym.games.corellian_spike.hand import card_sum
from cardgym.games.corellian_spike.state import (
    EMPTY,
    HIGH_SLOT,
    LOW_SLOT,
    MAX_PLAYERS,
    SPIKE_SLOT,
    CorellianSpikeOptions,
)
from cardgym.games.corellian_spike.state_index import MAX_SUM, info_state_key, key_digits

NO_CARD = 11
"""Marks a slot without a card."""

_LOWEST = -10
_BASE = NO_CARD - _LOWEST + 1
"""A key is the observation as a number in this base."""


# -- the observations -------------------------------------------------------------------------------------------------


def cards_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    return (
        Feature("round", "round", 1, 0, 3),
        Feature("decision", "1 betting, 2 buying, 3 placing, 0 at the end", 1, 0, 3),
        Feature("low", "own lower hand card, 11 if there is none", 1, _LOWEST, NO_CARD),
        Feature("high", "own higher hand card, 11 if there is none", 1, _LOWEST, NO_CARD),
        Feature("spike", "own spike, 11 if there is none", 1, _LOWEST, NO_CARD),
        Feature("extra", "own bought card, 11 if there is none", 1, _LOWEST, NO_CARD),
        Feature("credits", "own credits / 10, rounded half to even, at most 9", 1, 0, 9),
        Feature("pool", "pool / 10, rounded half to even, at most 9", 1, 0, 9),
    )


def spikes_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    """The features of the observation `spikes`: the paper's state, and the opponents' spikes in the order of play."""
    by_name = {feature.name: feature for feature in cards_features(options)}
    total = Feature("sum", f"sum of the cards held, at least -{MAX_SUM}, at most {MAX_SUM}", 1, -MAX_SUM, MAX_SUM)
    spikes = tuple(
        Feature(f"opponent_{ahead}_spike", "its spike, 11 if it has none or has folded", 1, _LOWEST, NO_CARD)
        for ahead in range(1, options.num_players)
    )
    return (
        by_name["round"],
        by_name["decision"],
        total,
        by_name["extra"],
        by_name["credits"],
        by_name["pool"],
        *spikes,
    )


# The offset of each feature; constants for compiled code.
CARDS_START = offsets(cards_features(CorellianSpikeOptions()))
SPIKES_START = offsets(spikes_features(CorellianSpikeOptions()))
DECISION = CARDS_START["decision"]
"""The index of the decision in both observations."""

_ROUND = CARDS_START["round"]
_CARDS = CARDS_START["low"]  # Then `high` and `spike`, in the order of the slots.
_CARDS_EXTRA, _CARDS_CREDITS, _CARDS_POOL = CARDS_START["extra"], CARDS_START["credits"], CARDS_START["pool"]
_SPIKES_SUM, _SPIKES_EXTRA = SPIKES_START["sum"], SPIKES_START["extra"]
_SPIKES_CREDITS, _SPIKES_POOL = SPIKES_START["credits"], SPIKES_START["pool"]
_OPPONENTS = SPIKES_START["opponent_1_spike"]
_CARDS_SIZE = len(CARDS_START)


@rule
def observe_cards(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    digits = key_digits(info_state_key(state, seat))
    out[_ROUND] = digits.round
    out[DECISION] = digits.decision
    for slot in (LOW_SLOT, HIGH_SLOT, SPIKE_SLOT):
        out[_CARDS + slot] = _card(state.cards[seat, slot])
    out[_CARDS_EXTRA] = _card(state.extra) if state.turn == seat else NO_CARD
    out[_CARDS_CREDITS] = digits.credits
    out[_CARDS_POOL] = digits.pool


@rule
def observe_spikes(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    digits = key_digits(info_state_key(state, seat))
    out[_ROUND] = digits.round
    out[DECISION] = digits.decision
    out[_SPIKES_SUM] = min(max(card_sum(state, seat), -MAX_SUM), MAX_SUM)
    out[_SPIKES_EXTRA] = _card(state.extra) if state.turn == seat else NO_CARD
    out[_SPIKES_CREDITS] = digits.credits
    out[_SPIKES_POOL] = digits.pool
    for ahead in range(1, state.num_players):
        other = (seat + ahead) % state.num_players
        spike = NO_CARD if state.folded[other] else _card(state.cards[other, SPIKE_SLOT])
        out[_OPPONENTS + ahead - 1] = spike


@rule
def _card(card: int) -> int:
    return NO_CARD if card == EMPTY else int(card)


# -- the observations as keys -----------------------------------------------------------------------------------------


@rule
def cards_key(state: State, seat: int) -> int:
    """The observation `cards` as one integer, never 0."""
    numbers = np.empty(_CARDS_SIZE, np.float32)
    observe_cards(state, seat, numbers)
    return numbers_key(numbers, _CARDS_SIZE)


@rule
def spikes_key(state: State, seat: int) -> int:
    """The observation `spikes` as one integer, never 0."""
    numbers = np.empty(_OPPONENTS + MAX_PLAYERS - 1, np.float32)
    observe_spikes(state, seat, numbers)
    return numbers_key(numbers, _OPPONENTS + state.num_players - 1)


@rule
def numbers_key(numbers: npt.NDArray[np.float32], size: int) -> int:
    """The first `size` numbers of an observation, each -10 to 11, as one integer; up to 13 numbers fit below 2^63."""
    key = 1
    for place in range(size):
        key = key * _BASE + int(numbers[place]) - _LOWEST
    return key


def cards_of(keys: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[np.int64]]:
    """Decode keys of the observation `cards`: an int64 array for each feature, by name."""
    features = {}
    for name in reversed(CARDS_START):
        features[name] = keys % _BASE + _LOWEST
        keys = keys // _BASE
    return features
