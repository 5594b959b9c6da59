"""Numbers of a card by its rank, looked up: its worth, its place in a sorted hand, its place in a count of ranks.

Looking up is faster than dividing, and both are faster than a branch, because half of all branches on a random card are
mispredicted. The arrays have 64 entries, so that `card & 63` is always in range and never negative, and compiled code
needs no check.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import rule
from cardgym.games.cribbage.cards import CARDS

EMPTY = -1
"""No card."""

_ROOM = 64
_RANK = np.array([card % 13 for card in range(_ROOM)], np.int8)
_WORTH = np.array([min(card % 13 + 1, 10) if card < CARDS else 99 for card in range(_ROOM)], np.int8)
_PLACE = np.array([card % 13 * 4 + card // 13 for card in range(_ROOM)], np.int8)
_CARD_AT = np.argsort(_PLACE[:CARDS]).astype(np.int8)

ONE_OF_RANK = np.array([1 << 4 * (card % 13) if card < CARDS else 0 for card in range(_ROOM)], np.int64)
"""(64,), int64, by `card & 63`: one card of its rank in a word that counts cards, four bits a rank; EMPTY is 0."""
FOUR_OF_EACH = sum(4 << 4 * rank for rank in range(13))
"""The word that counts four cards of every rank."""


@rule
def worth(card: int) -> int:
    """What a card adds to the count: ace 1, face cards 10. EMPTY is worth 99, which never fits."""
    return int(_WORTH[card & 63])


@rule
def rank_of(card: int) -> int:
    """The rank of a card, 0 (ace) .. 12 (king)."""
    return int(_RANK[card & 63])


@rule
def sort_in(cards: npt.NDArray[np.int8], size: int, card: int) -> None:
    """Insert `card` into the first `size` cards, which are sorted by rank, then suit."""
    place = int(size)
    while place > 0 and _PLACE[cards[place - 1] & 63] > _PLACE[card & 63]:
        cards[place] = cards[place - 1]
        place -= 1
    cards[place] = card


@rule
def sort_six(cards: npt.NDArray[np.int8]) -> None:
    """Sort six cards by rank, then suit, with a sorting network of twelve comparisons."""
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
