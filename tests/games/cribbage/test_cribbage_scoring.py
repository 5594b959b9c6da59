"""Hands, cribs and pegging against published counts and the reasons that people are told."""

import numpy as np
import numpy.typing as npt
from cribbage_driver import compiled_only, parse_cards
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cardgym.engine.compilation import compiled
from cardgym.games.cribbage.scoring import (
    MAX_SCORE,
    explain_hand,
    explain_play,
    points_of_next,
    score_crib,
    score_hand,
)

# How many of the C(52, 4) x 48 = 12,994,800 (hand, cut) combinations score 0, 1, .. 29: S. Lumetta, "Amusing
# Cribbage Facts", 2007, "The Distribution".
DISTRIBUTION = (
    *(1009008, 99792, 2813796, 505008, 2855676, 697508, 1800268, 751324, 1137236, 361224),
    *(388740, 51680, 317340, 19656, 90100, 9168, 58248, 11196, 2708, 0),
    *(8068, 2496, 444, 356, 3680, 0, 0, 0, 76, 4),
)


@compiled
def _distribution(crib: bool) -> npt.NDArray[np.int64]:
    histogram = np.zeros(MAX_SCORE + 1, np.int64)
    cards = np.zeros(4, np.int8)
    for a in range(52):
        for b in range(a):
            for c in range(b):
                for d in range(c):
                    cards[0], cards[1], cards[2], cards[3] = d, a, c, b
                    for cut in range(52):
                        if cut != a and cut != b and cut != c and cut != d:
                            points = score_crib(cards, cut) if crib else score_hand(cards, cut)
                            histogram[points] += 1
    return histogram


@compiled
def _hands(cards: npt.NDArray[np.int8], crib: bool) -> npt.NDArray[np.int64]:
    points = np.empty(len(cards), np.int64)
    for i in range(len(cards)):
        points[i] = score_crib(cards[i], cards[i, 4]) if crib else score_hand(cards[i], cards[i, 4])
    return points


@compiled
def _next(pile: npt.NDArray[np.int8], length: int) -> int:
    return points_of_next(pile, length)


five_cards = st.lists(st.integers(0, 51), min_size=5, max_size=5, unique=True)


@compiled_only
def test_distribution_of_all_hands_is_as_published() -> None:
    histogram = _distribution(False)
    assert tuple(histogram) == DISTRIBUTION
    assert sum(DISTRIBUTION) == 12_994_800
    assert (histogram[29], histogram[28], histogram[24], histogram[0]) == (4, 76, 3680, 1_009_008)
    total = sum(points * count for points, count in enumerate(DISTRIBUTION))
    assert round(total / 12_994_800, 6) == 4.769152


@compiled_only
def test_cribs_differ_from_hands_only_by_flushes_of_four() -> None:
    histogram = _distribution(True)
    assert histogram[0] == 1_022_208  # Published with the hands' 1,009,008.
    total = int(histogram @ np.arange(30))
    flushes_of_four = 4 * 715 * 39
    assert total == sum(points * count for points, count in enumerate(DISTRIBUTION)) - 4 * flushes_of_four


@settings(deadline=None)  # The first compiles.
@given(five_cards, st.booleans())
def test_the_points_of_a_hand_are_those_explained(cards: list[int], crib: bool) -> None:
    """People are told of each subset of the cards that scores, found in another way than the points are counted."""
    points = _hands(np.array([cards], np.int8), crib)[0]
    assert points == sum(part for _, part in explain_hand(cards[:4], cards[4], crib))


def test_explanation_in_words() -> None:
    held = parse_cards("5H TD JC 5C")
    assert explain_hand(held, parse_cards("QC")[0]) == [
        ("fifteen two (5♣ 10♦)", 2),
        ("fifteen two (5♣ J♣)", 2),
        ("fifteen two (5♣ Q♣)", 2),
        ("fifteen two (5♥ 10♦)", 2),
        ("fifteen two (5♥ J♣)", 2),
        ("fifteen two (5♥ Q♣)", 2),
        ("pair (5♣ 5♥)", 2),
        ("run of three (10♦ J♣ Q♣)", 3),
        ("nobs (J♣)", 1),
    ]
    flush = parse_cards("2H 4H 6H 8H")
    assert explain_hand(flush, parse_cards("TC")[0]) == [("flush of four (2♥ 4♥ 6♥ 8♥)", 4)]
    assert explain_hand(flush, parse_cards("TC")[0], crib=True) == []
    assert ("pair royal (3♣ 3♦ 3♥)", 6) in explain_hand(parse_cards("3C 3D 3H 4S"), parse_cards("5C")[0])


@settings(deadline=None)  # The first compiles.
@given(st.lists(st.integers(0, 12), max_size=12))
@example([4, 4, 4, 4])
@example([6, 4, 5, 3])
@example([0, 1, 2, 12])
def test_the_points_of_every_next_rank_are_those_explained(ranks: list[int]) -> None:
    word = _next(np.array([*ranks, 0], np.int8), len(ranks))
    assert word >> 52 == 0
    for rank in range(13):
        if ranks.count(rank) < 4:  # no deck has five of a rank
            expected = sum(part for _, part in explain_play([*ranks, rank], 0))
            assert word >> 4 * rank & 15 == expected, (ranks, rank)
