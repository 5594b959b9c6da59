"""The player of the solved play: by its table, and for the last three cards by what the opponent may hold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import rule
from cardgym.games.cribbage.cards import worth
from cardgym.games.cribbage.pegging.endings import best_alone, value_of_two
from cardgym.games.cribbage.pegging.hands import CHOOSE, RANKS, SLOTS, WITH, slot_of, taker_shares, whole_hand
from cardgym.games.cribbage.pegging.policy import FLOOR, LEVELS_OF_CHOICE, PeggingPolicy, find_node, node_key
from cardgym.games.cribbage.pegging.tree import sequence_code
from cardgym.games.cribbage.scoring import points_of_next

_STEP = 1.0 / LEVELS_OF_CHOICE
_TINY = 1e-300


@rule
def pile_of(count: int, played: npt.NDArray[np.int8], num_played: int, pile: npt.NDArray[np.int8]) -> int:
    """Fill `pile` with the ranks since the last restart, which add up to the count; how many they are."""
    start = num_played
    total = 0
    while total < count:
        start -= 1
        total += worth(played[start])
    for place in range(num_played - start):
        pile[place] = played[start + place]
    return num_played - start


@rule
def _with_played(
    size: int, number: int, side: int, start: int, played: npt.NDArray[np.int8], played_by: npt.NDArray[np.int8],
    num_played: int,
) -> int:  # fmt: skip
    """The number of the multiset of the `size` ranks with a number, and those that a side played from a place on."""
    for place in range(start, num_played):
        if played_by[place] == side:
            number = int(WITH[size, number, played[place]])
            size += 1
    return number


@rule
def multiset_of(ranks: npt.NDArray[np.int8], size: int) -> int:
    """The number of the multiset of the first `size` ranks, in any order."""
    number = 0
    for place in range(size):
        number = int(WITH[place, number, ranks[place]])
    return number


@rule
def choose_rank(
    policy: PeggingPolicy, held: npt.NDArray[np.int8], size: int, theirs: int, floor: int, dealer: int,
    count: int, played: npt.NDArray[np.int8], played_by: npt.NDArray[np.int8], num_played: int,
    known: npt.NDArray[np.int8], draw: float, values: npt.NDArray[np.float64],
) -> int:  # fmt: skip
    """The rank to play.

    Args:
        policy: the policy.
        held: the ranks in hand, ascending.
        size: how many there are.
        theirs: how many cards the opponent holds.
        floor: the least that each of these can be worth.
        dealer: 1 for the dealer, 0 for the pone: the seat to play.
        count: the count.
        played: (8,), int8: the ranks played, in order.
        played_by: (8,), int8: the side, 0 or 1, that played each.
        num_played: how many were played.
        known: (13,), int8: how many cards of each rank this seat has seen outside the opponent's hand of four.
        draw: uniform in [0, 1), to choose by; -1 for the most probable rank.
        values: (13,), filled with how good each rank is: a probability, or points.

    Returns:
        A rank in hand that the count has room for.
    """
    room = 31 - count
    number = multiset_of(held, size)
    legal = 0
    for slot in range(size):
        rank = int(SLOTS[size, number, slot])
        if rank >= 0 and worth(rank) <= room:
            legal += 1
    if legal == 1:
        return int(SLOTS[size, number, 0])
    pile = np.empty(10, np.int8)
    length = pile_of(count, played, num_played, pile)
    if theirs == 0:
        return _best_order(held, size, pile, length, count, values)
    if size + theirs <= 3:
        return _count_out(
            policy, number, floor, dealer, pile, length, count, played, played_by, num_played, known, values
        )
    code = 0
    for place in range(num_played):
        code = sequence_code(code, place, int(played_by[place]), int(played[place]))
    base = find_node(policy, node_key(code, dealer, count == 0 and num_played > 0))
    chosen = int(SLOTS[size, number, 0])
    if base < 0:
        return chosen
    first = base + size * number
    total_share = 0.0
    for slot in range(legal):
        share = float(policy.choices[first + slot])
        values[SLOTS[size, number, slot]] = share * _STEP
        total_share += share
    goal = draw * total_share
    most = 0.0
    for slot in range(legal):
        share = float(policy.choices[first + slot])
        if share > most or (draw >= 0.0 and share > 0.0):
            chosen = int(SLOTS[size, number, slot])
            most = share
            goal -= share
            if draw >= 0.0 and goal < 0.0:
                break
    return chosen


@rule
def _best_order(
    held: npt.NDArray[np.int8], size: int, pile: npt.NDArray[np.int8], length: int, count: int,
    values: npt.NDArray[np.float64],
) -> int:  # fmt: skip
    """The first card of the best order, when the opponent has none."""
    work = np.empty(10, np.int8)
    cards = np.full(3, -1, np.int8)
    best = -1
    chosen = int(held[0])
    for place in range(size):
        if worth(held[place]) <= 31 - count:
            cards[0] = held[place]
            rest = 1
            for other in range(size):
                if other != place:
                    cards[rest] = held[other]
                    rest += 1
            points = best_alone(pile, length, count, cards, work, True)
            values[held[place]] = points
            if points > best:
                best = points
                chosen = int(held[place])
    return chosen


@rule
def _count_out(
    policy: PeggingPolicy, number: int, floor: int, dealer: int, pile: npt.NDArray[np.int8], length: int, count: int,
    played: npt.NDArray[np.int8], played_by: npt.NDArray[np.int8], num_played: int, known: npt.NDArray[np.int8],
    values: npt.NDArray[np.float64],
) -> int:  # fmt: skip
    """The better of two cards, by what the opponent's last card may be."""
    chances = np.empty(13)
    last_card_chances(policy, floor, 1 - dealer, played, played_by, num_played, known, chances)
    low, high = int(SLOTS[2, number, 0]), int(SLOTS[2, number, 1])
    gain = 0.0
    total = 0.0
    for rank in range(13):
        if chances[rank] > 0.0:
            one = value_of_two(pile, length, count, low, high, rank)
            other = value_of_two(pile, length, count, high, low, rank)
            values[low] += chances[rank] * one
            values[high] += chances[rank] * other
            gain += chances[rank] * (one - other)
            total += chances[rank]
    values[low] /= max(total, _TINY)
    values[high] /= max(total, _TINY)
    return low if gain >= 0.0 else high


