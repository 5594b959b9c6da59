"""Hands in the play as numbers: multisets of up to four ranks, because suits do not matter there.

A multiset a <= b <= c <= d has the number a + C(b + 1, 2) + C(c + 2, 3) + C(d + 3, 4); smaller ones use fewer terms. So
the 1, 13, 91, 455 and 1,820 multisets of each size are numbered without gaps. The slots of a multiset are its distinct
ranks in ascending order: its holder's choices.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb

import numpy as np

from cardgym.engine.contract import Float32s, rule
from cardgym.games.cribbage.cards import worth
from cardgym.games.cribbage.scoring import points_of

SIZES = (1, 13, 91, 455, 1820)
"""Number of multisets of 0 .. 4 ranks."""
HANDS = SIZES[4]
NUM_OF_SIZE = np.array(SIZES)


def _number(ranks: tuple[int, ...]) -> int:
    return sum(comb(rank + place, place + 1) for place, rank in enumerate(ranks))


SETS = [sorted(combinations_with_replacement(range(13), size), key=_number) for size in range(5)]
"""The multisets of each size, ascending tuples of ranks, in the order of their numbers."""

RANKS = np.array(SETS[4], np.int8)
"""(1820, 4), int8: the ranks of each hand of four, ascending."""
CHOOSE = np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 2, 1, 0, 0], [1, 3, 3, 1, 0], [1, 4, 6, 4, 1]], np.float64)
"""(5, 5): binomial coefficients: `CHOOSE[n, k]` ways to choose k of n cards."""
SLOTS = np.full((5, HANDS, 4), -1, np.int8)
"""(5, 1820, 4), int8: by size and number, the distinct ranks, ascending, then -1."""
WITHOUT = np.zeros((5, HANDS, 4), np.int16)
"""(5, 1820, 4), int16: the number of the multiset with one card of a slot's rank removed."""
WITH = np.zeros((4, 455, 13), np.int16)
"""(4, 455, 13), int16: the number of the multiset with one more card of a rank."""
LOWEST = np.full((5, HANDS), 99, np.int8)
"""(5, 1820), int8: the worth of the lowest card; 99 without cards."""
_STARTS = np.array([0, 1820, 1820 + 13 * 455, 1820 + 13 * 455 + 91 * 91, 1820 + 2 * 13 * 455 + 91 * 91])
_WHOLE = np.zeros(2 * 1820 + 2 * 13 * 455 + 91 * 91, np.int16)
COPIES = np.zeros((HANDS, 13), np.int8)
"""(1820, 13), int8: the number of cards of each rank in a hand of four."""


def _fill() -> None:
    for size, sets in enumerate(SETS):
        for number, ranks in enumerate(sets):
            for slot, rank in enumerate(sorted(set(ranks))):
                SLOTS[size, number, slot] = rank
                rest = list(ranks)
                rest.remove(rank)
                WITHOUT[size, number, slot] = _number(tuple(rest))
            if size < 4:
                for rank in range(13):
                    WITH[size, number, rank] = _number(tuple(sorted((*ranks, rank))))
            if ranks:
                LOWEST[size, number] = min(ranks[0] + 1, 10)
    for number, ranks in enumerate(SETS[4]):
        for rank in ranks:
            COPIES[number, rank] += 1
    for size in range(5):
        for number, ranks in enumerate(SETS[size]):
            first = _STARTS[size] + number * SIZES[4 - size]
            _WHOLE[first : first + SIZES[4 - size]] = [
                _number(tuple(sorted((*ranks, *rest)))) for rest in SETS[4 - size]
            ]


_fill()


@rule
def whole_hand(size: int, played: int, rest: int) -> int:
    """Return the number of the hand of four that consists of `played`, a multiset of `size` cards, and `rest`."""
    return int(_WHOLE[_STARTS[size] + played * NUM_OF_SIZE[4 - size] + rest])


@rule
def playable_slots(size: int, number: int, room: int) -> int:
    """Return the number of slots of a multiset, its first ones, that can be played if the count has this much room."""
    slot = 0
    while slot < size and SLOTS[size, number, slot] >= 0 and worth(SLOTS[size, number, slot]) <= room:
        slot += 1
    return slot


@rule
def slot_of(size: int, number: int, rank: int) -> int:
    """Return the slot of a rank in a multiset that contains it."""
    slot = 0
    while SLOTS[size, number, slot] != rank:
        slot += 1
    return slot


@rule
def taker_shares(word: int, count: int, size: int, number: int, out: Float32s) -> None:
    """Fill `out`, (4,), with the probability of each slot for a taker, who plays for the most points now.

    `word` is what `points_of_next` returns for the pile; `size` and `number` are those of the multiset left. Slots that
    cannot be played or do not exist get 0.
    """
    most = -1
    equals = 0
    for slot in range(4):
        out[slot] = 0.0
    for slot in range(playable_slots(size, number, 31 - count)):
        points = points_of(word, count, int(SLOTS[size, number, slot]))
        if points > most:
            most = points
            equals = 0
            for other in range(slot):
                out[other] = 0.0
        if points == most:
            out[slot] = 1.0
            equals += 1
    for slot in range(size):
        out[slot] /= max(equals, 1)
