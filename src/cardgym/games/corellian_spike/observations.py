"""What a seat at Corellian Spike can know, as numbers: the full observation and the paper's state code."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Feature, Generator, Record, rule, uniform
from cardgym.games.corellian_spike.piles import card_sum
from cardgym.games.corellian_spike.rules import owed
from cardgym.games.corellian_spike.state import (
    BETTING,
    BUYING,
    DECK,
    EMPTY,
    HIGH_SLOT,
    LOW_SLOT,
    MAX_PLAYERS,
    NUM_VALUES,
    OVER,
    PLACING,
    SPIKE_SLOT,
    CorellianSpikeOptions,
)

# Multiplying is several times faster than dividing, and an observation has twenty such numbers.
_THIRD, _SEVENTH, _TENTH, _THIRTIETH = 1 / 3, 1 / 7, 1 / 10, 1 / 30
_THIRD32 = np.float32(1 / 3)

# By card + 10, up to EMPTY + 10; looking up is quicker still, and needs no branch for a place without a card.
_CARD_TENTHS = np.zeros(EMPTY + 11, np.float32)
_CARD_TENTHS[:NUM_VALUES] = [card * _TENTH for card in range(-10, 11)]
_CARD_COUNTS = np.zeros((EMPTY + 11, NUM_VALUES), np.float32)
_CARD_COUNTS[:NUM_VALUES] = np.eye(NUM_VALUES)
_DECK_COUNTS = np.bincount(DECK + 10).astype(np.float32)


def full_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    """The rows of the full observation; the last eight stand once for each opponent, in the order of play."""
    own = (
        Feature("round", "one-hot: round 0, 1, 2, 3", 4),
        Feature("decision", "one-hot: betting, buying, placing", 3),
        Feature("seat", "own seat / 7; betting and buying start at seat 0"),
        Feature("low", "own lower hand card / 10", low=-1),
        Feature("high", "own higher hand card / 10", low=-1),
        Feature("spike", "own spike / 10, 0 if not dealt", low=-1),
        Feature("extra", "own bought card / 10, 0 if none", low=-1),
        Feature("has_extra", "1 with a bought card to place"),
        Feature("sum", "sum of the cards held, without the bought one, / 30", low=-1),
        Feature("sum_placed", "sum / 30 after: swapping with spike, low, high; 0 with no bought card", 3, low=-1),
        Feature("stack", "own credits / all credits at the table"),
        Feature("pool", "pool / all credits"),
        Feature("put", "own credits put in this hand / all credits"),
        Feature("to_match", "what a match costs / 10, at most 1"),
        Feature("raised", "1 if there is something to match"),
        Feature("turns_left", "seats the betting still comes to unless one raises / 7"),
        Feature("hands_left", "hands still to play after this one / hands"),
        Feature("unseen", "cards of value -10 .. 10 not seen, / 3: the draw pile and hidden cards", NUM_VALUES),
    )
    opponents: list[Feature] = []
    for ahead in range(1, options.num_players):
        opponents += [
            Feature(f"opponent_{ahead}_in", "1 if still in the hand"),
            Feature(f"opponent_{ahead}_spike", "spike / 10, 0 if not dealt", low=-1),
            Feature(f"opponent_{ahead}_stack", "credits / all credits"),
            Feature(f"opponent_{ahead}_put", "credits put in this hand / all credits"),
            Feature(f"opponent_{ahead}_phase", "credits put in during the latest betting phase / 10, at most 1"),
            Feature(f"opponent_{ahead}_raises", "raises this hand / 10, at most 1"),
            Feature(f"opponent_{ahead}_buys", "cards bought this hand / 3"),
            Feature(f"opponent_{ahead}_kept", "bought cards in the hand since it was dealt or redrawn / 3"),
        ]
    return own + tuple(opponents)


@rule
def observe_full(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the full observation of `seat`; its table is `full_features`.

    Discards lie face up, so a careful player knows which cards are left: those not seen since the last shuffle.
    """
    # As few branches as can be: rows differ in phase, and a branch foretold wrongly costs more than ten numbers.
    whole = 1.0 / (state.num_players * state.credits)
    betting = state.phase == BETTING
    holds = (state.extra != EMPTY) & (state.turn == seat)
    for number in range(4):
        out[number] = state.round_number == number
    out[4] = betting
    out[5] = state.phase == BUYING
    out[6] = state.phase == PLACING
    out[7] = seat * _SEVENTH
    for slot in range(3):
        out[8 + slot] = _CARD_TENTHS[state.cards[seat, slot] + 10]
    extra = state.extra if holds else 0
    total = card_sum(state, seat)
    out[11] = extra * _TENTH
    out[12] = holds
    out[13] = total * _THIRTIETH
    for place in range(3):
        slot = (place + SPIKE_SLOT) % 3
        out[14 + place] = holds * (total + extra - state.cards[seat, slot]) * _THIRTIETH
    out[17] = state.stack[seat] * whole
    out[18] = state.pool * whole
    out[19] = state.put_hand[seat] * whole
    due = owed(state, seat) if betting else 0
    out[20] = min(due * _TENTH, 1.0)
    out[21] = due > 0
    out[22] = (state.turns_left if betting else 0) * _SEVENTH
    out[23] = max(state.hands - state.hand - 1, 0) / state.hands
    count_unseen(state, seat, out[24 : 24 + NUM_VALUES])
    at = 24 + NUM_VALUES
    for ahead in range(1, state.num_players):
        other = seat + ahead if seat + ahead < state.num_players else seat + ahead - state.num_players
        out[at] = 1.0 - state.folded[other]
        out[at + 1] = _CARD_TENTHS[state.cards[other, SPIKE_SLOT] + 10]
        out[at + 2] = state.stack[other] * whole
        out[at + 3] = state.put_hand[other] * whole
        out[at + 4] = min(state.put_phase[other] * _TENTH, 1.0)
        out[at + 5] = min(state.raises[other] * _TENTH, 1.0)
        out[at + 6] = state.buys[other] * _THIRD
        out[at + 7] = state.kept[other] * _THIRD
        at += 8


