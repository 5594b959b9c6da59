"""The exact statistics of a hand's 15 discards: of the hand over the 46 cuts, and of the crib.

Any two of the 46 unseen cards are equally likely to be the opponent's discard, so the crib has C(46, 2) x 44 = 45,540
equally likely cases of two more cards and a cut. Nothing is sampled.

The mean of the crib needs no visit to its cases. A set of three unseen cards is three cases, one for each card that is
cut. Fifteens, pairs and runs are the same in all three and depend on ranks only, so they follow by inclusion and
exclusion from sums over all sets of three cards that contain certain cards. Flush and nobs are counted in one step.
"""

from __future__ import annotations

from math import comb

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Int8s, Int64s, rule
from cardgym.games.cribbage.cards import CARDS, JACK, holds
from cardgym.games.cribbage.scoring import ALL_CUTS, MAX_SCORE, PAIR_NUMBER, score_ranks, score_ranks_all
from cardgym.games.cribbage.state import CUTS, KEPT, NUM_TOSSES, TOSSES

CRIB_CASES = comb(46, 2) * 44
"""Pairs of opponent's discard and cut for a player who has seen six cards."""
HAND_MIN, HAND_SUM, HAND_MEDIAN2, HAND_MAX, CRIB_SUM = range(5)
"""The columns of `toss_statistics`."""


def _sums_over_threes() -> tuple[Int64s, Int64s]:
    """`score_ranks` of two discarded cards with three others, summed over the sets of three of the 50 other cards.

    Returns:
        By the pair of ranks discarded: over all sets, (91,), and over those that contain a card of a rank, (91, 13).
        The latter has no meaning for five cards of one rank.
    """
    pairs = np.array([(low, high) for high in range(13) for low in range(high + 1)])  # As `PAIR_NUMBER` numbers them.
    one_rank = np.eye(13, dtype=np.int64)
    left = 4 - one_rank[pairs].sum(1)  # (91, 13): cards of each rank that are not discarded.
    two = ALL_CUTS.reshape(91, 91)[:, PAIR_NUMBER].reshape(91, 13, 13).astype(np.int64)
    one = (two * (left[:, None] - one_rank)).sum(2) // 2  # A set with a card has two others.
    return (one * left).sum(1) // 3, one


_ALL_THREES, _THREES_WITH = _sums_over_threes()


@rule
def toss_statistics(cards: Int8s, out: Int64s) -> None:
    """Fill in the statistics of all 15 discards.

    Args:
        cards: six different cards in any order.
        out: (15, 5), filled: a row for each discard of `TOSSES`: the minimum, sum, twice the median and maximum of the
            hand over its 46 cuts, and the sum of the crib over its 45,540 cases.
    """
    suits = np.zeros(4, np.int64)
    unseen = np.ones(CARDS, np.bool_)
    for card in cards:
        suits[card // 13] += 1
        unseen[card] = False
    counts = np.empty(MAX_SCORE + 1, np.int64)
    for toss in range(NUM_TOSSES):
        _count_cuts(cards, toss, unseen, counts)
        low = high = -1
        seen = total = median2 = 0
        for points in range(MAX_SCORE + 1):
            if counts[points] > 0:
                low = points if low < 0 else low
                high = points
                total += points * counts[points]
                for middle in (CUTS // 2, CUTS // 2 + 1):
                    median2 += points if seen < middle <= seen + counts[points] else 0
                seen += counts[points]
        out[toss, HAND_MIN], out[toss, HAND_SUM], out[toss, HAND_MEDIAN2] = low, total, median2
        out[toss, HAND_MAX], out[toss, CRIB_SUM] = high, crib_sum(cards, toss, suits)


@rule
def _count_cuts(cards: Int8s, toss: int, unseen: npt.NDArray[np.bool_], counts: Int64s) -> None:
    """Fill `counts`, (30,), with the number of cuts with which the hand that a discard keeps scores 0 .. 29."""
    a, b = int(cards[KEPT[toss, 0]]), int(cards[KEPT[toss, 1]])
    c, d = int(cards[KEPT[toss, 2]]), int(cards[KEPT[toss, 3]])
    flush = (a // 13 == b // 13) & (a // 13 == c // 13) & (a // 13 == d // 13)
    counts[:] = 0
    more = np.zeros(4, np.int64)  # Points for flush and nobs by the suit of the cut.
    for suit in range(4):
        jack = 13 * suit + JACK
        more[suit] = int((a == jack) | (b == jack) | (c == jack) | (d == jack))
        more[suit] += (5 if a // 13 == suit else 4) if flush else 0
    for rank in range(13):
        points = score_ranks(a % 13, b % 13, c % 13, d % 13, rank)
        for suit in range(4):
            counts[points + more[suit]] += unseen[13 * suit + rank]


@rule
def crib_sum(cards: Int8s, toss: int, suits: Int64s) -> int:
    """Get the points of the crib over its 45,540 cases after a discard; `suits`, (4,), counts the six cards by suit."""
    one, other = int(cards[TOSSES[toss, 0]]), int(cards[TOSSES[toss, 1]])
    x, y = one % 13, other % 13
    pair = int(PAIR_NUMBER[13 * x + y])
    a, b = int(cards[KEPT[toss, 0]]) % 13, int(cards[KEPT[toss, 1]]) % 13
    c, d = int(cards[KEPT[toss, 2]]) % 13, int(cards[KEPT[toss, 3]]) % 13
    # The sets of three that have none of the four cards kept.
    total = int(_ALL_THREES[pair])
    total -= int(_THREES_WITH[pair, a] + _THREES_WITH[pair, b] + _THREES_WITH[pair, c] + _THREES_WITH[pair, d])
    total += score_ranks_all(x, y, a, b) + score_ranks_all(x, y, a, c) + score_ranks_all(x, y, a, d)
    total += score_ranks_all(x, y, b, c) + score_ranks_all(x, y, b, d) + score_ranks_all(x, y, c, d)
    total -= score_ranks(x, y, a, b, c) + score_ranks(x, y, a, b, d)
    total -= score_ranks(x, y, a, c, d) + score_ranks(x, y, b, c, d)
    if one // 13 == other // 13:
        left = 13 - suits[one // 13]
        total += 5 * (left * (left - 1) * (left - 2) // 6)
    total *= 3
    for suit in range(4):
        left = 13 - int(suits[suit])
        jack = 13 * suit + JACK
        if one == jack or other == jack:
            total += left * (45 * 44 // 2)  # Any cut of the suit, and any two other cards of the opponent.
        elif not holds(cards, jack):
            total += (left - 1) * 44  # The opponent discards the jack with any other card.
    return total
