"""The compiled look-up of the statistics of a hand's 15 tosses, for learners and players that ask often.

Eight whole numbers for each toss: the least, the sum, twice the median and the most of the hand's points over
its 46 cuts, and the same of the crib over the 45,540 pairs of opponent's toss and cut, each pair of unseen
cards as likely as any other. The median of an even number of values is the mean of the middle two, hence
twice it.

`tables` explains the method. Here a hand's 15 tosses are planned first, each down to the eleven rows that its
histogram adds up from, and added up afterwards, so that the processor fetches rows of several tosses at a
time.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from cardgym.compilation import rule
from cardgym.games.cribbage.cards import CARDS, JACK
from cardgym.games.cribbage.scoring import score_ranks
from cardgym.games.cribbage.tables import (
    CRIB_CASES,
    FOUR_NUMBER,
    HAND_CUTS,
    PAIR_NUMBER,
    RELABELLED,
    STEPS,
    TOSS_CLASS,
    TOSS_SUITS,
    WIDTH,
    Tables,
)

TOSSES = np.array(list(combinations(range(6), 2)), np.uint8)
"""(15, 2): the places of the two cards of each toss among the six, (0, 1), (0, 2), .. (4, 5)."""
KEPT = np.array([[i for i in range(6) if i not in toss] for toss in TOSSES.tolist()], np.uint8)
"""(15, 4): the places of the four cards kept."""

HAND_MIN, HAND_SUM, HAND_MEDIAN2, HAND_MAX, CRIB_MIN, CRIB_SUM, CRIB_MEDIAN2, CRIB_MAX = range(8)
"""The columns of a look-up; the medians are doubled."""

_SUIT = (np.arange(CARDS) // 13).astype(np.uint8)
_RANK = (np.arange(CARDS) % 13).astype(np.uint8)
_LOW_MIDDLE, _HIGH_MIDDLE = np.uint16(CRIB_CASES // 2), np.uint16(CRIB_CASES // 2 + 1)

# Rows of a look-up's scratch paper: 15 plans, then these.
_POINTS, _TRIPLES, _NOBS, _SCRATCH = 15, 16, 17, 23

# Counters packed in 16 bits while the entries of a histogram are compared: five bits for the least, six for
# twice the median (at most 58), five for the most (at most 29).
_MIN_UNIT, _MEDIAN_UNIT, _MAX_UNIT, _NONE = np.uint16(1), np.uint16(1 << 5), np.uint16(1 << 11), np.uint16(0)

_Scratch = npt.NDArray[np.uint32]


@rule
def lookup(tables: Tables, cards: npt.NDArray[np.int8], out: npt.NDArray[np.int32]) -> None:
    """Look up the statistics of all 15 tosses, for compiled callers; about 0.75 microseconds.

    Parameters
    ----------
    tables
        What `build_tables` returns.
    cards
        Six different cards 0 .. 51 in ascending order, which is not checked.
    out
        (15, 8) integers to fill: a row for each toss of `TOSSES`, its columns `HAND_MIN` .. `CRIB_MAX`.
    """
    scratch = np.empty((_SCRATCH, 12), np.uint32)
    _prepare(cards, scratch)
    for toss in range(15):
        _plan(tables, cards, toss, scratch, out)
    _add_histograms(tables, scratch, out)
    for toss in range(15):
        counters = out[toss, CRIB_MAX]
        out[toss, CRIB_MIN] = counters & 31
        out[toss, CRIB_SUM] = WIDTH * CRIB_CASES - out[toss, CRIB_SUM]
        out[toss, CRIB_MEDIAN2] = counters >> 5 & 63
        out[toss, CRIB_MAX] = counters >> 11


@rule
def lookup_means(
    tables: Tables,
    cards: npt.NDArray[np.int8],
    out: npt.NDArray[np.int32],
    means: npt.NDArray[np.float64],
) -> None:
    """As `lookup`, and fill `means`, (15, 2), with the mean points of the hand and of the crib."""
    lookup(tables, cards, out)
    for toss in range(15):
        means[toss, 0] = out[toss, HAND_SUM] / HAND_CUTS
        means[toss, 1] = out[toss, CRIB_SUM] / CRIB_CASES


@rule
def _prepare(cards: npt.NDArray[np.int8], scratch: _Scratch) -> None:
    """Score what the tosses share: five of the six cards are a hand and its starter, or a toss and a triple.

    Row `_POINTS` gets at i the points for ranks without card i; row `_TRIPLES` the number of the step in
    `STEPS` but for nobs; row `_NOBS` + i, at j, whether card j would give nobs to some card of the hand but
    i.
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
    for i in range(6):
        card = np.uint8(cards[i])
        others = jacks & ~((_RANK[card] == JACK) << _SUIT[card])
        for j in range(6):
            cut = np.uint8(cards[j])
            # A jack that is cut finds no other jack of its suit.
            scratch[_NOBS + i, j] = (others >> _SUIT[cut] & 1) & (_RANK[cut] != JACK)


