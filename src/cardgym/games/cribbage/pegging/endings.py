"""The worth of the last three cards of the play.

With two cards in one hand and one in the other, only the holder of two still decides. Values are the holder's points
minus the other's.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from cardgym.engine.contract import Int8s, rule
from cardgym.games.cribbage.cards import worth
from cardgym.games.cribbage.scoring import points_of, points_of_next

_ORDERS = np.array(list(permutations(range(3))), np.int8)


@rule
def _alone(pile: Int8s, length: int, count: int, cards: Int8s, order: int) -> int:
    """Return the points of playing cards in an order when the other hand is empty; -1 if that is illegal.

    A card that does not fit may not be played while one of the later ones fits.
    """
    points = 0
    for place in range(3):
        card = cards[_ORDERS[order, place]]
        if card < 0:
            continue
        if worth(card) > 31 - count:
            for later in range(place + 1, 3):
                other = cards[_ORDERS[order, later]]
                if other >= 0 and worth(other) <= 31 - count:
                    return -1
            points += 1
            length = 0
            count = 0
        points += points_of(points_of_next(pile, length), count, card)
        pile[length] = card
        length += 1
        count += worth(card)
        if count == 31:
            length = 0
            count = 0
    return points + (1 if count > 0 else 0)


@rule
def best_alone(pile: Int8s, length: int, count: int, cards: Int8s, work: Int8s, in_front: bool) -> int:
    """Return the most points that `cards`, (3,), ranks or -1, can score in any order, with the other hand empty.

    The pile has the ranks since the last restart; `work`, (10,), is overwritten. With `in_front`, `cards[0]` must be
    played first.
    """
    best = 0
    for order in range(2 if in_front else 6):
        for place in range(length):
            work[place] = pile[place]
        best = max(best, _alone(work, length, count, cards, order))
    return best


@rule
def _then(pile: Int8s, length: int, count: int, x: int, g: int) -> int:
    """Return the value of what follows to the holder of g, who has just played; x is the other's last card.

    `pile` and `count` include the card just played, and the count is not 31.
    """
    word = points_of_next(pile, length)
    if worth(x) <= 31 - count:
        value = -points_of(word, count, x)
        count += worth(x)
        if count == 31:
            return value + 1
        if worth(g) <= 31 - count:
            pile[length] = x
            value += points_of(points_of_next(pile, length + 1), count, g)
            return value + (0 if count + worth(g) == 31 else 1)
        return value  # A point for the other's go, and one for the own last card.
    if worth(g) <= 31 - count:
        value = points_of(word, count, g)
        return value + (0 if count + worth(g) == 31 else 1) - 1
    return 1 + fresh(x, g)


@rule
def fresh(x: int, g: int) -> int:
    """Return the value to the holder of g if the other leads x to an empty pile and these are the last two cards."""
    return (2 if x == g else 0) + (2 if worth(x) + worth(g) == 15 else 0) + 1


@rule
def value_of_two(pile: Int8s, length: int, count: int, first: int, last: int, x: int) -> int:
    """Return the value of playing `first`, which fits the count, then `last`, the other rank, if the other holds x.

    The pile, (length + 2 or more,), has the ranks since the last restart; entries from `length` on are overwritten.
    """
    points = points_of(points_of_next(pile, length), count, first)
    if count + worth(first) == 31:
        return points + fresh(x, last)
    pile[length] = first
    return points + _then(pile, length + 1, count + worth(first), x, last)
