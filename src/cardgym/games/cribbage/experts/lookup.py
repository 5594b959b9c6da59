"""The compiled look-up of the statistics of a hand's 15 tosses.

A toss has eight integers: the minimum, sum, twice the median and maximum of the hand's points over its 46 cuts, and of
the crib's over the 45,540 pairs of opponent's toss and cut, where any two unseen cards are equally likely. The median
of an even number of values is the mean of the middle two, so twice the median is an integer.

`statistics_arrays` explains the method. A look-up first finds, for each of the 15 tosses, the eleven rows whose sum is
its histogram, and then adds them all up, so that the processor fetches the rows of several tosses at a time.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import rule
from cardgym.games.cribbage.cards import CARDS, JACK
from cardgym.games.cribbage.experts.arrays import (
    FOUR_NUMBER,
    HIGH_MIDDLE,
    LEAST,
    LOW_MIDDLE,
    MOST,
    PAIR_NUMBER,
    PLACE_BITS,
    PLACES,
    RELABELED,
    STEPS,
    TOSS_CLASS,
    TOSS_SUITS,
    WIDTH,
    StatisticsArrays,
)
from cardgym.games.cribbage.experts.keeps import CRIB_CASES
from cardgym.games.cribbage.scoring import score_ranks
from cardgym.games.cribbage.state import KEPT, TOSSES

HAND_MIN, HAND_SUM, HAND_MEDIAN2, HAND_MAX, CRIB_MIN, CRIB_SUM, CRIB_MEDIAN2, CRIB_MAX = range(8)
"""The columns of a look-up."""

_SUIT = (np.arange(CARDS) // 13).astype(np.uint8)
_RANK = (np.arange(CARDS) % 13).astype(np.uint8)
_LOW_MEDIAN, _HIGH_MEDIAN = np.uint16(CRIB_CASES // 2), np.uint16(CRIB_CASES // 2 + 1)

# Rows of the scratch array: the rows to add up for each of the 15 tosses, then these.
_POINTS, _TRIPLES, _NOBS, _SCRATCH = 15, 16, 17, 23

# Counters packed into 16 bits while the entries of a histogram are compared: five bits for the minimum, six for twice
# the median (at most 58), five for the maximum (at most 29).
_MIN_UNIT, _MEDIAN_UNIT, _MAX_UNIT, _NONE = np.uint16(1), np.uint16(1 << 5), np.uint16(1 << 11), np.uint16(0)

# Places and masks in a word of a hand's scores, all of one type for the compiled loop.
_PLACES, _BORROW = np.uint64(PLACES), np.uint64(PLACES << PLACE_BITS - 1)
_PLACE_BITS, _SCORE_BITS = np.uint64(PLACE_BITS), np.uint64(PLACE_BITS - 1)
_SCORE = np.uint64((1 << PLACE_BITS - 1) - 1)
_LEAST, _MOST = np.uint64(PLACE_BITS * LEAST), np.uint64(PLACE_BITS * MOST)
_LOW_MIDDLE, _HIGH_MIDDLE = np.uint64(PLACE_BITS * LOW_MIDDLE), np.uint64(PLACE_BITS * HIGH_MIDDLE)

_Scratch = npt.NDArray[np.uint32]


@rule
def lookup(arrays: StatisticsArrays, cards: npt.NDArray[np.int8], out: npt.NDArray[np.int32]) -> None:
    """Look up the statistics of all 15 tosses, in 0.7 microseconds.

    Args:
        arrays: what `build_arrays` returns.
        cards: six different cards 0 .. 51 in ascending order, unchecked.
        out: (15, 8), filled: a row for each toss of `TOSSES`, with the columns `HAND_MIN` .. `CRIB_MAX`.
    """
    scratch = np.empty((_SCRATCH, 12), np.uint32)
    jacks = _prepare(cards, scratch)
    _plan_cribs(arrays, cards, jacks, scratch)
    _look_up_hands(arrays, cards, jacks, scratch, out)
    _add_histograms(arrays, scratch, out)
    for toss in range(15):
        counters = out[toss, CRIB_MAX]
        out[toss, CRIB_MIN] = counters & 31
        out[toss, CRIB_SUM] = WIDTH * CRIB_CASES - out[toss, CRIB_SUM]
        out[toss, CRIB_MEDIAN2] = counters >> 5 & 63
        out[toss, CRIB_MAX] = counters >> 11


@rule
def _prepare(cards: npt.NDArray[np.int8], scratch: _Scratch) -> bool:
    """Score what the tosses share: five of the six cards are a hand with its starter, or a toss with a triple.

    Entry i of row `_POINTS` becomes the points for ranks of the five cards without card i. Entry i of row `_TRIPLES`
    becomes the row of `STEPS` for a crib of these five, if each of them, tossed ones too, could be cut for nobs. If
    there are jacks, entry j of row `_NOBS` + i becomes 1 where cutting card j gives nobs to a card other than i.

    Returns:
        Whether there are jacks.
    """
    a, b, c = cards[0] % 13, cards[1] % 13, cards[2] % 13
    d, e, f = cards[3] % 13, cards[4] % 13, cards[5] % 13
    scratch[_POINTS, 0] = score_ranks(b, c, d, e, f)
    scratch[_POINTS, 1] = score_ranks(a, c, d, e, f)
    scratch[_POINTS, 2] = score_ranks(a, b, d, e, f)
    scratch[_POINTS, 3] = score_ranks(a, b, c, e, f)
    scratch[_POINTS, 4] = score_ranks(a, b, c, d, f)
    scratch[_POINTS, 5] = score_ranks(a, b, c, d, e)
    jacks = 0
    suits = 0
    for i in range(6):
        card = np.uint8(cards[i])
        suits += 1 << 4 * _SUIT[card]
        jacks |= (_RANK[card] == JACK) << _SUIT[card]
    for i in range(6):
        rest = suits - (1 << 4 * _SUIT[np.uint8(cards[i])])
        flush = (rest == 0x5) | (rest == 0x50) | (rest == 0x500) | (rest == 0x5000)
        scratch[_TRIPLES, i] = 4 * (scratch[_POINTS, i] + 5 * flush)
    if jacks == 0:
        return False
    for i in range(6):
        card = np.uint8(cards[i])
        others = jacks & ~((_RANK[card] == JACK) << _SUIT[card])
        for j in range(6):
            cut = np.uint8(cards[j])
            # A jack that is cut finds no other jack of its suit.
            nobs = (others >> _SUIT[cut] & 1) & (_RANK[cut] != JACK)
            scratch[_NOBS + i, j] = nobs
            scratch[_TRIPLES, i] += nobs if i != j else 0
    return True


@rule
def _plan_cribs(arrays: StatisticsArrays, cards: npt.NDArray[np.int8], jacks: bool, scratch: _Scratch) -> None:
    """Find the rows whose sum is the crib's histogram, for each toss."""
    pair_rows = arrays.pair_rows
    for toss in range(15):
        x, y = TOSSES[toss, 0], TOSSES[toss, 1]
        a, b, c, d = KEPT[toss, 0], KEPT[toss, 1], KEPT[toss, 2], KEPT[toss, 3]
        # Rename the suits so that the toss is the one that its class was counted with. Unsigned indices need no check
        # for negative ones.
        card_x, card_y = np.uint8(cards[x]), np.uint8(cards[y])
        number = TOSS_CLASS[card_x, card_y]
        names = TOSS_SUITS[card_x, card_y]
        i, j = RELABELED[names, np.uint8(cards[a])], RELABELED[names, np.uint8(cards[b])]
        k, m = RELABELED[names, np.uint8(cards[c])], RELABELED[names, np.uint8(cards[d])]
        scratch[toss, 0] = number
        scratch[toss, 1] = pair_rows[number, PAIR_NUMBER[i, j]]
        scratch[toss, 2] = pair_rows[number, PAIR_NUMBER[i, k]]
        scratch[toss, 3] = pair_rows[number, PAIR_NUMBER[i, m]]
        scratch[toss, 4] = pair_rows[number, PAIR_NUMBER[j, k]]
        scratch[toss, 5] = pair_rows[number, PAIR_NUMBER[j, m]]
        scratch[toss, 6] = pair_rows[number, PAIR_NUMBER[k, m]]
        scratch[toss, 7] = scratch[_TRIPLES, a]
        scratch[toss, 8] = scratch[_TRIPLES, b]
        scratch[toss, 9] = scratch[_TRIPLES, c]
        scratch[toss, 10] = scratch[_TRIPLES, d]
        if jacks:
            scratch[toss, 7] -= scratch[_NOBS + a, x] + scratch[_NOBS + a, y]
            scratch[toss, 8] -= scratch[_NOBS + b, x] + scratch[_NOBS + b, y]
            scratch[toss, 9] -= scratch[_NOBS + c, x] + scratch[_NOBS + c, y]
            scratch[toss, 10] -= scratch[_NOBS + d, x] + scratch[_NOBS + d, y]