@rule
def last_card_chances(
    policy: PeggingPolicy, floor: int, side: int, played: npt.NDArray[np.int8], played_by: npt.NDArray[np.int8],
    num_played: int, known: npt.NDArray[np.int8], chances: npt.NDArray[np.float64],
) -> None:  # fmt: skip
    """Fill `chances`, (13,), with the chance of each rank to be the last card of a side.

    By Bayes: how often the side keeps the hand, how many such hands the cards that were seen leave in the pack, and
    how probable its cards so far were with that hand, by the policy or, with the probability that it expects, of a
    taker.
    """
    taken = np.empty(13)
    pile = np.empty(10, np.int8)
    length = 0
    three = _with_played(0, 0, side, 0, played, played_by, num_played)
    for rank in range(13):
        hand = whole_hand(3, three, rank)
        left = 4 - int(known[rank])
        for place in range(num_played):
            if played_by[place] == side and played[place] == rank:
                left -= 1
        chances[rank] = policy.kept[side, hand] * _ways(hand, known) if left > 0 and worth(rank) >= floor else 0.0
        taken[rank] = chances[rank] * policy.takers
        chances[rank] *= 1.0 - policy.takers
    code = 0
    count = 0
    before = 0  # Cards that the side had played.
    for place in range(num_played):
        rank = int(played[place])
        restarted = place > 0 and (count == 0 or worth(rank) > 31 - count)
        if restarted:
            count = 0
            length = 0
        if played_by[place] == side:
            if before < 3:
                base = find_node(policy, node_key(code, side, restarted))
                if base >= 0:
                    word = points_of_next(pile, length)
                    _follow(
                        policy, base, before, side, place, word, count, played, played_by, num_played, chances, taken
                    )  # fmt: skip
            before += 1
        pile[length] = rank
        length += 1
        count += worth(rank)
        if count == 31:
            count = 0
        code = sequence_code(code, place, int(played_by[place]), rank)
    for rank in range(13):
        chances[rank] += taken[rank]


