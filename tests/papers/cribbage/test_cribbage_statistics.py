"""The exact statistics of discards against brute force and counting identities; bad input; the command."""

from __future__ import annotations

import json
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt
import pytest
from cribbage_driver import compiled_only

from cardgym.cli import main
from cardgym.engine.compilation import compiled
from cardgym.errors import CardgymError
from cardgym.games.cribbage.cards import parse_cards
from cardgym.games.cribbage.experts.arrays import StatisticsArrays, build_arrays
from cardgym.games.cribbage.experts.keeps import CRIB_CASES, Keep, distributions, keeps
from cardgym.games.cribbage.experts.lookup import CRIB_SUM, HAND_SUM, lookup
from cardgym.games.cribbage.scoring import score_crib, score_hand
from cardgym.games.cribbage.state import CUTS, KEPT, TOSSES
from cardgym.papers.cribbage.stats import CANONICAL_HANDS, totals

pytestmark = compiled_only

# The points of all (hand, cut) and all (crib, cut) combinations, as test_cribbage_scoring.py counts them.
HANDS_WITH_CUT_POINTS = 61_974_180
CRIBS_WITH_CUT_POINTS = HANDS_WITH_CUT_POINTS - 4 * (4 * 715 * 39)


@compiled
def _all_scores(
    kept: npt.NDArray[np.int8],
    tossed: npt.NDArray[np.int8],
    hand: npt.NDArray[np.int64],
    crib: npt.NDArray[np.int64],
) -> int:
    """Score every cut, and every opponent's toss and cut. Returns how many there are of the latter."""
    unseen = [card for card in range(52) if card not in kept and card not in tossed]
    cards = np.empty(4, np.int8)
    cards[0], cards[1] = tossed[1], tossed[0]
    cases = 0
    for i in range(46):
        hand[i] = score_hand(kept, unseen[i])
        for j in range(46):
            for k in range(j):
                if i not in (j, k):
                    cards[2], cards[3] = unseen[j], unseen[k]
                    crib[cases] = score_crib(cards, unseen[i])
                    cases += 1
    return cases


@compiled
def _look_up(arrays: StatisticsArrays, cards: npt.NDArray[np.int8], out: npt.NDArray[np.int32]) -> None:
    lookup(arrays, cards, out)


def _random_hands(count: int) -> list[list[int]]:
    generator = np.random.default_rng(7)
    return [sorted(generator.permutation(52)[:6].tolist()) for _ in range(count)]


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


@pytest.mark.parametrize("text", SPECIAL)
def test_brute_force_agrees_on_special_hands(text: str) -> None:
    _assert_exact(sorted(parse_cards(text)))


def test_brute_force_agrees_on_random_hands() -> None:
    for cards in _random_hands(60):  # 900 (hand, toss), eight statistics each
        _assert_exact(cards)


def _assert_exact(cards: list[int]) -> None:
    out = np.empty((15, 8), np.int32)
    _look_up(build_arrays(), np.array(cards, np.int8), out)
    for row, (x, y) in zip(out.tolist(), combinations(range(6), 2), strict=True):
        kept = np.array([card for place, card in enumerate(cards) if place not in (x, y)], np.int8)
        hand, crib = np.empty(46, np.int64), np.empty(45_540, np.int64)
        assert _all_scores(kept, np.array([cards[x], cards[y]], np.int8), hand, crib) == 45_540
        assert row == [
            *(hand.min(), hand.sum(), 2 * np.median(hand), hand.max()),
            *(crib.min(), crib.sum(), 2 * np.median(crib), crib.max()),
        ]


