"""Count the exact statistics of every hand of six cards, every toss, and every cut or opponent's toss and cut.

Any two of the 46 unseen cards are equally likely to be the opponent's toss. Nothing is sampled.

    python research/cribbage_statistics.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from cardgym.console.progress import Progress
from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Int64s, rule
from cardgym.games.cribbage.scoring import MAX_SCORE
from cardgym.games.cribbage.state import CUTS
from cardgym.games.cribbage.statistics import CRIB_CASES, CRIB_SUM, HAND_SUM, toss_statistics

CANONICAL_HANDS = 962_988
"""Hands of six cards that differ by more than the names of their suits."""

# The sums over all hands, in whole numbers: `_BEST_HAND` in 46ths of a point, `_BEST_DEALER` and `_BEST_PONE` in
# 45,540ths, a common denominator of the means of hand and crib.
_CANONICAL, _HANDS, _HAND_POINTS, _CRIB_POINTS, _BEST_HAND, _BEST_DEALER, _BEST_PONE = range(7)
_HAND_LOW, _HAND_HIGH, _CRIB_LOW, _CRIB_HIGH, _SUMS = range(7, 12)
_CASES_PER_CUT = CRIB_CASES // CUTS
_CHUNK = 64


def totals(progress: Callable[[int, int], None] | None = None) -> dict[str, int | float | list[float]]:
    """Visit every hand of six cards and every toss, and add up their statistics.

    Args:
        progress: called from time to time with the number of canonical hands done and their total, 962,988.

    Returns:
        By name: `hands_canonical` and `hands`, without and with the names of suits; `records`, the tosses of the
        canonical hands; `combinations` of hand, toss, and cut or opponent's toss and cut; `hand_points_total` and
        `crib_points_total`, their points; `mean_best_hand`, `dealer_best_total` and `pone_best_net`, the means over
        hands of the greatest mean hand, mean hand + mean crib, and mean hand - mean crib; `hand_mean_range` and
        `crib_mean_range`, the least and greatest mean over all tosses; and `seconds`.
    """
    start = time.perf_counter()
    masks = sorted((mask for mask in range(1 << 13) if mask.bit_count() <= 6), key=lambda mask: -mask.bit_count())
    sizes = np.array([mask.bit_count() for mask in masks])
    firsts = np.array([np.argmax(sizes <= size) for size in range(7)])
    sums = np.zeros(_SUMS, np.int64)
    sums[[_HAND_LOW, _CRIB_LOW]] = np.iinfo(np.int64).max
    # The first suit holds at least two of the six cards.
    for first in range(0, int(firsts[1]), _CHUNK):
        _add_hands(np.array(masks), sizes, firsts, first, min(first + _CHUNK, int(firsts[1])), sums)
        if progress is not None:
            progress(int(sums[_CANONICAL]), CANONICAL_HANDS)
    canonical, hands, hand_points, crib_points, best_hand, best_dealer, best_pone = sums[:_HAND_LOW].tolist()
    return {
        "hands_canonical": canonical,
        "hands": hands,
        "records": 15 * canonical,
        "combinations": hands * 15 * (CUTS + CRIB_CASES),
        "hand_points_total": hand_points,
        "crib_points_total": crib_points,
        "mean_best_hand": best_hand / (CUTS * hands),
        "dealer_best_total": best_dealer / (CRIB_CASES * hands),
        "pone_best_net": best_pone / (CRIB_CASES * hands),
        "hand_mean_range": [points / CUTS for points in sums[[_HAND_LOW, _HAND_HIGH]].tolist()],
        "crib_mean_range": [points / CRIB_CASES for points in sums[[_CRIB_LOW, _CRIB_HIGH]].tolist()],
        "seconds": time.perf_counter() - start,
    }


@compiled
def _add_hands(masks: Int64s, sizes: Int64s, firsts: Int64s, first: int, last: int, sums: Int64s) -> None:
    """Add up the canonical hands whose first suit holds the ranks of one of `masks[first:last]`.

    `masks` are the sets of at most six ranks, larger sets first, and `firsts[n]` is the first of at most n ranks. A
    hand is canonical if the masks of its four suits are in this order.
    """
    cards = np.empty(6, np.int8)
    exact = np.empty((15, 5), np.int64)
    for one in range(first, last):
        left = 6 - sizes[one]
        for two in range(max(one, firsts[left]), len(masks)):
            left_two = left - sizes[two]
            for three in range(max(two, firsts[left_two]), len(masks)):
                left_three = left_two - sizes[three]
                four = max(three, firsts[left_three])
                while four < len(masks) and sizes[four] == left_three:
                    place = 0
                    for suit, number in enumerate((one, two, three, four)):
                        for rank in range(13):
                            if masks[number] >> rank & 1:
                                cards[place] = 13 * suit + rank
                                place += 1
                    toss_statistics(cards, exact)
                    _add_hand(exact, _orbit(one, two, three, four), sums)
                    four += 1


@rule
def _orbit(one: int, two: int, three: int, four: int) -> int:
    """How many hands differ from a canonical one in the names of suits only: 24 divided by its symmetries."""
    if one == two == three == four:
        return 1
    if one == two == three or two == three == four:
        return 4
    if one == two and three == four:
        return 6
    if one == two or two == three or three == four:
        return 12
    return 24


@rule
def _add_hand(exact: Int64s, weight: int, sums: Int64s) -> None:
    """Add one canonical hand, which represents `weight` hands."""
    best_hand = 0
    best_dealer = 0
    best_pone = -MAX_SCORE * CRIB_CASES
    for toss in range(15):
        hand = int(exact[toss, HAND_SUM])
        crib = int(exact[toss, CRIB_SUM])
        sums[_HAND_POINTS] += weight * hand
        sums[_CRIB_POINTS] += weight * crib
        sums[_HAND_LOW] = min(sums[_HAND_LOW], hand)
        sums[_HAND_HIGH] = max(sums[_HAND_HIGH], hand)
        sums[_CRIB_LOW] = min(sums[_CRIB_LOW], crib)
        sums[_CRIB_HIGH] = max(sums[_CRIB_HIGH], crib)
        best_hand = max(best_hand, hand)
        best_dealer = max(best_dealer, _CASES_PER_CUT * hand + crib)
        best_pone = max(best_pone, _CASES_PER_CUT * hand - crib)
    sums[_CANONICAL] += 1
    sums[_HANDS] += weight
    sums[_BEST_HAND] += weight * best_hand
    sums[_BEST_DEALER] += weight * best_dealer
    sums[_BEST_PONE] += weight * best_pone


def main() -> None:
    """Count and print."""
    with Progress("counting", "hands of six cards") as progress:
        statistics = totals(progress)
    width = max(map(len, statistics))
    for name, value in statistics.items():
        values = value if isinstance(value, list) else [value]
        figures = " to ".join(f"{number:,}" if isinstance(number, int) else f"{number:.6g}" for number in values)
        print(f"{name.replace('_', ' '):<{width}}  {figures}")


if __name__ == "__main__":
    main()
