"""The paper's states (section 3.2): an 8-digit code as the info-state key, and its place in their enumeration.

The digits are: round (1), decision (1), card sum (2), bought card (2), tens of credits (1), tens in the pool (1).

The observations `cards`, `spikes` and `odds`, small whole numbers for tabular learners, are the paper's future work
(section 6): its state with each card instead of the sum, and its state with the opponents' spikes, or with the chance
to beat each opponent by a belief over its hand, added.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardgym.engine.contract import Feature, Float32s, Int64s, State, places, rule
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.hand import card_sum
from cardgym.games.corellian_spike.state import CorellianSpikeOptions

MAX_SUM = 9  # Sums are clipped to -9 .. 9.
_SUMS = 2 * MAX_SUM + 1
_EXTRAS = 21  # 0 without a bought card, else card + 10: -10 looks like no card.
_DECISIONS = 3  # Round 0 has only betting, without a bought card; rounds 1 to 3 have every combination.


# -- the key ----------------------------------------------------------------------------------------------------------


@rule
def info_state_key(state: State, seat: int) -> int:
    """Return the paper's code of what `seat` knows; 0 at the end.

    The decision is the current one, even if another seat makes it. A cheat's swap counts as placing the card up its
    sleeve.
    """
    if state.phase == sabacc.OVER:
        return 0
    decision = (
        1 + (state.phase == sabacc.BUYING) + 2 * ((state.phase == sabacc.PLACING) | (state.phase == sabacc.CHEATING))
    )
    total = min(max(card_sum(state, seat), -MAX_SUM), MAX_SUM) + 10
    extra = (int(state.extra) + 10) * ((state.extra != sabacc.EMPTY) & (state.turn == seat))
    amounts = _digit(state.stack[seat]) * 10 + _digit(state.pool)
    return int(state.round_number * 10_000_000 + decision * 1_000_000 + total * 10_000 + extra * 100 + amounts)


@rule
def _digit(amount: int) -> int:
    """Tens of credits, rounded half to even, at most 9."""
    return min(int(amount + 4 + (amount // 10 & 1)) // 10, 9)  # Branch-free: branches would be unpredictable.


class KeyDigits(NamedTuple):
    """The digits of a key, or of an array of keys.

    Attributes:
        round: 0 to 3.
        decision: 1 betting, 2 buying, 3 placing; 0 at the end.
        total: the sum of the cards held, clipped to -9 .. 9, + 10.
        extra: the bought card + 10; 0 for none and for a -10.
        credits: tens of the own credits.
        pool: tens in the pool.
    """

    round: Any
    decision: Any
    total: Any
    extra: Any
    credits: Any
    pool: Any


def digits_of(keys: Any) -> KeyDigits:
    """Return the digits of a key or of an array of keys."""
    return KeyDigits(
        keys // 10_000_000, keys // 1_000_000 % 10, keys // 10_000 % 100, keys // 100 % 100, keys // 10 % 10, keys % 10
    )


key_digits = rule(digits_of)
"""`digits_of` of one key, for rules."""


# -- the index --------------------------------------------------------------------------------------------------------


@rule
def info_state_index(state: State, seat: int) -> int:
    """Return the index of the state's key in the paper's enumeration for this number of players."""
    return key_index(info_state_key(state, seat), state.num_players)


@rule
def key_index(key: int, num_players: int) -> int:
    """Return the index of a key in `info_state_keys`.

    The paper enumerates keys with credits digit + pool digit <= 5 x players (5 tens for each player's 50 credits).
    Other starting credits can lead beyond that: then the pool digit, and if necessary the credits digit, is lowered
    until the key is in range.
    """
    if key == 0:
        return 0
    most = 5 * num_players
    digits = key_digits(key)
    own = min(digits.credits, most)
    pool = min(digits.pool, most - own)
    before = 0  # The number of digit pairs before this one.
    for lower in range(own):
        before += min(9, most - lower) + 1
    pairs = before
    for higher in range(own, 10):
        pairs += max(min(9, most - higher) + 1, 0)
    head = digits.total - 1
    if digits.round > 0:
        head += ((digits.round - 1) * _DECISIONS + digits.decision - 1) * _SUMS
        head = _SUMS + head * _EXTRAS + digits.extra
    return int(head * pairs + before + pool + 1)


def info_state_keys(options: CorellianSpikeOptions) -> Int64s:
    """Return the keys in index order, (num_info_states,) int64."""
    totals = np.arange(1, _SUMS + 1) * 10_000
    later = np.add.outer(np.arange(1, 4) * 10_000_000, np.arange(1, _DECISIONS + 1) * 1_000_000)
    later = np.add.outer(np.add.outer(later, totals), np.arange(_EXTRAS) * 100)
    heads = np.concatenate([1_000_000 + totals, later.ravel()])
    return np.concatenate([[0], np.add.outer(heads, _amounts(options)).ravel()])


def num_info_states(options: CorellianSpikeOptions) -> int:
    """Return the number of states, including the end: 231,041 for two players, 361,001 for four or more."""
    return len(_amounts(options)) * (_SUMS + 3 * _DECISIONS * _SUMS * _EXTRAS) + 1


def _amounts(options: CorellianSpikeOptions) -> list[int]:
    """Return the last two digits of the enumerated keys, in order."""
    most = 5 * options.num_players
    return [own * 10 + pool for own in range(10) for pool in range(min(9, most - own) + 1)]


# -- the index as an observation --------------------------------------------------------------------------------------


def paper_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    """Write the paper's observation: one number, the state's index."""
    return (Feature("index", "the state's index in the paper's enumeration", 1, 0, num_info_states(options) - 1),)


@rule
def observe_paper(state: State, seat: int, out: Float32s) -> None:
    """Write the state's index; float32 represents it exactly, since it is below 2^24."""
    out[0] = info_state_index(state, seat)


# -- `cards` and `spikes` ---------------------------------------------------------------------------------------------

NO_CARD = 11
"""Marks a slot without a card."""

MIN_CARD = -10


def cards_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    return (
        Feature("round", "round", 1, 0, 3),
        Feature("decision", "1 betting, 2 buying, 3 placing, 0 at the end", 1, 0, 3),
        Feature("low", "own lower hand card, 11 if there is none", 1, MIN_CARD, NO_CARD),
        Feature("high", "own higher hand card, 11 if there is none", 1, MIN_CARD, NO_CARD),
        Feature("spike", "own spike, 11 if there is none", 1, MIN_CARD, NO_CARD),
        Feature("extra", "own bought card, 11 if there is none", 1, MIN_CARD, NO_CARD),
        Feature("credits", "own credits / 10, rounded half to even, at most 9", 1, 0, 9),
        Feature("pool", "pool / 10, rounded half to even, at most 9", 1, 0, 9),
    )


def code_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    """Return the paper's state as six numbers."""
    by_name = {feature.name: feature for feature in cards_features(options)}
    total = Feature("sum", f"sum of the cards held, at least -{MAX_SUM}, at most {MAX_SUM}", 1, -MAX_SUM, MAX_SUM)
    return (
        by_name["round"],
        by_name["decision"],
        total,
        by_name["extra"],
        by_name["credits"],
        by_name["pool"],
    )


def spikes_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    """Return the features of the observation `spikes`: the paper's state, and opponents' spikes in order of play."""
    return code_features(options) + tuple(
        Feature(f"opponent_{ahead}_spike", "its spike, 11 if it has none or has folded", 1, MIN_CARD, NO_CARD)
        for ahead in range(1, options.num_players)
    )


CARDS_AT = places(cards_features(CorellianSpikeOptions()))
SPIKES_AT = places(spikes_features(CorellianSpikeOptions()))
DECISION = CARDS_AT.decision
"""The index of the decision in both observations."""


@rule
def observe_cards(state: State, seat: int, out: Float32s) -> None:
    digits = key_digits(info_state_key(state, seat))
    out[CARDS_AT.round] = digits.round
    out[DECISION] = digits.decision
    for slot in (
        sabacc.LOW_SLOT,
        sabacc.HIGH_SLOT,
        sabacc.SPIKE_SLOT,
    ):  # `low`, `high` and `spike`, in the order of the slots.
        out[CARDS_AT.low + slot] = _card(state.cards[seat, slot])
    out[CARDS_AT.extra] = _card(state.extra) if state.turn == seat else NO_CARD
    out[CARDS_AT.credits] = digits.credits
    out[CARDS_AT.pool] = digits.pool


@rule
def observe_code(state: State, seat: int, out: Float32s) -> None:
    """Write `code_features`."""
    digits = key_digits(info_state_key(state, seat))
    out[CARDS_AT.round] = digits.round
    out[DECISION] = digits.decision
    out[SPIKES_AT.sum] = min(max(card_sum(state, seat), -MAX_SUM), MAX_SUM)
    out[SPIKES_AT.extra] = _card(state.extra) if state.turn == seat else NO_CARD
    out[SPIKES_AT.credits] = digits.credits
    out[SPIKES_AT.pool] = digits.pool


@rule
def observe_spikes(state: State, seat: int, out: Float32s) -> None:
    observe_code(state, seat, out)
    for ahead in range(1, state.num_players):
        other = (seat + ahead) % state.num_players
        spike = NO_CARD if state.folded[other] else _card(state.cards[other, sabacc.SPIKE_SLOT])
        out[SPIKES_AT.opponent_1_spike + ahead - 1] = spike


@rule
def _card(card: int) -> int:
    return NO_CARD if card == sabacc.EMPTY else int(card)
