"""The points of a hand, a crib and a card played, with explanations in words.

Fifteens, pairs and runs depend only on the five ranks and are looked up in an array of 91 x 91 x 13 bytes: a row for
each unordered pair of ranks of the first two cards, a column for each pair of the next two, and a layer for the rank of
the fifth. So the cards need not be sorted, and the array fits in any second-level cache. A few array operations fill it
at import. Flush and nobs depend on the suits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Int8s, Int64s, State, rule
from cardgym.games.cribbage.cards import JACK, NUMBERS, card_names, rank_of, worth

MAX_SCORE = 29
"""The most points in a hand: three fives and a jack, with the five of the jack's suit as the starter."""

_PAIRS = 91
_PAIR_NAMES = {2: "pair", 3: "pair royal", 4: "double pair royal"}


def _pair_numbers() -> Int64s:
    """(169,): the number of each unordered pair of ranks, at 13 x one rank + the other."""
    low, high = np.sort(np.indices((13, 13)).reshape(2, -1), axis=0)
    numbers: Int64s = high * (high + 1) // 2 + low
    return numbers


def _rank_points() -> npt.NDArray[np.uint8]:
    """(91 x 91 x 13,): points for fifteens, pairs and runs, at 13 x (91 x pair number + pair number) + rank."""
    low = np.array([a for b in range(13) for a in range(b + 1)])
    high = np.array([b for b in range(13) for _ in range(b + 1)])
    first, second, fifth = (axis.ravel() for axis in np.indices((_PAIRS, _PAIRS, 13)))
    ranks = (low[first], high[first], low[second], high[second], fifth)
    # Fifteens: sixteen 4-bit counters in a word count the sets of cards that add up to 0 .. 15. A card worth v adds the
    # word, shifted by v counters, to itself. At most C(5, 2) = 10 sets have the same sum, so no counter overflows.
    sums = np.ones(len(first), np.uint64)
    for rank in ranks:
        sums += sums << (4 * np.minimum(rank + 1, 10)).astype(np.uint64)
    points = 2 * (sums >> np.uint64(60)).astype(np.int64)
    for first, second in combinations(ranks, 2):
        points += 2 * (first == second)
    # Runs: five cards have at most one stretch of three or more neighboring ranks. It scores its length for every way
    # to choose one card of each of its ranks. `counts` packs the number of cards of each rank, four bits each.
    present = np.bitwise_or.reduce([np.int64(1) << rank for rank in ranks])
    counts = np.add.reduce([np.int64(1) << 4 * rank for rank in ranks])
    three = present & present >> 1 & present >> 2
    four = three & present >> 3
    five = four & present >> 4
    start = np.log2(np.maximum(three & -three, 1)).astype(np.int64)
    length = 3 + (four > 0) + (five > 0)
    ways = np.ones_like(points)
    for step in range(5):
        ways *= np.where(step < length, counts >> 4 * (start + step) & 15, 1)
    points += np.where(three > 0, length * ways, 0)
    # The impossible entries for five cards of one rank also stay below 256.
    return points.astype(np.uint8)


def _all_cuts(points: npt.NDArray[np.uint8]) -> npt.NDArray[np.int16]:
    """(91 x 91,): for two pairs of ranks, the sum of `points` over the other 48 cards."""
    ranks = np.array([(a, b) for b in range(13) for a in range(b + 1)])
    held = (ranks[:, :, None] == np.arange(13)).sum(1)
    left = 4 - held[:, None] - held[None]
    totals: npt.NDArray[np.int16] = (left * points.reshape(_PAIRS, _PAIRS, 13)).sum(2).astype(np.int16).ravel()
    return totals


PAIR_NUMBER = _pair_numbers().astype(np.uint8)
"""(169,): the number 0 .. 90 of each unordered pair of ranks, at 13 x one rank + the other."""
_RANK_POINTS = _rank_points()
ALL_CUTS = _all_cuts(_RANK_POINTS)
"""(91 x 91,): see `score_ranks_all`, at 91 x the number of one pair of ranks + that of the other."""


