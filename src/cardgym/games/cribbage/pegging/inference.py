"""Choices in the solved play: by its policy or, for the last three cards, by what the opponent may hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cardgym.engine.contract import Float64s, Int8s, Int64s, rule
from cardgym.games.cribbage.cards import worth
from cardgym.games.cribbage.pegging import hands
from cardgym.games.cribbage.pegging import policy as policies
from cardgym.games.cribbage.pegging.endings import best_alone, value_of_two
from cardgym.games.cribbage.pegging.policy import PeggingPolicy
from cardgym.games.cribbage.scoring import points_of_next

_STEP = 1.0 / policies.LEVELS_OF_CHOICE
_TINY = 1e-300

_KEY, _PLACE, _COUNT, _WORD = range(4)
"""Columns of a side's decisions: the key of the public node, the number of cards played, the count, and what
`points_of_next` returns for the pile."""


class Play(NamedTuple):
    """The cards played in a deal, as `read_play` reads them.

    Attributes:
        ranks: (8,), int8, in order.
        sides: (8,), int8: who played each, 0 the pone, 1 the dealer.
        number: the number of cards played.
        pile: (10,), int8: the ranks since the last restart.
        length: the number of these ranks.
        code: see `policy.sequence_code`.
        decisions: (3, 4), int64: the first cards of one side; see `_KEY`.
        decided: the number of these decisions.
    """

    ranks: Int8s
    sides: Int8s
    number: int
    pile: Int8s
    length: int
    code: int
    decisions: Int64s
    decided: int


class Situation(NamedTuple):
    """What a player knows when it is to play a card.

    Attributes:
        held: the ranks in hand, ascending.
        size: the number of cards in hand.
        theirs: the number of cards that the opponent holds.
        floor: the lowest possible worth of the opponent's cards.
        dealer: 1 if the player deals, 0 if it is the pone.
        running_count: the count.
        known: (13,), int8: the cards of each rank that the player has seen outside the four that the opponent kept.
        play: the cards played, with the decisions of the opponent.
    """

    held: Int8s
    size: int
    theirs: int
    floor: int
    dealer: int
    running_count: int
    known: Int8s
    play: Play


# -- the cards played -------------------------------------------------------------------------------------------------


@rule
def read_play(ranks: Int8s, sides: Int8s, number: int, running_count: int, side: int) -> Play:
    """Replay the first `number` cards played, up to the running count, and collect the decisions of a side."""
    pile, decisions = np.empty(10, np.int8), np.empty((3, 4), np.int64)
    decided = length = code = count = 0
    for place in range(number):
        rank = int(ranks[place])
        restarted = place > 0 and (count == 0 or worth(rank) > 31 - count)
        if restarted:
            count = 0
            length = 0
        if sides[place] == side and decided < 3:
            decisions[decided, _KEY] = policies.node_key(code, side, restarted)
            decisions[decided, _PLACE] = place
            decisions[decided, _COUNT] = count
            decisions[decided, _WORD] = points_of_next(pile, length)
            decided += 1
        pile[length] = rank
        length += 1
        count += worth(rank)
        if count == 31:
            count = 0
        code = policies.sequence_code(code, place, int(sides[place]), rank)
    return Play(ranks, sides, number, pile, length if running_count > 0 else 0, code, decisions, decided)


@rule
def with_played(size: int, number: int, side: int, start: int, play: Play) -> int:
    """Return the number of a multiset after adding the cards that a side played from place `start` on."""
    for place in range(start, play.number):
        if play.sides[place] == side:
            number = int(hands.WITH[size, number, play.ranks[place]])
            size += 1
    return number


@rule
def multiset_of(ranks: Int8s, size: int) -> int:
    """Return the number of the multiset of the first `size` ranks, in any order."""
    number = 0
    for place in range(size):
        number = int(hands.WITH[place, number, ranks[place]])
    return number


# -- the choice -------------------------------------------------------------------------------------------------------


@rule
def choose_rank(policy: PeggingPolicy, at: Situation, draw: float, values: Float64s) -> int:
    """Return the rank to play, one in hand that fits the count.

    `draw`, uniform in [0, 1), chooses; -1 takes the most probable rank. `values`, (13,), is filled with the value of
    each rank: a probability, or points.
    """
    size, count = at.size, at.running_count
    number = multiset_of(at.held, size)
    legal = hands.playable_slots(size, number, 31 - count)
    if legal == 1:
        return int(hands.SLOTS[size, number, 0])
    if at.theirs == 0:
        return _best_order(at, values)
    if size + at.theirs <= 3:
        return _count_out(policy, at, number, values)
    base = policies.find_node(policy, policies.node_key(at.play.code, at.dealer, count == 0 and at.play.number > 0))
    chosen = int(hands.SLOTS[size, number, 0])
    if base < 0:
        return chosen
    first = base + size * number
    total_share = 0.0
    for slot in range(legal):
        share = float(policy.choices[first + slot])
        values[hands.SLOTS[size, number, slot]] = share * _STEP
        total_share += share
    goal = draw * total_share
    most = 0.0
    for slot in range(legal):
        share = float(policy.choices[first + slot])
        if share > most or (draw >= 0.0 and share > 0.0):
            chosen = int(hands.SLOTS[size, number, slot])
            most = share
            goal -= share
            if draw >= 0.0 and goal < 0.0:
                break
    return chosen


@rule
def _best_order(at: Situation, values: Float64s) -> int:
    """Return the first card of the best order if the opponent has no cards left."""
    held, size, count = at.held, at.size, at.running_count
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
            points = best_alone(at.play.pile, at.play.length, count, cards, work, True)
            values[held[place]] = points
            if points > best:
                best = points
                chosen = int(held[place])
    return chosen


@rule
def _count_out(policy: PeggingPolicy, at: Situation, number: int, values: Float64s) -> int:
    """Return the better of two cards, given the chances of the opponent's last card."""
    pile, length, chances, taken = at.play.pile, at.play.length, np.empty(13), np.empty(13)
    opponent_weights(policy, at, chances, taken)
    for rank in range(13):
        chances[rank] += taken[rank]
    low, high = int(hands.SLOTS[2, number, 0]), int(hands.SLOTS[2, number, 1])
    gain = 0.0
    total = 0.0
    for rank in range(13):
        if chances[rank] > 0.0:
            low_first = value_of_two(pile, length, at.running_count, low, high, rank)
            high_first = value_of_two(pile, length, at.running_count, high, low, rank)
            values[low] += chances[rank] * low_first
            values[high] += chances[rank] * high_first
            gain += chances[rank] * (low_first - high_first)
            total += chances[rank]
    values[low] /= max(total, _TINY)
    values[high] /= max(total, _TINY)
    return low if gain >= 0.0 else high


