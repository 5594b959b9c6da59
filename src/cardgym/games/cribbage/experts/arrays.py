"""Arrays from which the statistics of every toss follow in a few dozen additions.

Two cards x, y are tossed, four cards K are kept, and the opponent's toss {p, q} and the cut c are any of the 46 unseen
cards. The crib's points over all C(46, 2) x 44 = 45,540 cases form a histogram. It is counted without visiting the
cases, and without storing anything for the 14,444,820 pairs of hand and toss:

1. Only the equality of suits matters, so the 1,326 tosses fall into 169 classes: 13 pairs, 78 suited, 78 unsuited.
2. For a toss, a triple is a set {a, b, c} of three other cards. It covers three cases of opponent's toss and cut, one
   for each card that can be the cut. The three have the same fifteens, pairs, runs and flush, and differ at most by
   nobs. The 46 unseen cards form those triples of the 50 other cards that avoid K. By inclusion and exclusion over the
   cards of K,

       F(avoids K) = F() - sum F(a) + sum F(a, b) - sum F(a, b, c),

   where a, b, c run over K and F(S) is the histogram of the triples that contain S: one for the toss, 50 for single
   cards, 1,225 for pairs. F(a, b, c) is one triple and is scored directly.
3. Each card of K is in three of its six pairs, so the single cards can be stored within the pairs: with

       G(a, b) = F(a, b) - (F(a) + F(b)) / 3,   F(avoids K) = F() + sum G(a, b) - sum F(a, b, c).

   The third may not be a whole number; but 3 has an inverse modulo 2^16, all sums are taken modulo 2^16 in 16-bit
   words, and the result lies in 0 .. 45,540, so it is exact.
4. Histograms are cumulative: entry s counts the scores of at most s. That is linear too, and each statistic is then a
   sum over the entries of a vector: the minimum is the number of s with F(s) < 1, the maximum the number with
   F(s) < 45,540, the k-th smallest score the number with F(s) < k, and the sum of all scores is the sum of
   45,540 - F(s).

A histogram has 32 words, one cache line; a toss reads seven of them (one for the toss, six for pairs) and four steps.
Only some 34,000 of the 207,025 G(a, b) differ, because suits rarely matter. Storing each once takes 3 MB instead of 14
and makes random look-ups twice as fast.

The hand over its 46 cuts needs less. For each of the C(52, 4) = 270,725 sets of four kept cards, the 48 cuts are scored
and sorted once. Only the ten scores that can become the minimum, the middle two or the maximum when the two tossed
cards are removed are stored, in one 64-bit word. A score is removed from it at all places at once, without a branch:
mispredicted branches took a third of a look-up.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import rule
from cardgym.games.cribbage.cards import CARDS, JACK
from cardgym.games.cribbage.scoring import MAX_SCORE, score_hand, score_ranks

TOSS_CLASSES = 169
"""Tosses that differ by more than the names of their suits."""

WIDTH = 32
"""Entries of a histogram: the scores 0 .. 29, and two more to fill a cache line."""

_PAIRS = 1326
_FOURS = 270_725
_OTHER_CARDS = 48
_STORED_PLACES = (0, 1, 2, 22, 23, 24, 25, 45, 46, 47)
LEAST, LOW_MIDDLE, HIGH_MIDDLE, MOST = (_STORED_PLACES.index(place) for place in (0, 22, 23, 45))
"""Which of a hand's stored places hold these four of the 46 scores once those of the two tossed cards are removed."""
PLACE_BITS = 6
"""Bits of a score in a word of `StatisticsArrays.hands`: five for 0 .. 29, and one that subtractions can borrow."""
PLACES = sum(1 << PLACE_BITS * place for place in range(len(_STORED_PLACES)))
"""A word of `StatisticsArrays.hands` with the score 1 at every place."""
_THIRD = 43_691
"""The inverse of 3 modulo 2^16."""
_MOST_ROWS = 65_536
"""Row numbers have 16 bits."""
_SLOTS = 4 * _MOST_ROWS

UInt16s = npt.NDArray[np.uint16]


class StatisticsArrays(NamedTuple):
    """What `lookup` reads: 3 MB, made by `build_arrays` and never written to disk."""

    hand_rows: UInt16s
    """(270725,): the row of `hands` of each set of four kept cards, by `FOUR_NUMBER`."""
    hands: npt.NDArray[np.uint64]
    """(n,): of the 48 scores in order, numbers 0 1 2, 22 23 24 25, 45 46 47, in `PLACE_BITS` bits each."""
    hand_sums: UInt16s
    """(n,): the sum of the 48 scores."""
    tosses: UInt16s
    """(169, 32): the cumulative histogram F() of each class of tosses."""
    pair_rows: UInt16s
    """(169, 1326): the row of `pairs` of each class of tosses and pair of other cards, by `PAIR_NUMBER`."""
    pairs: UInt16s
    """(n, 32): the different G(a, b) modulo 2^16."""