@rule
def _plan(
    tables: Tables, cards: npt.NDArray[np.int8], toss: int, scratch: _Scratch, out: npt.NDArray[np.int32]
) -> None:
    """Fill in the hand's statistics of a toss, and note the rows that its crib's histogram adds up from."""
    x, y = TOSSES[toss, 0], TOSSES[toss, 1]
    a, b, c, d = KEPT[toss, 0], KEPT[toss, 1], KEPT[toss, 2], KEPT[toss, 3]
    # Unsigned numbers index without a look whether they are negative.
    card_x, card_y = np.uint8(cards[x]), np.uint8(cards[y])
    card_a, card_b = np.uint8(cards[a]), np.uint8(cards[b])
    card_c, card_d = np.uint8(cards[c]), np.uint8(cards[d])

    # The hand: of the 48 cuts of the four, take out the two that were tossed.
    with_x = int(scratch[_POINTS, y] + scratch[_NOBS + y, x])
    with_y = int(scratch[_POINTS, x] + scratch[_NOBS + x, y])
    suit = _SUIT[card_a]
    if (suit == _SUIT[card_b]) & (suit == _SUIT[card_c]) & (suit == _SUIT[card_d]):
        with_x += 4 + int(suit == _SUIT[card_x])
        with_y += 4 + int(suit == _SUIT[card_y])
    four = np.uint32(
        FOUR_NUMBER[card_a, 0] + FOUR_NUMBER[card_b, 1] + FOUR_NUMBER[card_c, 2] + FOUR_NUMBER[card_d, 3]
    )
    row = tables.hand_rows[four]
    out[toss, HAND_MIN] = _left_over(tables, row, 0, with_x, with_y)
    out[toss, HAND_SUM] = tables.hands[row, 10] - with_x - with_y
    out[toss, HAND_MEDIAN2] = _left_over(tables, row, 3, with_x, with_y)
    out[toss, HAND_MEDIAN2] += _left_over(tables, row, 4, with_x, with_y)
    out[toss, HAND_MAX] = _left_over(tables, row, 7, with_x, with_y)

    # The crib: rename the suits so that the toss is the one its class was counted with.
    number = TOSS_CLASS[card_x, card_y]
    names = TOSS_SUITS[card_x, card_y]
    i, j = RELABELLED[names, card_a], RELABELLED[names, card_b]
    k, m = RELABELLED[names, card_c], RELABELLED[names, card_d]
    scratch[toss, 0] = number
    scratch[toss, 1] = tables.pair_rows[number, PAIR_NUMBER[i, j]]
    scratch[toss, 2] = tables.pair_rows[number, PAIR_NUMBER[i, k]]
    scratch[toss, 3] = tables.pair_rows[number, PAIR_NUMBER[i, m]]
    scratch[toss, 4] = tables.pair_rows[number, PAIR_NUMBER[j, k]]
    scratch[toss, 5] = tables.pair_rows[number, PAIR_NUMBER[j, m]]
    scratch[toss, 6] = tables.pair_rows[number, PAIR_NUMBER[k, m]]
    scratch[toss, 7] = _step(scratch, a, b, c, d)
    scratch[toss, 8] = _step(scratch, b, a, c, d)
    scratch[toss, 9] = _step(scratch, c, a, b, d)
    scratch[toss, 10] = _step(scratch, d, a, b, c)


@rule
def _left_over(tables: Tables, row: int, place: int, x: int, y: int) -> int:
    """Of three neighbours in order the one in the first's place once x and y have left the order."""
    hands = tables.hands
    first, second, third = hands[row, place], hands[row, place + 1], hands[row, place + 2]
    if first >= x:
        first = second
    if second >= x:
        second = third
    return int(first if first < y else second)


@rule
def _step(scratch: _Scratch, left_out: int, a: int, b: int, c: int) -> int:
    """The row of `STEPS` of the triple a, b, c with the toss: all of the six cards but one."""
    nobs = _NOBS + left_out
    return int(scratch[_TRIPLES, left_out] + scratch[nobs, a] + scratch[nobs, b] + scratch[nobs, c])


@rule
def _add_histograms(tables: Tables, scratch: _Scratch, out: npt.NDArray[np.int32]) -> None:
    """Add up each toss's rows; leaves packed counters in `CRIB_MAX` and the histogram's sum in `CRIB_SUM`.

    Unpacking is left to another loop: the compiler makes vector instructions of this one only if nothing but
    16-bit sums happen in it.
    """
    tosses, pairs = tables.tosses, tables.pairs
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
                + (_MEDIAN_UNIT if count < _LOW_MIDDLE else _NONE)
                + (_MEDIAN_UNIT if count < _HIGH_MIDDLE else _NONE)
                + (_MAX_UNIT if count < CRIB_CASES else _NONE)
            )
        out[toss, CRIB_SUM] = total
        out[toss, CRIB_MAX] = counters
