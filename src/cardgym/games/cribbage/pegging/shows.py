"""What follows the play of the cards: the show, and the chance to win after it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cardgym.engine.contract import Float32s, Float64s, Int8s, Int64s, rule
from cardgym.games.cribbage.cards import JACK
from cardgym.games.cribbage.chance_table import ChanceTable, chance_of_pone
from cardgym.games.cribbage.observations import PLAIN
from cardgym.games.cribbage.scoring import MAX_SCORE, score_hand, score_ranks

POINTS = MAX_SCORE + 1
_KINDS = 4 * POINTS
"""Kinds of the opponent's hand in the play: the points of its ranks, + `POINTS` x its jacks."""
WORLDS = 200
"""The number of sampled hands of the opponent in a search of discards; each takes the room of a kind."""
_ROWS = 2 * POINTS
_GAINS = 40
"""Room for the points that a side wins in one play of the cards."""


class Shows(NamedTuple):
    """What follows the play: the points of the show, for each kind of opponent's hand.

    Attributes:
        rows: (kinds, most rows, 5), float32: the points of the own hand, of the opponent's, of the crib and of the
            dealer's heels, and their probability.
        sizes: (kinds,), int64: the number of rows of each kind.
        crib: (POINTS,), float64: scratch space of `prepare_shows`.
        chances: (kinds, _GAINS, _GAINS), float32: the chance to win by points won in the play; negative if unknown.
    """

    rows: Float32s
    sizes: Int64s
    crib: Float64s
    chances: Float32s


def new_shows() -> Shows:
    kinds = max(_KINDS, WORLDS)
    rows, chances = np.zeros((kinds, _ROWS, 5), np.float32), np.zeros((kinds, _GAINS, _GAINS), np.float32)
    return Shows(rows, np.zeros(kinds, np.int64), np.zeros(POINTS), chances)


@rule
def chance_after_play(
    table: ChanceTable, shows: Shows, dealer: int, kind: int, to_go: int, opponent_to_go: int, gain: int, loss: int
) -> float:
    """Return a seat's chance to win after the play, computed once for each kind and points.

    `to_go` and `opponent_to_go` are the points needed before the play; `gain` and `loss` are those that the seat, which
    has not reached the target, and the opponent have won in it.
    """
    chance = float(shows.chances[kind, gain, loss])
    if chance < 0.0:
        chance = 0.0
        for row in range(shows.sizes[kind]):
            points = shows.rows[kind, row]
            chance += points[4] * _chance_after_show(table, dealer, to_go - gain, opponent_to_go - loss, points)
        shows.chances[kind, gain, loss] = chance
    return chance


@rule
def _chance_after_show(table: ChanceTable, dealer: int, own: int, other: int, points: Float32s) -> float:
    """Return a seat's chance to win after a show of a row's points, needing `own` before it, the opponent `other`."""
    mine, theirs, crib, heels = int(points[0]), int(points[1]), int(points[2]), int(points[3])
    if (own if dealer else other) <= heels:
        return float(dealer)
    pone = other - theirs if dealer else own - mine
    if pone <= 0:
        return 1.0 - dealer
    left = (own - mine if dealer else other - theirs) - crib - heels
    chance = chance_of_pone(table, 0, left, pone)  # The dealer is the next pone.
    return chance if dealer else 1.0 - chance


@rule
def prepare_shows(seen: Float32s, dealer: int, known: Int8s, table: ChanceTable, shows: Shows) -> None:
    """Fill in what follows the play: the own hand is known, the opponent's hand by its kind, half of the crib.

    The other half of the crib is weighted by how often the opponent discards each pair of ranks. Flushes of the
    opponent and of the crib are left out. The chance of nobs follows from the number of unseen jacks.
    """
    starter = int(seen[PLAIN.starter])
    nobs = 13 * (starter // 13) + JACK
    kept = np.empty(4, np.int8)
    held = 0
    jacks = 4  # Not seen, or played by the opponent.
    gone = False  # Whether the opponent cannot have kept the jack of the starter's suit.
    met = False  # Whether the opponent has played it.
    for place in range(4):
        if seen[PLAIN.hand + place] >= 0.0:
            kept[held] = np.int8(seen[PLAIN.hand + place])
            held += 1
    for place in range(8):
        if seen[PLAIN.played + place] >= 0.0 and seen[PLAIN.played_by + place] == 1.0:
            kept[held] = np.int8(seen[PLAIN.played + place])
            held += 1
        met = met or (seen[PLAIN.played + place] == nobs and seen[PLAIN.played_by + place] == 0.0)
    own_nobs = 0
    for place in range(7):
        card = int(kept[place]) if place < 4 else (int(seen[PLAIN.tossed + place - 4]) if place < 6 else starter)
        jacks -= 1 if card % 13 == JACK else 0
        gone = gone or card == nobs
        own_nobs += 1 if 4 <= place < 6 and card == nobs else 0
    mine = score_hand(kept, starter)
    total = _count_crib(seen, dealer, own_nobs, known, table, shows.crib)
    for kind in range(_KINDS):
        jacks_held = kind // POINTS
        part = 0.0 if gone or jacks_held == 0 else (1.0 if met else min(jacks_held / max(jacks, 1), 1.0))
        rows = 0
        for extra in range(2):
            share = part if extra else 1.0 - part
            for points in range(POINTS):
                if share * shows.crib[points] > 0.0:
                    row = shows.rows[kind, rows]
                    row[0] = mine
                    row[1] = kind % POINTS + extra
                    row[2] = points
                    row[3] = 0.0
                    row[4] = share * shows.crib[points] / total
                    rows += 1
        shows.sizes[kind] = rows
        shows.chances[kind] = np.float32(-1.0)


@rule
def _count_crib(seen: Float32s, dealer: int, own_nobs: int, known: Int8s, table: ChanceTable, crib: Float64s) -> float:
    """Fill `crib` with numbers proportional to the chance of each number of points in the crib and return their sum."""
    first, second = int(seen[PLAIN.tossed]) % 13, int(seen[PLAIN.tossed + 1]) % 13
    crib[:] = 0.0
    total = 0.0
    for low in range(13):
        for high in range(low, 13):
            share = table.tossed[1 - dealer, 13 * low + high] * (4 - known[low])
            share *= (3 - known[high]) / 12.0 if low == high else (4 - known[high]) / 16.0
            if share > 0.0:
                points = score_ranks(first, second, low, high, int(seen[PLAIN.starter]) % 13) + own_nobs
                crib[min(points, MAX_SCORE)] += share
                total += share
    return total