# -- inference --------------------------------------------------------------------------------------------------------


@rule
def opponent_weights(policy: PeggingPolicy, at: Situation, equal: Float64s, taken: Float64s) -> None:
    """Fill in numbers proportional to the chance that the opponent holds each multiset, by the kind of opponent.

    By Bayes' rule: the prior is how often the opponent keeps the hand, times the number of such hands that the unseen
    cards allow. The likelihood is the probability of its cards so far: by the policy (`equal`) or, with probability
    `takers`, by a taker (`taken`). Both arrays are (multisets of the cards the opponent holds,).
    """
    play, known, side, left = at.play, at.known, 1 - at.dealer, at.theirs
    played = with_played(0, 0, side, 0, play)
    for rest in range(hands.NUM_OF_SIZE[left]):
        hand = hands.whole_hand(4 - left, played, rest)
        prior = policy.kept[side, hand] * _ways(hand, known) if hands.LOWEST[left, rest] >= at.floor else 0.0
        equal[rest] = prior * (1.0 - policy.takers)
        taken[rest] = prior * policy.takers
    decisions, shares = play.decisions, np.empty(4, np.float32)
    for turn in range(play.decided):
        base = policies.find_node(policy, decisions[turn, _KEY])
        if base < 0:
            continue
        size, place, count = 4 - turn, int(decisions[turn, _PLACE]), int(decisions[turn, _COUNT])
        rank = int(play.ranks[place])
        for rest in range(hands.NUM_OF_SIZE[left]):
            if equal[rest] + taken[rest] > 0.0:
                number = with_played(left, rest, side, place, play)
                equal[rest] *= _share_of(policy, base, size, number, rank, 31 - count)
                if taken[rest] > 0.0:
                    hands.taker_shares(decisions[turn, _WORD], count, size, number, shares)
                    taken[rest] *= shares[hands.slot_of(size, number, rank)]


@rule
def _share_of(policy: PeggingPolicy, base: int, size: int, number: int, rank: int, room: int) -> float:
    """Return the probability of a rank at a node by the policy, for a hand of `size` cards; above 0."""
    total = 0.0
    share = 0.0
    slot = hands.slot_of(size, number, rank)
    for each in range(hands.playable_slots(size, number, room)):
        probability = policy.choices[base + size * number + each] * _STEP + policies.FLOOR
        total += probability
        if each == slot:
            share = probability
    return share / total if total > 0.0 else 0.0


@rule
def _ways(hand: int, known: Int8s) -> float:
    """Return the share of the ways to deal a hand that remain without the known cards."""
    share = 1.0
    place = 0
    while place < 4:
        rank = int(hands.RANKS[hand, place])
        copies = 1
        while place + copies < 4 and hands.RANKS[hand, place + copies] == rank:
            copies += 1
        share *= hands.CHOOSE[4 - known[rank], copies] / hands.CHOOSE[4, copies]
        place += copies
    return share