@rule
def _look_up_hands(
    arrays: StatisticsArrays, cards: npt.NDArray[np.int8], jacks: bool, scratch: _Scratch, out: npt.NDArray[np.int32]
) -> None:
    """Fill in the hand's statistics: those of the 48 cuts of the cards kept, without the two cards tossed."""
    hand_rows, hands, hand_sums = arrays.hand_rows, arrays.hands, arrays.hand_sums
    for toss in range(15):
        x, y = TOSSES[toss, 0], TOSSES[toss, 1]
        card_a, card_b = np.uint8(cards[KEPT[toss, 0]]), np.uint8(cards[KEPT[toss, 1]])
        card_c, card_d = np.uint8(cards[KEPT[toss, 2]]), np.uint8(cards[KEPT[toss, 3]])
        with_x, with_y = int(scratch[_POINTS, y]), int(scratch[_POINTS, x])
        if jacks:
            with_x += int(scratch[_NOBS + y, x])
            with_y += int(scratch[_NOBS + x, y])
        suit = _SUIT[card_a]
        if (suit == _SUIT[card_b]) & (suit == _SUIT[card_c]) & (suit == _SUIT[card_d]):
            with_x += 4 + int(suit == _SUIT[np.uint8(cards[x])])
            with_y += 4 + int(suit == _SUIT[np.uint8(cards[y])])
        four = np.uint32(
            FOUR_NUMBER[card_a, 0] + FOUR_NUMBER[card_b, 1] + FOUR_NUMBER[card_c, 2] + FOUR_NUMBER[card_d, 3]
        )
        row = hand_rows[four]
        left = _take_out(_take_out(hands[row], with_x), with_y)
        out[toss, HAND_MIN] = left >> _LEAST & _SCORE
        out[toss, HAND_SUM] = int(hand_sums[row]) - with_x - with_y
        out[toss, HAND_MEDIAN2] = (left >> _LOW_MIDDLE & _SCORE) + (left >> _HIGH_MIDDLE & _SCORE)
        out[toss, HAND_MAX] = left >> _MOST & _SCORE


