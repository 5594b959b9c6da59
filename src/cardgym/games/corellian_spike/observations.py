"""The observations `full` and `plain` of Corellian Spike, and `resample`, which redraws what a seat cannot see."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Feature, Float32s, Generator, Int64s, State, places, rule, uniform
from cardgym.games.corellian_spike import state as sabacc
from cardgym.games.corellian_spike.hand import card_sum, slot_of, sort_hand
from cardgym.games.corellian_spike.rounds import owed
from cardgym.games.corellian_spike.state import CorellianSpikeOptions

# Multiplication is several times as fast as division, and an observation has twenty such numbers.
_THIRD, _SEVENTH, _TENTH, _THIRTIETH = 1 / 3, 1 / 7, 1 / 10, 1 / 30
_THIRD32 = np.float32(1 / 3)

# Indexed by card + 10, up to EMPTY + 10. A lookup is even faster, and needs no branch for an empty slot.
_CARD_TENTHS = np.zeros(sabacc.EMPTY + 11, np.float32)
_CARD_TENTHS[: sabacc.NUM_VALUES] = [card * _TENTH for card in range(-10, 11)]
_CARD_COUNTS = np.zeros((sabacc.EMPTY + 11, sabacc.NUM_VALUES), np.float32)
_CARD_COUNTS[: sabacc.NUM_VALUES] = np.eye(sabacc.NUM_VALUES)


def full_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    """Get the features of the observation `full`: own, eight for each opponent in order of play, two with a cheat."""
    own = (
        Feature("round", "one-hot: round 0, 1, 2, 3", 4),
        Feature("decision", "one-hot: betting, buying, placing", 3),
        Feature("seat", "own seat / 7; betting and buying start at seat 0"),
        Feature("low", "own lower hand card / 10", low=-1),
        Feature("high", "own higher hand card / 10", low=-1),
        Feature("spike", "own spike / 10, 0 if not dealt", low=-1),
        Feature("extra", "own bought card / 10, 0 if none", low=-1),
        Feature("has_extra", "1 with a bought card to place"),
        Feature("sum", "sum of the cards held without the bought one / 30", low=-1),
        Feature("sum_placed", "sum / 30 after swapping with spike, low, high; 0 without a bought card", 3, low=-1),
        Feature("stack", "own credits / all credits at the table"),
        Feature("pool", "pool / all credits"),
        Feature("put", "own credits put in this hand / all credits"),
        Feature("to_match", "what a match costs / 10, at most 1"),
        Feature("raised", "1 if there is something to match"),
        Feature("turns_left", "seats still to bet unless one raises / 7"),
        Feature("hands_left", "hands still to play after this one / hands"),
        Feature(
            "unseen",
            "unseen cards of each value -10 .. 10 / 3: draw pile and hidden cards",
            sabacc.NUM_VALUES,
            high=max(1.0, float(np.float32(options.zeros) * _THIRD32)),
        ),
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
    cheat: tuple[Feature, ...] = ()
    if options.cheat != "no":
        cheat = (
            Feature("cheats", "1 for the cheating seat"),
            Feature("sleeve", "own card up the sleeve / 10; `extra` has it at the swap", low=-1),
        )
    return own + tuple(opponents) + cheat


_AT = places(full_features(CorellianSpikeOptions()))
_OPPONENT_SIZE = _AT.opponent_1_kept - _AT.opponent_1_in + 1


@rule
def observe_full(state: State, seat: int, out: Float32s) -> None:
    """Write the observation `full`; see `full_features`.

    Discards are face up, so a careful player knows the remaining cards: those not seen since the last shuffle.
    """
    # Few branches: rows differ in phase, and a mispredicted branch costs more than computing ten numbers.
    whole = 1.0 / (state.num_players * state.credits)
    betting = state.phase == sabacc.BETTING
    holds = (state.extra != sabacc.EMPTY) & (state.turn == seat)
    for number in range(4):
        out[_AT.round + number] = state.round_number == number
    out[_AT.decision] = betting
    out[_AT.decision + 1] = state.phase == sabacc.BUYING
    out[_AT.decision + 2] = (state.phase == sabacc.PLACING) | (state.phase == sabacc.CHEATING)
    out[_AT.seat] = seat * _SEVENTH
    for slot in range(3):  # `low`, `high` and `spike`, in the order of the slots.
        out[_AT.low + slot] = _CARD_TENTHS[state.cards[seat, slot] + 10]
    extra = state.extra if holds else 0
    total = card_sum(state, seat)
    out[_AT.extra] = extra * _TENTH
    out[_AT.has_extra] = holds
    out[_AT.sum] = total * _THIRTIETH
    for place in range(3):
        replaced = state.cards[seat, slot_of(sabacc.SWAP_SPIKE + place)]
        out[_AT.sum_placed + place] = holds * (total + extra - replaced) * _THIRTIETH
    out[_AT.stack] = state.stack[seat] * whole
    out[_AT.pool] = state.pool * whole
    out[_AT.put] = state.put_hand[seat] * whole
    due = owed(state, seat) if betting else 0
    out[_AT.to_match] = min(due * _TENTH, 1.0)
    out[_AT.raised] = due > 0
    out[_AT.turns_left] = (state.turns_left if betting else 0) * _SEVENTH
    out[_AT.hands_left] = max(state.hands - state.hand - 1, 0) / state.hands
    count_unseen(state, seat, out[_AT.unseen : _AT.unseen + sabacc.NUM_VALUES])
    shift = 0
    for ahead in range(1, state.num_players):
        other = seat + ahead if seat + ahead < state.num_players else seat + ahead - state.num_players
        out[_AT.opponent_1_in + shift] = 1.0 - state.folded[other]
        out[_AT.opponent_1_spike + shift] = _CARD_TENTHS[state.cards[other, sabacc.SPIKE_SLOT] + 10]
        out[_AT.opponent_1_stack + shift] = state.stack[other] * whole
        out[_AT.opponent_1_put + shift] = state.put_hand[other] * whole
        out[_AT.opponent_1_phase + shift] = min(state.put_phase[other] * _TENTH, 1.0)
        out[_AT.opponent_1_raises + shift] = min(state.raises[other] * _TENTH, 1.0)
        out[_AT.opponent_1_buys + shift] = state.buys[other] * _THIRD
        out[_AT.opponent_1_kept + shift] = state.kept[other] * _THIRD
        shift += _OPPONENT_SIZE
    if state.cheat >= 0:
        out[_AT.opponent_1_in + shift] = state.cheat == seat
        out[_AT.opponent_1_in + shift + 1] = _CARD_TENTHS[(state.sleeve if state.cheat == seat else sabacc.EMPTY) + 10]


@rule
def count_unseen(state: State, seat: int, out: Float32s) -> None:
    """Write the number of cards of each value not seen by `seat` since the last shuffle, in thirds; (21,) float32."""
    low = _CARD_COUNTS[state.cards[seat, sabacc.LOW_SLOT] + 10]
    high = _CARD_COUNTS[state.cards[seat, sabacc.HIGH_SLOT] + 10]
    extra = _CARD_COUNTS[(state.extra if state.turn == seat else sabacc.EMPTY) + 10]
    sleeve = _CARD_COUNTS[(state.sleeve if state.cheat == seat else sabacc.EMPTY) + 10]
    deck = sabacc.DECK_COUNTS[state.values, state.copies, state.zeros]
    for value in range(sabacc.NUM_VALUES):
        left = np.float32(deck[value] - state.public[value])
        out[value] = (left - low[value] - high[value] - extra[value] - sleeve[value]) * _THIRD32


# -- the state's own numbers -------------------------------------------------------------------------------------------

ONCE = ("phase", "round_number", "hand", "turn", "turns_left", "level", "pool", "fresh_round")
_BETS = sabacc.NUM_ROUNDS * sabacc.NUM_BETS
OF_SEATS = (
    ("stack", 1), ("put_hand", 1), ("put_phase", 1), ("raises", 1), ("buys", 1), ("kept", 1), ("folded", 1),
    ("bets", _BETS), ("purchase", sabacc.NUM_ROUNDS), ("spike_before", sabacc.NUM_ROUNDS),
    ("turned_up", sabacc.NUM_ROUNDS),
)  # fmt: skip
"""Fields of the state with a number for each seat or more; how many. The spike follows."""


def plain_features(options: CorellianSpikeOptions) -> tuple[Feature, ...]:
    """Return the features of the observation `plain`: fields of the state as they are, with all seats from 0 on."""
    whole = options.num_players * options.credits
    once = (
        Feature("phase", "1 betting, 3 buying, 5 placing", high=11),
        Feature("round", "round", high=3),
        Feature("hand", "hands finished", high=options.hands),
        Feature("turn", "seat to decide", low=-1, high=8),
        Feature("turns_left", "seats still to bet unless one raises", high=8),
        Feature("level", "flat betting: the price of a match; matched: what each seat must have put in", high=whole),
        Feature("pool", "pool", high=whole),
        Feature("fresh_round", "first round since the hands were dealt or redrawn", high=4),
        Feature("seat", "own seat", high=7),
        Feature("low", "own lower hand card", low=-10, high=sabacc.EMPTY),
        Feature("high", "own higher hand card", low=-10, high=sabacc.EMPTY),
        Feature("extra", "own bought card, 99 if none", low=-10, high=sabacc.EMPTY),
        Feature("public", "face-up cards of each value -10 .. 10", sabacc.NUM_VALUES, high=5),
    )
    numbers = 4 * sabacc.NUM_ROUNDS
    seats: list[Feature] = []
    for seat in range(options.num_players):
        seats += [
            Feature(f"seat_{seat}_credits", "credits left, put in this hand, in the latest phase", 3, high=whole),
            Feature(f"seat_{seat}_counts", "raises and cards bought this hand, bought cards kept", 3, high=whole),
            Feature(f"seat_{seat}_folded", "1 if it has folded"),
            Feature(f"seat_{seat}_bets", "by round: bets of five kinds", _BETS, high=sabacc.MAX_BETS),
            Feature(f"seat_{seat}_purchases", "by round: the purchase", sabacc.NUM_ROUNDS, high=6),
            Feature(f"seat_{seat}_cards", "by round: spike before, card turned up", numbers // 2, low=-10, high=99),
            Feature(f"seat_{seat}_spike", "spike, 99 if not dealt", low=-10, high=sabacc.EMPTY),
        ]
    return once + tuple(seats)


PLAIN = places(plain_features(CorellianSpikeOptions()))
"""Where each feature starts, for two players."""


@rule
def observe_plain(state: State, seat: int, out: Float32s) -> None:
    """Write the observation `plain`; see `plain_features`."""
    out[PLAIN.phase] = state.phase
    out[PLAIN.round] = state.round_number
    out[PLAIN.hand] = state.hand
    out[PLAIN.turn] = state.turn
    out[PLAIN.turns_left] = state.turns_left
    out[PLAIN.level] = state.level
    out[PLAIN.pool] = state.pool
    out[PLAIN.fresh_round] = state.fresh_round
    out[PLAIN.seat] = seat
    out[PLAIN.low] = state.cards[seat, sabacc.LOW_SLOT]
    out[PLAIN.high] = state.cards[seat, sabacc.HIGH_SLOT]
    out[PLAIN.extra] = state.extra if state.turn == seat else sabacc.EMPTY
    for value in range(sabacc.NUM_VALUES):
        out[PLAIN.public + value] = state.public[value]
    at = PLAIN.public + sabacc.NUM_VALUES
    for other in range(state.num_players):
        out[at] = state.stack[other]
        out[at + 1] = state.put_hand[other]
        out[at + 2] = state.put_phase[other]
        out[at + 3] = state.raises[other]
        out[at + 4] = state.buys[other]
        out[at + 5] = state.kept[other]
        out[at + 6] = state.folded[other]
        at += 7
        for number in range(sabacc.NUM_ROUNDS):
            for kind in range(sabacc.NUM_BETS):
                out[at + number * sabacc.NUM_BETS + kind] = state.bets[other, number, kind]
            out[at + _BETS + number] = state.purchase[other, number]
            out[at + _BETS + sabacc.NUM_ROUNDS + number] = state.spike_before[other, number]
            out[at + _BETS + 2 * sabacc.NUM_ROUNDS + number] = state.turned_up[other, number]
        at += _BETS + 3 * sabacc.NUM_ROUNDS
        out[at] = state.cards[other, sabacc.SPIKE_SLOT]
        at += 1


# -- what a seat cannot see -------------------------------------------------------------------------------------------


@rule
def resample(state: State, seat: int, generator: Generator) -> None:
    """Shuffle all cards that `seat` cannot see and deal them again: pile, hands, bought card, the cheat's sleeve."""
    counts = np.zeros(sabacc.NUM_VALUES, np.int64)
    count_hidden(state, seat, counts)
    deal_hidden(state, seat, counts, np.zeros(state.num_players, np.bool_), generator)


