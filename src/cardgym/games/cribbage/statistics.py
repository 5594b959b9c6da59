"""Count the exact statistics of every hand of six cards, every toss, and every cut or opponent's toss and cut.

Any two of the 46 unseen cards are equally likely to be the opponent's toss. Nothing is sampled.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.console.arguments import Parser
from cardgym.engine.numba.compilation import compiled
from cardgym.engine.numba.rules import rule
from cardgym.errors import CardgymError
from cardgym.games.cribbage.cards import CARDS, check_cards
from cardgym.games.cribbage.lookup import CRIB_SUM, HAND_SUM, lookup
from cardgym.games.cribbage.scoring import HIGHEST_SCORE, score_crib, score_hand
from cardgym.games.cribbage.state import CUTS, KEPT, TOSSES
from cardgym.games.cribbage.statistics_arrays import CRIB_CASES, StatisticsArrays, build_arrays

CANONICAL_HANDS = 962_988
"""Hands of six cards that differ by more than the names of their suits."""

# The sums over all hands, in whole numbers: `_BEST_HAND` in 46ths of a point, `_BEST_DEALER` and `_BEST_PONE` in
# 45,540ths, a common denominator of the means of hand and crib.
_CANONICAL, _HANDS, _HAND_POINTS, _CRIB_POINTS, _BEST_HAND, _BEST_DEALER, _BEST_PONE = range(7)
_HAND_LOW, _HAND_HIGH, _CRIB_LOW, _CRIB_HIGH, _SUMS = range(7, 12)
_CASES_PER_CUT = CRIB_CASES // CUTS
_CHUNK = 64

_Integers = npt.NDArray[np.int64]


class Keep(NamedTuple):
    """One way to keep four of six cards, with the exact statistics of the hand and of the crib.

    Medians are the mean of the two middle values; sums are over `CUTS` and `CRIB_CASES` equally likely cases.
    """

    toss: int
    kept: tuple[int, ...]
    tossed: tuple[int, ...]
    hand_min: int
    hand_sum: int
    hand_median: float
    hand_max: int
    crib_min: int
    crib_sum: int
    crib_median: float
    crib_max: int

    @property
    def hand_mean(self) -> float:
        """Mean points of the hand over the 46 cuts."""
        return self.hand_sum / CUTS

    @property
    def crib_mean(self) -> float:
        """Mean points of the crib over the 45,540 opponent's tosses and cuts."""
        return self.crib_sum / CRIB_CASES


def keeps(cards: Sequence[int]) -> list[Keep]:
    """The 15 ways to keep four of six cards, in the order of `TOSSES` over the cards in ascending order.

    Args:
        cards: six different cards 0 .. 51 in any order.

    Raises:
        CardgymError: if there are not six, two are the same, or one is not a card.
    """
    hand = sorted(check_cards(cards, 6))
    out = np.empty((15, 8), np.int32)
    _lookup(build_arrays(), np.array(hand, np.int8), out)
    records = []
    for toss, row in enumerate(out.tolist()):
        kept, tossed = tuple(hand[i] for i in KEPT[toss]), tuple(hand[i] for i in TOSSES[toss])
        low, total, median, high, crib_low, crib_total, crib_median, crib_high = row
        records.append(
            Keep(toss, kept, tossed, low, total, median / 2, high, crib_low, crib_total, crib_median / 2, crib_high)
        )
    return records


def distributions(kept: Sequence[int], tossed: Sequence[int]) -> tuple[_Integers, _Integers]:
    """The distribution of the hand's points over the 46 cuts, and of the crib's over the 45,540 cases.

    Args:
        kept: four cards 0 .. 51.
        tossed: two other cards.

    Returns:
        Counts of the scores 0 .. 29 of the hand and of the crib, (30,) int64 each.

    Raises:
        CardgymError: if there are not four and two, two are the same, or one is not a card.
    """
    if len(kept) != 4 or len(tossed) != 2:
        raise CardgymError(f"{len(kept)} cards kept and {len(tossed)} discarded: four and two are needed")
    return _distributions(np.array(check_cards([*kept, *tossed], 6), np.int8))