@rule
def _take_out(word: np.uint64, score: int) -> np.uint64:
    """A word of a hand's scores, in order, without one occurrence of `score`: the scores from it on move down a place.

    All places are compared at once: where a place holds less than `score`, the subtraction borrows the extra bit. The
    last place of each group of neighbors becomes invalid.
    """
    unborrowed = ((word | _BORROW) - np.uint64(score) * _PLACES) & _BORROW
    moving = unborrowed - (unborrowed >> _SCORE_BITS)
    return word ^ ((word ^ (word >> _PLACE_BITS)) & moving)


@rule
def _add_histograms(arrays: StatisticsArrays, scratch: _Scratch, out: npt.NDArray[np.int32]) -> None:
    """Add up each toss's rows: the histogram's sum goes to `CRIB_SUM`, the packed counters to `CRIB_MAX`.

    The counters are unpacked in another loop: the compiler vectorizes this one only if all its sums have 16 bits.
    """
    tosses, pairs = arrays.tosses, arrays.pairs
    for toss in range(15):
        t = scratch[toss, 0]
        p, q, r = scratch[toss, 1], scratch[toss, 2], scratch[toss, 3]
        u, v, w = scratch[toss, 4], scratch[toss, 5], scratch[toss, 6]
        a, b, c, d = scratch[toss, 7], scratch[toss, 8], scratch[toss, 9], scratch[toss, 10]
        total = np.uint32(0)
        counters = _NONE
        for s in range(WIDTH):
            count = np.uint16(
                tosses[t, s]
                + (pairs[p, s] + pairs[q, s] + pairs[r, s] + pairs[u, s] + pairs[v, s] + pairs[w, s])
                - (STEPS[a, s] + STEPS[b, s] + STEPS[c, s] + STEPS[d, s])
            )
            total = np.uint32(total + count)
            counters = np.uint16(
                counters
                + (_MIN_UNIT if count < 1 else _NONE)
                + (_MEDIAN_UNIT if count < _LOW_MEDIAN else _NONE)
                + (_MEDIAN_UNIT if count < _HIGH_MEDIAN else _NONE)
                + (_MAX_UNIT if count < CRIB_CASES else _NONE)
            )
        out[toss, CRIB_SUM] = total
        out[toss, CRIB_MAX] = counters