def test_names_of_suits_do_not_matter() -> None:
    generator = np.random.default_rng(3)
    for cards in _random_hands(100):
        suits = generator.permutation(4)
        renamed = [int(13 * suits[card // 13] + card % 13) for card in cards]
        after = {frozenset(cards): row for cards, row in _rows(sorted(renamed))}
        for tossed, row in _rows(cards):
            assert after[frozenset(int(13 * suits[card // 13] + card % 13) for card in tossed)] == row


def _rows(cards: list[int]) -> list[tuple[tuple[int, ...], list[int]]]:
    """The cards of each toss, and its statistics as they are looked up."""
    out = np.empty((15, 8), np.int32)
    _look_up(build_arrays(), np.array(cards, np.int8), out)
    return [(tuple(cards[i] for i in toss), row) for toss, row in zip(TOSSES.tolist(), out.tolist(), strict=True)]


def test_tosses_are_all_pairs_of_cards() -> None:
    assert [tuple(toss) for toss in TOSSES.tolist()] == list(combinations(range(6), 2))
    assert all(sorted([*kept, *toss]) == list(range(6)) for kept, toss in zip(KEPT, TOSSES, strict=True))
    assert comb(46, 2) * 44 == CRIB_CASES


def test_totals_agree_with_counting() -> None:
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
    for key in ("mean_best_hand", "dealer_best_total", "pone_best_net", "seconds"):
        assert isinstance(result[key], float)
    assert result["hand_mean_range"] == [60 / 46, 1048 / 46]


def test_means_of_best_keeps_agree_with_a_sample() -> None:
    result = totals()
    best = []
    for cards in _random_hands(4000):
        rows = np.array([row for _, row in _rows(cards)], np.float64)
        hand, crib = rows[:, HAND_SUM] / CUTS, rows[:, CRIB_SUM] / CRIB_CASES
        best.append([hand.max(), (hand + crib).max(), (hand - crib).max()])
    exact = np.array([result[key] for key in ("mean_best_hand", "dealer_best_total", "pone_best_net")])
    assert np.all(np.abs(np.mean(best, axis=0) - exact) < 5 * np.std(best, axis=0) / np.sqrt(len(best)))


def test_keeps_name_their_cards() -> None:
    cards = parse_cards("5H 5D JC QS 2H 9C")
    options = keeps(cards)
    assert [option.toss for option in options] == list(range(15))
    assert all(sorted([*option.kept, *option.tossed]) == sorted(cards) for option in options)
    best = max(options, key=lambda option: option.hand_mean)
    assert set(best.kept) == set(parse_cards("5H 5D JC QS"))
    # Two fives and two tens score ten without the starter: four fifteens and a pair.
    assert best.hand_min == 10
    assert best.hand_mean == best.hand_sum / 46


def test_keeps_agree_with_the_look_up() -> None:
    for cards in _random_hands(10):
        for keep, (tossed, row) in zip(keeps(cards), _rows(cards), strict=True):
            assert keep.tossed == tossed
            low, total, median2, high, crib_low, crib_total, crib_median2, crib_high = row
            assert keep[3:7] == (low, total, median2 / 2, high)
            assert keep[7:] == (crib_low, crib_total, crib_median2 / 2, crib_high)


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ([0, 1, 2, 3, 4], "5 cards given where 6 are needed"),
        ([0, 1, 2, 3, 4, 5, 6], "7 cards given"),
        ([0, 1, 2, 3, 4, 4], "5♣ is given twice"),
        ([0, 1, 2, 3, 4, 52], "card 52 is not one of 0 .. 51"),
        ([-1, 1, 2, 3, 4, 5], "card -1"),
    ],
)
def test_bad_hands_raise(cards: list[int], message: str) -> None:
    with pytest.raises(CardgymError, match=message):
        keeps(cards)
    if len(cards) == 6:
        with pytest.raises(CardgymError, match=message):
            distributions(cards[:4], cards[4:])


def test_bad_split_raises() -> None:
    with pytest.raises(CardgymError, match="3 cards kept and 3 discarded"):
        distributions([0, 1, 2], [3, 4, 5])


def test_keep_lists_the_statistics_in_order() -> None:
    assert Keep._fields[3:] == (
        *("hand_min", "hand_sum", "hand_median", "hand_max"),
        *("crib_min", "crib_sum", "crib_median", "crib_max"),
    )


def test_command_prints_json_or_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cribbage-stats", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["hands"] == 20_358_520
    assert main(["cribbage-stats"]) == 0
    assert "20,358,520" in capsys.readouterr().out