def _toss_classes() -> npt.NDArray[np.uint8]:
    """(52, 52): the class 0 .. 168 of two cards in either order: pairs and unsuited, then suited."""
    one, other = np.indices((CARDS, CARDS))
    low, high = np.sort([one % 13, other % 13], axis=0)
    unsuited = high * (high + 1) // 2 + low
    suited = 91 + high * (high - 1) // 2 + low
    classes: npt.NDArray[np.int64] = np.where((one // 13 == other // 13) & (low < high), suited, unsuited)
    return classes.astype(np.uint8)


def _relabelings() -> npt.NDArray[np.uint8]:
    """(16, 52): for suits 4 x first + second, every card after renaming these suits 0 and 1 (0 if they are equal)."""
    cards = np.arange(CARDS)
    rows = np.empty((16, CARDS), np.uint8)
    for number in range(16):
        order = list(dict.fromkeys([number // 4, number % 4, 0, 1, 2, 3]))
        rows[number] = 13 * np.argsort(order)[cards // 13] + cards % 13
    return rows


def _toss_suits() -> npt.NDArray[np.uint8]:
    """(52, 52): 4 x first + second suit of two cards, the lower rank's first, as `RELABELED` is ordered."""
    one, other = np.indices((CARDS, CARDS))
    swapped = one % 13 > other % 13
    first, second = np.where(swapped, other, one) // 13, np.where(swapped, one, other) // 13
    suits: npt.NDArray[np.uint8] = (4 * first + second).astype(np.uint8)
    return suits


def _pair_numbers() -> UInt16s:
    """(52, 52): the number 0 .. 1325 of two cards in either order."""
    low, high = np.sort(np.indices((CARDS, CARDS)), axis=0)
    return np.where(low < high, high * (high - 1) // 2 + low, 0).astype(np.uint16)


def _steps() -> UInt16s:
    """(120, 32): the cumulative histogram of one triple, at 4 x points without nobs + cuts that give nobs."""
    points, nobs = np.arange(30).repeat(4)[:, None], np.tile(np.arange(4), 30)[:, None]
    scores = np.arange(WIDTH)
    return ((3 - nobs) * (scores >= points) + nobs * (scores >= points + 1)).astype(np.uint16)


TOSS_CLASS = _toss_classes()
TOSS_SUITS = _toss_suits()
RELABELED = _relabelings()
PAIR_NUMBER = _pair_numbers()
FOUR_NUMBER = np.array([[comb(card, size) for size in (1, 2, 3, 4)] for card in range(CARDS)], np.uint32)
"""(52, 4): cards a < b < c < d have the number [a, 0] + [b, 1] + [c, 2] + [d, 3], 0 .. 270724."""
STEPS = _steps()


@cache
def build_arrays() -> StatisticsArrays:
    """The arrays, 3 MB, built in about 0.3 s by the first call in a process."""
    hand_rows, hands = np.empty(_FOURS, np.uint16), np.zeros((_MOST_ROWS, 11), np.uint16)
    tosses, pair_rows = (
        np.empty((TOSS_CLASSES, WIDTH), np.uint16),
        np.zeros((TOSS_CLASSES, _PAIRS), np.uint16),
    )
    # Align each histogram to a cache line.
    store = np.zeros((_MOST_ROWS + 1) * WIDTH, np.uint16)
    start = -(store.ctypes.data // 2) % WIDTH
    pairs = store[start : start + _MOST_ROWS * WIDTH].reshape(_MOST_ROWS, WIDTH)
    different = _fill_hands(hand_rows, hands)
    bits = PLACE_BITS * np.arange(len(_STORED_PLACES), dtype=np.uint64)
    words = (hands[:different, : len(bits)].astype(np.uint64) << bits).sum(axis=1, dtype=np.uint64)
    sums = hands[:different, len(bits)].copy()
    different = _fill_cribs(tosses, pair_rows, pairs)
    return StatisticsArrays(hand_rows, words, sums, tosses, pair_rows, pairs[:different])


@compiled
def _fill_hands(hand_rows: UInt16s, hands: UInt16s) -> int:
    """Score and sort the cuts of every four cards; return how many rows differ.

    A row of `hands`, (., 11), becomes the scores at `_STORED_PLACES` and the sum of all.
    """
    cards = np.empty(4, np.int8)
    counts = np.empty(MAX_SCORE + 1, np.int64)
    ordered = np.empty(_OTHER_CARDS, np.uint16)
    row = np.zeros(11, np.uint16)
    slots = np.full(_SLOTS, -1, np.int32)
    different = 0
    number = 0
    for d in range(3, CARDS):
        for c in range(2, d):
            for b in range(1, c):
                for a in range(b):
                    cards[0], cards[1], cards[2], cards[3] = a, b, c, d
                    counts[:] = 0
                    total = 0
                    for cut in range(CARDS):
                        if (cut != a) & (cut != b) & (cut != c) & (cut != d):
                            points = score_hand(cards, cut)
                            counts[points] += 1
                            total += points
                    place = 0
                    for points in range(MAX_SCORE + 1):
                        for _ in range(counts[points]):
                            ordered[place] = points
                            place += 1
                    for place in range(10):
                        row[place] = ordered[_STORED_PLACES[place]]
                    row[10] = total
                    row_number = _find_row(row, hands, different, slots)
                    different = max(different, row_number + 1)
                    hand_rows[number] = row_number
                    number += 1
    return different


@compiled
def _fill_cribs(tosses: UInt16s, pair_rows: UInt16s, pairs: UInt16s) -> int:
    """Count the histograms of every class of tosses; return how many rows of pairs differ."""
    histograms = np.empty((_PAIRS, WIDTH), np.int64)
    singles = np.empty((CARDS, WIDTH), np.int64)
    row = np.empty(WIDTH, np.uint16)
    slots = np.full(_SLOTS, -1, np.int32)
    different = 0
    for one in range(13):
        # The suits of these tosses are those that `RELABELED` gives them.
        for other in range(one + 1, 26):
            if other % 13 < one:
                continue
            toss = TOSS_CLASS[one, other]
            _count_triples(one, other, histograms)
            singles[:] = 0
            for high in range(CARDS):
                for low in range(high):
                    for s in range(WIDTH):
                        count = histograms[PAIR_NUMBER[low, high], s]
                        singles[low, s] += count
                        singles[high, s] += count
            for s in range(WIDTH):
                total = 0
                for card in range(CARDS):
                    # A triple that contains a card contains two pairs with that card.
                    singles[card, s] //= 2
                    total += singles[card, s]
                tosses[toss, s] = total // 3
            for high in range(CARDS):
                for low in range(high):
                    pair = PAIR_NUMBER[low, high]
                    for s in range(WIDTH):
                        both = singles[low, s] + singles[high, s]
                        row[s] = (histograms[pair, s] - _THIRD * both) & 0xFFFF
                    row_number = _find_row(row, pairs, different, slots)
                    different = max(different, row_number + 1)
                    pair_rows[toss, pair] = row_number
    return different


@rule
def _find_row(row: UInt16s, rows: UInt16s, different: int, slots: npt.NDArray[np.int32]) -> int:
    """The number of `row` among the first `different` of `rows`; a new row is added after them."""
    digest = np.uint64(0xCBF29CE484222325)
    for word in row:
        digest = (digest ^ np.uint64(word)) * np.uint64(0x100000001B3)
    slot = np.int64((digest ^ (digest >> np.uint64(32))) & np.uint64(_SLOTS - 1))
    while slots[slot] >= 0:
        known = slots[slot]
        same = True
        for place in range(len(row)):
            same &= rows[known, place] == row[place]
        if same:
            return int(known)
        slot = (slot + 1) & (_SLOTS - 1)
    slots[slot] = different
    for place in range(len(row)):
        rows[different, place] = row[place]
    return different


@rule
def _count_triples(one: int, other: int, histograms: npt.NDArray[np.int64]) -> None:
    """Fill the cumulative F(a, b) for the toss {one, other} and every pair of other cards."""
    histograms[:] = 0
    jacks = (one % 13 == JACK) << one // 13 | (other % 13 == JACK) << other // 13
    suited = one // 13 == other // 13
    for c in range(CARDS):
        for b in range(c):
            for a in range(b):
                if (a == one) | (a == other) | (b == one) | (b == other) | (c == one) | (c == other):
                    continue
                points = score_ranks(one % 13, other % 13, a % 13, b % 13, c % 13)
                if suited and a // 13 == one // 13 and b // 13 == one // 13 and c // 13 == one // 13:
                    points += 5
                nobs = _nobs_cuts(jacks, a, b, c)
                for pair in (PAIR_NUMBER[a, b], PAIR_NUMBER[a, c], PAIR_NUMBER[b, c]):
                    histograms[pair, points] += 3 - nobs
                    histograms[pair, points + 1] += nobs
    for pair in range(_PAIRS):
        for s in range(1, WIDTH):
            histograms[pair, s] += histograms[pair, s - 1]


@rule
def _nobs_cuts(jacks: int, a: int, b: int, c: int) -> int:
    """How many of three crib cards score nobs when cut; `jacks` has a bit for the suit of each tossed jack."""
    for card in (a, b, c):
        if card % 13 == JACK:
            jacks |= 1 << card // 13
    cuts = 0
    for card in (a, b, c):
        # A jack that is cut finds no other jack of its suit.
        if card % 13 != JACK:
            cuts += jacks >> card // 13 & 1
    return cuts