@rule
def count_unseen(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Thirds of the number of cards of each value that `seat` has not seen since the last shuffle."""
    low = _CARD_COUNTS[state.cards[seat, LOW_SLOT] + 10]
    high = _CARD_COUNTS[state.cards[seat, HIGH_SLOT] + 10]
    extra = _CARD_COUNTS[(state.extra if state.turn == seat else EMPTY) + 10]
    for value in range(NUM_VALUES):
        left = _DECK_COUNTS[value] - np.float32(state.public[value])
        out[value] = (left - low[value] - high[value] - extra[value]) * _THIRD32


# -- the paper's state (section 3.2) ----------------------------------------------------------------------------------


def paper_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    """The paper's observation is one number: the state's index."""
    return (Feature("index", "the state's place in the paper's enumeration", 1, 0, num_info_states(options) - 1),)


@rule
def observe_paper(state: Record, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the state's index; float32 holds it exactly (it is below 2^24)."""
    out[0] = info_state_index(state, seat)


@rule
def _digit(amount: int) -> int:
    """Tens of credits, rounded half to even, at most 9."""
    return min(int(amount + 4 + (amount // 10 & 1)) // 10, 9)  # Without branches, which nobody could foresee.


@rule
def info_state_key(state: Record, seat: int) -> int:
    """The paper's 8 digits: round, decision, card sum (2), extra card (2), credits, pool; 0 at the end.

    The decision is the one being made at the table, also where another seat makes it.
    """
    if state.phase == OVER:
        return 0
    decision = 1 + (state.phase == BUYING) + 2 * (state.phase == PLACING)
    total = min(max(card_sum(state, seat), -9), 9) + 10
    extra = (int(state.extra) + 10) * ((state.extra != EMPTY) & (state.turn == seat))
    amounts = _digit(state.stack[seat]) * 10 + _digit(state.pool)
    return int(state.round_number * 10_000_000 + decision * 1_000_000 + total * 10_000 + extra * 100 + amounts)


@rule
def info_state_index(state: Record, seat: int) -> int:
    """The place of the state's code in the paper's enumeration for this number of players."""
    return code_index(info_state_key(state, seat), state.num_players)


@rule
def code_index(code: int, num_players: int) -> int:
    """The place of a code in the enumeration; the inverse of `index_code`.

    The paper enumerates codes with credits digit + pool digit <= 5 x players (25 tens of credits a player's 50). A
    code beyond that, which other starting credits can reach, has its pool digit lowered until it is inside, and then
    its credits digit.
    """
    if code == 0:
        return 0
    most = 5 * num_players
    own = min(code // 10 % 10, most)
    pool = min(code % 10, most - own)
    extra = code // 100 % 100
    total = code // 10_000 % 100
    decision = code // 1_000_000 % 10
    round = code // 10_000_000
    before = 0  # Pairs of digits enumerated before this one.
    for lower in range(own):
        before += min(9, most - lower) + 1
    pairs = before
    for higher in range(own, 10):
        pairs += max(min(9, most - higher) + 1, 0)
    if round == 0:
        place = total - 1
    else:
        place = 19 + (((round - 1) * 3 + decision - 1) * 19 + total - 1) * 21 + extra
    return int(place * pairs + before + pool + 1)


@rule
def index_code(index: int, num_players: int) -> int:
    """The code at a place of the enumeration."""
    if index == 0:
        return 0
    most = 5 * num_players
    pairs = 0
    for own in range(10):
        pairs += max(min(9, most - own) + 1, 0)
    place = (index - 1) // pairs
    pool = (index - 1) % pairs
    own = 0
    while pool > min(9, most - own):
        pool -= min(9, most - own) + 1
        own += 1
    if place < 19:
        head = 1_000_000 + (place + 1) * 10_000
    else:
        place -= 19
        extra = place % 21
        total = place // 21 % 19 + 1
        decision = place // (21 * 19) % 3 + 1
        round = place // (21 * 19 * 3) + 1
        head = round * 10_000_000 + decision * 1_000_000 + total * 10_000 + extra * 100
    return int(head + own * 10 + pool)


def info_state_keys(options: CorellianSpikeOptions) -> npt.NDArray[np.int64]:
    """The codes of all indices in order, int64."""
    return np.array([index_code(i, options.num_players) for i in range(num_info_states(options))], np.int64)


def num_info_states(options: CorellianSpikeOptions) -> int:
    """How many states the paper enumerates: 231,041 for two players, 361,001 for four or more, the end included."""
    pairs = sum(min(9, 5 * options.num_players - own) + 1 for own in range(10))
    return pairs * (19 + 3 * 3 * 19 * 21) + 1


# -- what a seat cannot see -------------------------------------------------------------------------------------------


@rule
def resample(state: Record, seat: int, generator: Generator) -> None:
    """Shuffle together and share out again the draw pile and every hidden card that `seat` does not hold."""
    pool = np.empty(DECK.shape[0] + 1, np.int16)
    size = 0
    for place in range(state.deck_size):
        pool[size] = state.deck[place]
        size += 1
    for other in range(state.num_players):
        if other != seat:
            for slot in range(SPIKE_SLOT):
                if state.cards[other, slot] != EMPTY:
                    pool[size] = state.cards[other, slot]
                    size += 1
    hidden_extra = state.extra != EMPTY and state.turn != seat
    if hidden_extra:
        pool[size] = state.extra
        size += 1
    for last in range(size - 1, 0, -1):
        place = uniform(generator, last + 1)
        card = pool[place]
        pool[place] = pool[last]
        pool[last] = card
    for place in range(state.deck_size):
        size -= 1
        state.deck[place] = pool[size]
    for other in range(MAX_PLAYERS):
        if other != seat and other < state.num_players:
            for slot in range(SPIKE_SLOT):
                if state.cards[other, slot] != EMPTY:
                    size -= 1
                    state.cards[other, slot] = pool[size]
            if state.cards[other, LOW_SLOT] > state.cards[other, HIGH_SLOT] and state.cards[other, HIGH_SLOT] != EMPTY:
                low = state.cards[other, HIGH_SLOT]
                state.cards[other, HIGH_SLOT] = state.cards[other, LOW_SLOT]
                state.cards[other, LOW_SLOT] = low
    if hidden_extra:
        size -= 1
        state.extra = pool[size]
