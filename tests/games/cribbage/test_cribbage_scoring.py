"""Hands, cribs and pegging against published counts, lines played by hand and a second scorer."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from cribbage_driver import compiled_only
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cardgym.engine.compilation import compiled
from cardgym.errors import CardgymError
from cardgym.games.cribbage.cards import card_name, card_names, check_cards, parse_cards
from cardgym.games.cribbage.scoring import (
    MAX_SCORE,
    explain_hand,
    explain_play,
    points_of,
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
def _play(pile: npt.NDArray[np.int8], length: int, count: int) -> int:
    """The points of the last card of a pile, without those for 31."""
    last = int(pile[length - 1])
    points = points_of(points_of_next(pile, length - 1), count - min(last + 1, 10), last)
    return points - (2 if count == 31 else 0)


@compiled
def _next(pile: npt.NDArray[np.int8], length: int) -> int:
    return points_of_next(pile, length)


def _points(cards: list[int], crib: bool = False) -> int:
    return int(_hands(np.array([cards], np.int8), crib)[0])


def _brute_force(cards: list[int], crib: bool = False) -> int:
    """The points by the rule book, by subsets, differences and counting: another method for each part."""
    ranks = [card % 13 for card in cards]
    suits = [card // 13 for card in cards]
    subsets = [subset for size in range(2, 6) for subset in combinations(ranks, size)]
    points = sum(2 for subset in subsets if sum(min(10, rank + 1) for rank in subset) == 15)
    points += sum(2 for one, other in combinations(ranks, 2) if one == other)
    runs = [subset for subset in subsets if len(subset) >= 3 and _is_run(subset)]
    longest = max((len(run) for run in runs), default=0)
    points += sum(longest for run in runs if len(run) == longest)
    if len(set(suits)) == 1:
        points += 5
    elif len(set(suits[:4])) == 1 and not crib:
        points += 4
    return points + sum(1 for card in cards[:4] if card == 13 * suits[4] + 10)


def _is_run(ranks: tuple[int, ...]) -> bool:
    return sorted(ranks) == list(range(min(ranks), min(ranks) + len(ranks)))


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
def test_scorer_agrees_with_brute_force_and_explanation(cards: list[int], crib: bool) -> None:
    points = _points(cards, crib)
    assert points == _brute_force(cards, crib)
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


# The ranks of the pile, and the points of its last card.


def _for_pairs_and_runs(ranks: list[int]) -> int:
    """The points of the last of these ranks by the rule book, from every group of last cards."""
    tails = [tuple(ranks[-size:]) for size in range(2, len(ranks) + 1)]
    pairs = max((len(tail) * (len(tail) - 1) for tail in tails if len(set(tail)) == 1), default=0)
    return pairs + max((len(tail) for tail in tails if len(tail) >= 3 and _is_run(tail)), default=0)


@settings(deadline=None)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=13))
def test_pegging_agrees_with_a_second_scorer(ranks: list[int]) -> None:
    if any(len(set(ranks[i : i + 5])) == 1 for i in range(len(ranks) - 4)):
        return  # no deck has five of a rank
    count = sum(min(rank + 1, 10) for rank in ranks)
    expected = _for_pairs_and_runs(ranks) + (2 if count == 15 else 0)
    assert _play(np.array(ranks, np.int8), len(ranks), count) == expected
    if count <= 31:
        assert sum(part for _, part in explain_play(ranks, count)) == expected


@settings(deadline=None)  # The first compiles.
@given(st.lists(st.integers(0, 12), max_size=12))
@example([4, 4, 4, 4])
@example([6, 4, 5, 3])
@example([0, 1, 2, 12])
def test_points_of_every_next_rank_agree_with_a_second_scorer(ranks: list[int]) -> None:
    word = _next(np.array([*ranks, 0], np.int8), len(ranks))
    assert word >> 52 == 0
    for rank in range(13):
        if ranks.count(rank) < 4:  # no deck has five of a rank
            assert word >> 4 * rank & 15 == _for_pairs_and_runs([*ranks, rank]), (ranks, rank)


def test_card_names_and_parsing() -> None:
    assert card_name(0) == "A♣"
    assert [card_names([card]) for card in (12, 13, 51)] == ["K♣", "A♦", "K♠"]
    assert parse_cards(card_names(range(52))) == list(range(52))
    assert parse_cards("10h, j♣") == parse_cards("TH JC")


@pytest.mark.parametrize(
    ("text", "message"), [("5H 1C", "'1C'"), ("5H 5X", "'5X'"), ("5H 5H", "twice"), ("5HH", "'5HH'")]
)
def test_bad_card_names_raise(text: str, message: str) -> None:
    with pytest.raises(CardgymError, match=message):
        parse_cards(text)


@pytest.mark.parametrize("cards", [[0, 1, 2], [0, 1, 2, 52], [0, 1, 2, -1], [0, 1, 2, 2]])
def test_bad_cards_raise(cards: list[int]) -> None:
    with pytest.raises(CardgymError):
        check_cards(cards, 4)