def totals(progress: Callable[[int, int], None] | None = None) -> dict[str, int | float | list[float]]:
    """Visit every hand of six cards and every toss, and add up their statistics.

    Args:
        progress: called from time to time with the number of canonical hands done and their total, 962,988.

    Returns:
        By name: `hands_canonical` and `hands`, without and with the names of suits; `records`, the tosses of the
        canonical hands; `combinations` of hand, toss, and cut or opponent's toss and cut; `hand_points_total` and
        `crib_points_total`, their points; `mean_best_hand`, `dealer_best_total` and `pone_best_net`, the means over
        hands of the greatest mean hand, mean hand + mean crib, and mean hand - mean crib; `hand_mean_range` and
        `crib_mean_range`, the least and greatest mean over all tosses; `seconds`; and `peak_rss_mb`, the peak memory
        of the process in 10^6 bytes, 0 if the system does not report it.
    """
    start = time.perf_counter()
    arrays = build_arrays()
    masks = [mask for mask in range(1 << 13) if mask.bit_count() <= 6]
    masks.sort(key=lambda mask: (-mask.bit_count(), mask))
    ordered = np.array(masks, np.int64)
    sizes = np.array([mask.bit_count() for mask in masks], np.int64)
    firsts = np.array([np.argmax(sizes <= size) for size in range(7)], np.int64)
    sums = np.zeros(_SUMS, np.int64)
    sums[[_HAND_LOW, _CRIB_LOW]] = np.iinfo(np.int64).max
    # The first suit holds at least two of the six cards.
    for first in range(0, int(firsts[1]), _CHUNK):
        last = min(first + _CHUNK, int(firsts[1]))
        _add_hands(arrays, ordered, sizes, firsts, first, last, sums)
        if progress is not None:
            progress(int(sums[_CANONICAL]), CANONICAL_HANDS)
    hands, canonical = int(sums[_HANDS]), int(sums[_CANONICAL])
    return {
        "hands_canonical": canonical,
        "hands": hands,
        "records": 15 * canonical,
        "combinations": hands * 15 * (CUTS + CRIB_CASES),
        "hand_points_total": int(sums[_HAND_POINTS]),
        "crib_points_total": int(sums[_CRIB_POINTS]),
        "mean_best_hand": int(sums[_BEST_HAND]) / (CUTS * hands),
        "dealer_best_total": int(sums[_BEST_DEALER]) / (CRIB_CASES * hands),
        "pone_best_net": int(sums[_BEST_PONE]) / (CRIB_CASES * hands),
        "hand_mean_range": [int(sums[_HAND_LOW]) / CUTS, int(sums[_HAND_HIGH]) / CUTS],
        "crib_mean_range": [int(sums[_CRIB_LOW]) / CRIB_CASES, int(sums[_CRIB_HIGH]) / CRIB_CASES],
        "seconds": time.perf_counter() - start,
        "peak_rss_mb": _peak_rss_mb(),
    }


@compiled
def _lookup(arrays: StatisticsArrays, cards: npt.NDArray[np.int8], out: npt.NDArray[np.int32]) -> None:
    lookup(arrays, cards, out)


@compiled
def _distributions(cards: npt.NDArray[np.int8]) -> tuple[_Integers, _Integers]:
    """Count case by case, in half a millisecond."""
    hand = np.zeros(HIGHEST_SCORE + 1, np.int64)
    crib_counts = np.zeros(HIGHEST_SCORE + 1, np.int64)
    unseen = np.ones(CARDS, np.bool_)
    for card in cards:
        unseen[card] = False
    crib = np.empty(4, np.int8)
    crib[:2] = cards[4:]
    for cut in range(CARDS):
        if not unseen[cut]:
            continue
        hand[score_hand(cards, cut)] += 1
        for p in range(CARDS):
            for q in range(p):
                if unseen[p] and unseen[q] and p != cut and q != cut:
                    crib[2], crib[3] = p, q
                    crib_counts[score_crib(crib, cut)] += 1
    return hand, crib_counts


@compiled
def _add_hands(
    arrays: StatisticsArrays, masks: _Integers, sizes: _Integers, firsts: _Integers, first: int, last: int,
    sums: _Integers,
) -> None:  # fmt: skip
    """Add up the canonical hands whose first suit holds the ranks of one of `masks[first:last]`.

    `masks` are the sets of at most six ranks, larger sets first, and `firsts[n]` is the first of at most n ranks. A
    hand is canonical if the masks of its four suits are in this order.
    """
    cards = np.empty(6, np.int8)
    out = np.empty((15, 8), np.int32)
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
                    lookup(arrays, cards, out)
                    _add_hand(out, _orbit(one, two, three, four), sums)
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
def _add_hand(out: npt.NDArray[np.int32], weight: int, sums: _Integers) -> None:
    """Add one canonical hand, which represents `weight` hands."""
    best_hand = 0
    best_dealer = 0
    best_pone = -HIGHEST_SCORE * CRIB_CASES
    for toss in range(15):
        hand = int(out[toss, HAND_SUM])
        crib = int(out[toss, CRIB_SUM])
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


def _peak_rss_mb() -> float:
    """The peak resident memory of this process in 10^6 bytes; 0 if the system does not report it."""
    status = Path("/proc/self/status")
    if status.exists():
        # Linux's getrusage includes the parent's memory at the fork.
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024) / 1e6


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> None:
    from cardgym.console.progress import Progress

    with Progress("counting", "hands of six cards") as progress:
        statistics = totals(progress)
    if arguments.json:
        print(json.dumps(statistics, indent=2, allow_nan=False))
        return
    width = max(map(len, statistics))
    for name, value in statistics.items():
        values = value if isinstance(value, list) else [value]
        figures = " to ".join(f"{number:,}" if isinstance(number, int) else f"{number:.6g}" for number in values)
        print(f"{name.replace('_', ' '):<{width}}  {figures}")