@rule
def score_ranks(a: int, b: int, c: int, d: int, e: int) -> int:
    """Points of five cards of these ranks for fifteens, pairs and runs."""
    first = int(PAIR_NUMBER[13 * a + b])
    second = int(PAIR_NUMBER[13 * c + d])
    return int(_RANK_POINTS[13 * (_PAIRS * first + second) + e])


@rule
def score_ranks_all(a: int, b: int, c: int, d: int) -> int:
    """Return the sum of `score_ranks` of four cards over the other 48 cards."""
    return int(ALL_CUTS[_PAIRS * int(PAIR_NUMBER[13 * a + b]) + int(PAIR_NUMBER[13 * c + d])])


@rule
def score_hand(cards: Int8s, starter: int) -> int:
    """Points of four cards, (4,), with the starter, each 0 .. 51; the four cards alone can be a flush."""
    return _score(int(cards[0]), int(cards[1]), int(cards[2]), int(cards[3]), int(starter), 4)


@rule
def score_crib(cards: Int8s, starter: int) -> int:
    """Points of the crib's four cards, (4,), with the starter, each 0 .. 51; a flush needs all five."""
    return _score(int(cards[0]), int(cards[1]), int(cards[2]), int(cards[3]), int(starter), 5)


@rule
def _score(a: int, b: int, c: int, d: int, starter: int, shortest_flush: int) -> int:
    if d < 0:
        return _score_small((a, b, c), starter, shortest_flush == 5)
    suit = starter // 13
    jack = 13 * suit + JACK
    points = score_ranks(a % 13, b % 13, c % 13, d % 13, starter % 13)
    if (a // 13 == b // 13) & (a // 13 == c // 13) & (a // 13 == d // 13):
        length = 5 if a // 13 == suit else 4
        if length >= shortest_flush:
            points += length
    # `|` compares all four, because mispredicted branches cost more than the comparisons that `or` would save.
    return points + int((a == jack) | (b == jack) | (c == jack) | (d == jack))


@rule
def _score_small(held: tuple[int, int, int], starter: int, crib: bool) -> int:
    """`_score` of fewer than four cards, the others EMPTY, from all sets of cards. A flush takes all that are held."""
    cards = np.empty(4, np.int64)
    size = points = 0
    flush = True
    for card in held:
        if card >= 0:
            cards[size] = card
            size += 1
            flush = flush and card // 13 == cards[0] // 13
            points += int(card == 13 * (starter // 13) + JACK)
    cards[size] = starter
    size += 1
    longest = 0  # The cards in a longest run, and the number of such runs.
    runs = 0
    for chosen in range(1, 1 << size):
        number = total = ranks = 0
        low = high = -1
        for place in range(size):
            if chosen >> place & 1:
                rank = int(cards[place] % 13)
                number += 1
                total += min(rank + 1, 10)
                low = rank if low < 0 else min(low, rank)
                high = max(high, rank)
                ranks |= 1 << rank
        points += 2 if total == 15 else 0
        points += 2 if number == 2 and low == high else 0
        # Neighboring ranks, each once, are a block of as many ones.
        if number >= max(3, longest) and ranks == ((1 << number) - 1) << low:
            runs = runs + 1 if number == longest else 1
            longest = number
    if flush and cards[0] // 13 == starter // 13:
        points += size
    elif flush and not crib:
        points += size - 1
    return points + longest * runs


@rule
def points_of_next(pile: Int8s, length: int) -> int:
    """Get the points of each rank as the next card of a pile, for pairs or a run: four bits per rank, the ace's lowest.

    The pile has the ranks 0 .. 12 played since the last restart, in order; entries from `length` on are ignored. A
    second, third or fourth card of one rank scores 2, 6 or 12. The longest run of three or more that the last cards
    make in any order scores its length. No rank scores both.
    """
    if length == 0:
        return 0
    last = int(pile[length - 1])
    same = 1
    while same < length and pile[length - 1 - same] == last:
        same += 1
    if same > 3:  # There is no fifth card of a rank.
        return 0
    points = same * (same + 1) << 4 * last
    if same > 1:
        return points
    # Go back from the last card while all ranks differ. Neighboring ranks make a run with the rank on either side;
    # ranks with one gap make one with the rank that fills it. A longer run replaces a shorter one.
    low = last
    high = last
    total = last
    seen = 1 << last
    for back in range(2, length + 1):
        rank = int(pile[length - back])
        if seen >> rank & 1:
            break
        seen |= 1 << rank
        total += rank
        low = min(low, rank)
        high = max(high, rank)
        if high - low == back - 1:
            if low > 0:
                points = _write_points(points, low - 1, back + 1)
            if high < 12:
                points = _write_points(points, high + 1, back + 1)
        elif high - low == back:
            points = _write_points(points, (low + high) * (back + 1) // 2 - total, back + 1)
    return points


@rule
def _write_points(word: int, rank: int, points: int) -> int:
    return (word & ~(15 << 4 * rank)) | points << 4 * rank


@rule
def points_for(state: State, card: int) -> int:
    """Return the points for playing `card`: fifteen, pairs, runs and 31, without a go or the last card."""
    return points_of(int(state.next_points), int(state.count), card)


@rule
def points_of(next_points: int, count: int, card: int) -> int:
    """Like `points_for`, on a pile with this count, for which `points_of_next` returns `next_points`."""
    after = count + worth(card)
    points = next_points >> 4 * rank_of(card) & 15
    return points + (2 if after == 15 else 0) + (2 if after == 31 else 0)


def explain_hand(cards: Sequence[int], starter: int, crib: bool = False) -> list[tuple[str, int]]:
    """Return the points of a hand or a crib, with reasons.

    Args:
        cards: the cards, each 0 .. 51: four, or two in a small game.
        starter: the card turned up.
        crib: whether these are the crib's cards, for which a flush needs the starter too.

    Returns:
        Reasons with their cards, such as "fifteen two (5♥ 10♦)", and their points, which add up to the compiled score.
    """
    ordered = sorted([*cards, starter], key=lambda card: (card % 13, card))
    reasons: list[tuple[str, int]] = []
    for size in range(2, 6):
        for chosen in combinations(ordered, size):
            if sum(min(card % 13 + 1, 10) for card in chosen) == 15:
                reasons.append((f"fifteen two ({card_names(chosen)})", 2))
    for rank in range(13):
        alike = [card for card in ordered if card % 13 == rank]
        if len(alike) > 1:
            reasons.append((f"{_PAIR_NAMES[len(alike)]} ({card_names(alike)})", len(alike) * (len(alike) - 1)))
    for size in (5, 4, 3):
        runs = [
            chosen
            for chosen in combinations(ordered, size)
            if all(high % 13 - low % 13 == 1 for low, high in pairwise(chosen))
        ]
        reasons += [(f"run of {NUMBERS[size]} ({card_names(chosen)})", size) for chosen in runs]
        if runs:
            break
    if len({card // 13 for card in ordered}) == 1:
        reasons.append((f"flush of {NUMBERS[len(ordered)]} ({card_names(ordered)})", len(ordered)))
    elif not crib and len({card // 13 for card in cards}) == 1:
        reasons.append((f"flush of {NUMBERS[len(cards)]} ({card_names(sorted(cards))})", len(cards)))
    nobs = 13 * (starter // 13) + JACK
    if nobs in cards:
        reasons.append((f"nobs ({card_names([nobs])})", 1))
    return reasons


def explain_play(pile: Sequence[int], count: int) -> list[tuple[str, int]]:
    """Get the points of the last card of a pile for fifteen, pairs and runs, with reasons such as ("run of four", 4).

    The pile has the ranks 0 .. 12 since the last restart, in order; `count` is the running count with the last of them.
    """
    reasons: list[tuple[str, int]] = []
    if count == 15:
        reasons.append(("fifteen two", 2))
    same = next((n for n in range(len(pile), 1, -1) if len(set(pile[-n:])) == 1), 1)
    if same > 1:
        reasons.append((_PAIR_NAMES[same], same * (same - 1)))
    for size in range(len(pile), 2, -1):
        tail = sorted(pile[-size:])
        if all(high - low == 1 for low, high in pairwise(tail)):
            reasons.append((f"run of {NUMBERS[size]}", size))
            break
    return reasons