@rule
def _follow(
    policy: PeggingPolicy, base: int, before: int, side: int, place: int, word: int, count: int,
    played: npt.NDArray[np.int8], played_by: npt.NDArray[np.int8], num_played: int, chances: npt.NDArray[np.float64],
    taken: npt.NDArray[np.float64],
) -> None:  # fmt: skip
    """Multiply the chance of each last card by how probable the side's card at a place of the play is with it.

    By the policy in `chances`, of a taker in `taken`.
    """
    size = 4 - before
    rest = _with_played(0, 0, side, place, played, played_by, num_played)
    rank = int(played[place])
    for last in range(13):
        if chances[last] + taken[last] > 0.0:
            number = int(WITH[size - 1, rest, last])
            chances[last] *= share_of(policy, base, size, number, rank, 31 - count)
            if taken[last] > 0.0:
                taken[last] *= share_of_taker(word, count, size, number, rank)


@rule
def share_of_taker(word: int, count: int, size: int, number: int, rank: int) -> float:
    """How probable a taker's rank is, for the hand of `size` cards with that number; see `taker_shares`."""
    shares = np.empty(4, np.float32)
    taker_shares(word, count, size, number, shares)
    return float(shares[slot_of(size, number, rank)])


@rule
def share_of(policy: PeggingPolicy, base: int, size: int, number: int, rank: int, room: int) -> float:
    """How probable a rank is at a node, for the hand of `size` cards with that number; never quite 0."""
    total = 0.0
    share = 0.0
    slot = slot_of(size, number, rank)
    for each in range(size):
        held = int(SLOTS[size, number, each])
        if held < 0 or worth(held) > room:
            break
        probability = policy.choices[base + size * number + each] * _STEP + FLOOR
        total += probability
        if each == slot:
            share = probability
    return share / total if total > 0.0 else 0.0


@rule
def play_likelihood(
    policy: PeggingPolicy, side: int, held: npt.NDArray[np.int8], size: int, played: npt.NDArray[np.int8],
    played_by: npt.NDArray[np.int8], num_played: int,
) -> float:  # fmt: skip
    """How probable it is that a side which now holds these ranks kept them, and played its cards so far.

    Args:
        policy: the policy.
        side: 0 for the pone, 1 for the dealer.
        held: the ranks it still holds.
        size: how many these are.
        played: (8,), the ranks played, in order.
        played_by: (8,), the side that played each.
        num_played: how many were played.

    Returns:
        A number proportional to the probability, for each way to hold these ranks.
    """
    last = multiset_of(held, size)
    hand = _with_played(size, last, side, 0, played, played_by, num_played)
    likelihood = 1.0 - policy.takers
    taken = policy.takers
    pile = np.empty(10, np.int8)
    length = 0
    code = 0
    count = 0
    before = 0
    for place in range(num_played):
        rank = int(played[place])
        restarted = place > 0 and (count == 0 or worth(rank) > 31 - count)
        if restarted:
            count = 0
            length = 0
        if played_by[place] == side:
            base = find_node(policy, node_key(code, side, restarted)) if before < 3 else -1
            if base >= 0:
                number = _with_played(size, last, side, place, played, played_by, num_played)
                likelihood *= share_of(policy, base, 4 - before, number, rank, 31 - count)
                if taken > 0.0:
                    taken *= share_of_taker(points_of_next(pile, length), count, 4 - before, number, rank)
            before += 1
        pile[length] = rank
        length += 1
        count += worth(rank)
        if count == 31:
            count = 0
        code = sequence_code(code, place, int(played_by[place]), rank)
    return float((likelihood + taken) * policy.kept[side, hand] / _all_ways(hand))


@rule
def _all_ways(hand: int) -> float:
    """In how many ways a hand can be dealt from the whole pack."""
    ways = 1.0
    place = 0
    while place < 4:
        copies = 1
        while place + copies < 4 and RANKS[hand, place + copies] == RANKS[hand, place]:
            copies += 1
        ways *= CHOOSE[4, copies]
        place += copies
    return ways


@rule
def _ways(hand: int, known: npt.NDArray[np.int8]) -> float:
    """How many of the ways to deal a hand are left, as a share, once the known cards are out of the pack."""
    share = 1.0
    place = 0
    while place < 4:
        rank = int(RANKS[hand, place])
        copies = 1
        while place + copies < 4 and RANKS[hand, place + copies] == rank:
            copies += 1
        share *= CHOOSE[4 - known[rank], copies] / CHOOSE[4, copies]
        place += copies
    return share
