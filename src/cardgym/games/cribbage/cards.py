"""The 52 cards as numbers and as text, and what their ranks are worth.

A card is 13 x suit + rank, with suits in the order of `SUITS` and ranks from 0, the ace, to 12, the king. Commands
write the five of hearts as "5H"; people read "5♥".
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cardgym.engine.contract import Int8s, rule

RANKS = "A23456789TJQK"
SUITS = "CDHS"
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
_SIGNS = "♣♦♥♠"
CARDS = 52
JACK = 10
NUMBERS = (
    *("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
"""Numbers of points and cards in words."""


def card_name(card: int) -> str:
    """Return a card as people read it: `card_name(30)` is "5♥", `card_name(9)` "10♣"."""
    return RANKS[card % 13].replace("T", "10") + _SIGNS[card // 13]


def card_names(cards: Iterable[int]) -> str:
    return " ".join(card_name(int(card)) for card in cards)


EMPTY = -1
"""No card."""

_ROOM = 64
_RANK = np.array([card % 13 for card in range(_ROOM)], np.int8)
_WORTH = np.array([min(card % 13 + 1, 10) if card < CARDS else 99 for card in range(_ROOM)], np.int8)
_PLACE = np.array([card % 13 * 4 + card // 13 if card < CARDS else CARDS for card in range(_ROOM)], np.int8)
_CARD_AT = np.append(np.argsort(_PLACE[:CARDS]), -1).astype(np.int8)

ONE_OF_RANK = np.array([1 << 4 * (card % 13) if card < CARDS else 0 for card in range(_ROOM)], np.int64)
"""(64,), int64, by `card & 63`: one card of its rank in a word that counts cards, four bits per rank; 0 for EMPTY."""


@rule
def worth(card: int) -> int:
    """Return what a card adds to the count: ace 1, face cards 10. EMPTY is worth 99, which never fits."""
    return int(_WORTH[card & 63])


@rule
def rank_of(card: int) -> int:
    """Return the rank of a card, 0 (ace) .. 12 (king)."""
    return int(_RANK[card & 63])


@rule
def holds(cards: Int8s, card: int) -> bool:
    """Whether `card` is one of `cards`."""
    found = False
    for held in cards:
        found = found or held == card
    return found


@rule
def sort_in(cards: Int8s, size: int, card: int) -> None:
    """Insert `card` into the first `size` cards, sorted by rank, then suit."""
    place = int(size)
    while place > 0 and _PLACE[cards[place - 1] & 63] > _PLACE[card & 63]:
        cards[place] = cards[place - 1]
        place -= 1
    cards[place] = card


@rule
def sort_six(cards: Int8s) -> None:
    """Sort six cards by rank, then suit, EMPTY last, with a sorting network of twelve comparisons."""
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
