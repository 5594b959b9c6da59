"""The exact statistics of a hand's 15 tosses, over every cut, or every opponent's toss and cut.

Any two of the 46 unseen cards are equally likely to be the opponent's toss. Nothing is sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.errors import CardgymError
from cardgym.games.cribbage.cards import CARDS, check_cards
from cardgym.games.cribbage.scoring import MAX_SCORE, score_crib, score_hand
from cardgym.games.cribbage.state import CUTS, KEPT, TOSSES

CRIB_CASES = 45_540
"""Pairs of opponent's toss and cut for a player who has seen six cards: C(46, 2) x 44."""

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
        return self.hand_sum / CUTS

    @property
    def crib_mean(self) -> float:
        """Mean points of the crib over the 45,540 opponent's tosses and cuts."""
        return self.crib_sum / CRIB_CASES


def keeps(cards: Sequence[int]) -> list[Keep]:
    """The 15 ways to keep four of six cards, in the order of `TOSSES` over the cards in ascending order.

    Args:
        cards: six different cards 0 .. 51 in any order.
    """
    hand = sorted(check_cards(cards, 6))
    records = []
    for toss in range(15):
        kept, tossed = tuple(hand[i] for i in KEPT[toss]), tuple(hand[i] for i in TOSSES[toss])
        of_hand, of_crib = map(_summary, distributions(kept, tossed))
        records.append(Keep(toss, kept, tossed, *of_hand, *of_crib))
    return records


def _summary(counts: _Integers) -> tuple[int, int, float, int]:
    """The minimum, sum, median and maximum of scores, from how often each of 0 .. 29 occurs."""
    scores = np.repeat(np.arange(len(counts)), counts)
    return int(scores[0]), int(scores.sum()), float(np.median(scores)), int(scores[-1])


def distributions(kept: Sequence[int], tossed: Sequence[int]) -> tuple[_Integers, _Integers]:
    """The distribution of the hand's points over the 46 cuts, and of the crib's over the 45,540 cases.

    For the four cards kept and the two tossed, 0 .. 51: counts of the scores 0 .. 29, (30,) int64 each.
    """
    if len(kept) != 4 or len(tossed) != 2:
        raise CardgymError(f"{len(kept)} cards kept and {len(tossed)} discarded: four and two are needed")
    return _distributions(np.array(check_cards([*kept, *tossed], 6), np.int8))


@compiled
def _distributions(cards: npt.NDArray[np.int8]) -> tuple[_Integers, _Integers]:
    """Count case by case, in half a millisecond."""
    hand = np.zeros(MAX_SCORE + 1, np.int64)
    crib_counts = np.zeros(MAX_SCORE + 1, np.int64)
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
