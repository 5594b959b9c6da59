"""The exact statistics of discards against brute force and counting identities."""

from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt
import pytest
from cribbage_driver import compiled_only, parse_cards

from cardgym.engine.compilation import compiled
from cardgym.games.cribbage.scoring import score_crib, score_hand
from cardgym.games.cribbage.state import CUTS, KEPT, TOSSES
from cardgym.games.cribbage.statistics import CRIB_CASES, CRIB_SUM, HAND_SUM, toss_statistics
from cribbage_statistics import CANONICAL_HANDS, totals

pytestmark = compiled_only

# The points of all (hand, cut) and all (crib, cut) combinations, as test_cribbage_scoring.py counts them.
HANDS_WITH_CUT_POINTS = 61_974_180
CRIBS_WITH_CUT_POINTS = HANDS_WITH_CUT_POINTS - 4 * (4 * 715 * 39)
SPECIAL = [
    "5C 5D 5H 5S JC JD",
    "JC JD JH JS 5C TC",
    "AC 2C 3C 4C 5C 6C",
    "9H TH JH QH KH AH",
    "9H TH JH QH KH JC",
    "2D 4D 6D 8D TD JS",
    "2D 4D 6D 8D JD JS",
    "7C 7D 8C 8D 9H 9S",
    "JC 5C 5D 5H JD QC",
    "AS 3S 7S 9S JH KS",
]


@compiled
def count_all(kept: npt.NDArray[np.int8], tossed: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """How often the hand, (row 0), and the crib (row 1) score 0 .. 29: every cut, every opponent's toss and cut."""
    counts = np.zeros((2, 30), np.int64)
    unseen = [card for card in range(52) if card not in kept and card not in tossed]
    cards = np.empty(4, np.int8)
    cards[0], cards[1] = tossed[1], tossed[0]
    for i in range(46):
        counts[0, score_hand(kept, unseen[i])] += 1
        for j in range(46):
            for k in range(j):
                if i not in (j, k):
                    cards[2], cards[3] = unseen[j], unseen[k]
                    counts[1, score_crib(cards, unseen[i])] += 1
    return counts


@compiled
def fill(cards: npt.NDArray[np.int8], out: npt.NDArray[np.int64]) -> None:
    toss_statistics(cards, out)


def statistics_of(cards: list[int]) -> npt.NDArray[np.int64]:
    out = np.empty((15, 5), np.int64)
    fill(np.array(cards, np.int8), out)
    return out


def random_hands(count: int) -> list[list[int]]:
    generator = np.random.default_rng(7)
    return [generator.permutation(52)[:6].tolist() for _ in range(count)]


def test_statistics_of_all_tosses_are_those_of_every_case() -> None:
    for cards in [*map(parse_cards, SPECIAL), *random_hands(30)]:
        for toss, row in zip(TOSSES.tolist(), statistics_of(cards).tolist(), strict=True):
            tossed = [cards[place] for place in toss]
            kept = [card for card in cards if card not in tossed]
            counts = count_all(np.array(kept, np.int8), np.array(tossed, np.int8))
            assert counts.sum(1).tolist() == [CUTS, CRIB_CASES]
            hand, crib = (np.repeat(np.arange(30), row) for row in counts)
            assert row == [hand.min(), hand.sum(), 2 * np.median(hand), hand.max(), crib.sum()]


def test_tosses_are_all_pairs_of_cards() -> None:
    assert [tuple(toss) for toss in TOSSES.tolist()] == list(combinations(range(6), 2))
    assert all(sorted([*kept, *toss]) == list(range(6)) for kept, toss in zip(KEPT, TOSSES, strict=True))
    assert comb(46, 2) * 44 == CRIB_CASES == 45_540


@pytest.mark.slow
def test_totals_agree_with_counting_and_means_of_best_keeps_with_a_sample() -> None:
    seen: list[tuple[int, int]] = []
    result = totals(lambda done, total: seen.append((done, total)))
    hands = comb(52, 6)
    assert result["hands_canonical"] == CANONICAL_HANDS
    assert result["hands"] == hands == 20_358_520
    assert result["records"] == 15 * CANONICAL_HANDS == 14_444_820
    assert result["combinations"] == hands * 15 * (46 + 45_540) == 13_920_952_390_800
    # Each (hand, cut) occurs with any two of the other 47 cards tossed; each (crib, cut) with any two cards of the crib
    # as one's own toss and any four of the other 47 cards kept.
    assert result["hand_points_total"] == HANDS_WITH_CUT_POINTS * comb(47, 2)
    assert result["crib_points_total"] == CRIBS_WITH_CUT_POINTS * comb(4, 2) * comb(47, 4)
    assert seen[-1] == (CANONICAL_HANDS, CANONICAL_HANDS)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert result["hand_mean_range"] == [60 / 46, 1048 / 46]
    best = []
    for cards in random_hands(4000):
        hand, crib = (statistics_of(cards)[:, [HAND_SUM, CRIB_SUM]] / (CUTS, CRIB_CASES)).T
        best.append([hand.max(), (hand + crib).max(), (hand - crib).max()])
    exact = np.array([result[key] for key in ("mean_best_hand", "dealer_best_total", "pone_best_net")])
    assert np.all(np.abs(np.mean(best, axis=0) - exact) < 5 * np.std(best, axis=0) / np.sqrt(len(best)))
