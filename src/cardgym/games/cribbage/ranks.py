"""What a card is by rank, looked up: its worth, its place in a sorted hand, its place in a count of ranks.

A look-up is faster than a division, and a loop without branches faster than both: every second branch on a card goes
wrong. The tables have room for `card & 63`, an index that is never negative, so compiled code need not ask.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import rule
from cardgym.games.cribbage.cards import CARDS

EMPTY = -1
"""In a place for a card: no card."""

_ROOM = 64
_RANK = np.array([card % 13 for card in range(_ROOM)], np.int8)
_WORTH = np.array([min(card % 13 + 1, 10) if card < CARDS else 99 for card in range(_ROOM)], np.int8)
_PLACE = np.array([card % 13 * 4 + card // 13 for card in range(_ROOM)], np.int8)
_CARD_AT = np.argsort(_PLACE[:CARDS]).astype(np.int8)

ONE_OF_RANK = np.array([1 << 4 * (card % 13) if card < CARDS else 0 for card in range(_ROOM)], np.int64)
"""By card & 63: one card of its rank in a word that counts cards, four bits a rank; EMPTY counts nothing."""
FOUR_OF_EACH = sum(4 << 4 * rank for rank in range(13))
"""The word that counts four cards of each rank."""


@rule
def worth(card: int) -> int:
    """What a card adds to the count: ace 1, face cards 10. EMPTY adds more than there ever is room for."""
    return int(_WORTH[card & 63])


@rule
def rank_of(card: int) -> int:
    """The rank of a card, 0 (ace) .. 12 (king)."""
    return int(_RANK[card & 63])


@rule
def sort_in(cards: npt.NDArray[np.int8], size: int, card: int) -> None:
    """Put `card` among the first `size` of `cards`, which are sorted by rank, then suit."""
    place = int(size)
    while place > 0 and _PLACE[cards[place - 1] & 63] > _PLACE[card & 63]:
        cards[place] = cards[place - 1]
        place -= 1
    cards[place] = card


@rule
def sort_six(cards: npt.NDArray[np.int8]) -> None:
    """Sort six cards by rank, then suit, with a network of twelve comparisons."""
    a, b, c = int(_PLACE[cards[0] & 63]), int(_PLACE[cards[1] & 63]), int(_PLACE[cards[2] & 63])
    d, e, f = int(_PLACE[cards[3] & 63]), int(_PLACE[cards[4] & 63]), int(_PLACE[cards[5] & 63])
    a, f = min(a, f), max(a, f)
    b, d = min(b, d), max(b, d)
    c, e = min(c, e), max(c, e)
    b, c = min(b, c), max(b, c)
    d, e = min(d, e), max(d, e)
    a, d = min(a, d), max(a, d)
    c, f = min(c, f), max(c, f)
    a, b = min(a, b), max(a, b)
    c, d = min(c, d), max(c, d)
    e, f = min(e, f), max(e, f)
    b, c = min(b, c), max(b, c)
    d, e = min(d, e), max(d, e)
    cards[0], cards[1], cards[2] = _CARD_AT[a], _CARD_AT[b], _CARD_AT[c]
    cards[3], cards[4], cards[5] = _CARD_AT[d], _CARD_AT[e], _CARD_AT[f]