@rule
def count_hidden(state: State, seat: int, counts: Int64s) -> None:
    """Add the hidden cards of each value to `counts`, (21,): the seat can know these numbers, but not their order."""
    for place in range(state.deck_size):
        counts[state.deck[place] + 10] += 1
    for other in range(state.num_players):
        if other != seat:
            for slot in range(sabacc.SPIKE_SLOT):
                if state.cards[other, slot] != sabacc.EMPTY:
                    counts[state.cards[other, slot] + 10] += 1
    if state.extra != sabacc.EMPTY and state.turn != seat:
        counts[state.extra + 10] += 1
    if state.sleeve != sabacc.EMPTY and state.cheat != seat:
        counts[state.sleeve + 10] += 1


@rule
def deal_hidden(state: State, seat: int, counts: Int64s, dealt: npt.NDArray[np.bool_], generator: Generator) -> None:
    """Deal cards, `counts` of each value, (21,), to all hidden places.

    The hands of the seats that are `dealt`, (num_players,), stay as they are.
    """
    hidden = np.repeat(np.arange(-10, 11), counts)
    size = len(hidden)
    for last in range(size - 1, 0, -1):
        place = uniform(generator, last + 1)
        card = hidden[place]
        hidden[place] = hidden[last]
        hidden[last] = card
    for place in range(state.deck_size):
        size -= 1
        state.deck[place] = hidden[size]
    for other in range(state.num_players):
        if other != seat and not dealt[other]:
            for slot in range(sabacc.SPIKE_SLOT):
                if state.cards[other, slot] != sabacc.EMPTY:
                    size -= 1
                    state.cards[other, slot] = hidden[size]
            sort_hand(state, other)
    if state.extra != sabacc.EMPTY and state.turn != seat:
        size -= 1
        state.extra = hidden[size]
    if state.sleeve != sabacc.EMPTY and state.cheat != seat:
        size -= 1
        state.sleeve = hidden[size]
