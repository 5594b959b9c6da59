"""The 52 cards as numbers and as text.

A card is 13 x suit + rank: suits in the order of `SUITS`, rank 0 the ace and 12 the king. "5H" is the five of
hearts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cardgym.engine.contract import CardgymError

RANKS = "A23456789TJQK"
SUITS = "CDHS"
CARDS = 52
JACK = 10


def card_name(card: int) -> str:
    """The two letters of a card, rank and suit: `card_name(30)` is "5H"."""
    return RANKS[card % 13] + SUITS[card // 13]


def card_names(cards: Iterable[int]) -> str:
    """The names of cards, separated by blanks."""
    return " ".join(card_name(int(card)) for card in cards)


def parse_cards(text: str) -> list[int]:
    """The cards named in a text such as "5H 10d jc", in its order; blanks or commas between them, either case.

    Raises:
        CardgymError: if a name is unknown or a card is named twice.
    """
    cards: list[int] = []
    for name in text.replace(",", " ").split():
        plain = name.upper().replace("10", "T")
        if len(plain) != 2 or plain[0] not in RANKS or plain[1] not in SUITS:
            raise CardgymError(f"unknown card {name!r}: a rank of {RANKS} and a suit of {SUITS}, such as 5H")
        cards.append(13 * SUITS.index(plain[1]) + RANKS.index(plain[0]))
    _check_distinct(cards)
    return cards


def check_cards(cards: Sequence[int], count: int) -> list[int]:
    """The cards as Python integers, checked to be `count` different cards 0 .. 51.

    Raises:
        CardgymError: if there are more or fewer, if one is not a card, or if one is given twice.
    """
    numbers = [int(card) for card in cards]
    if len(numbers) != count:
        raise CardgymError(f"{len(numbers)} cards given where {count} are needed")
    for card in numbers:
        if not 0 <= card < CARDS:
            raise CardgymError(f"card {card} is not one of 0 .. {CARDS - 1}: a card is 13 x suit + rank")
    _check_distinct(numbers)
    return numbers


def _check_distinct(cards: Sequence[int]) -> None:
    for i, card in enumerate(cards):
        if card in cards[:i]:
            raise CardgymError(f"card {card_name(card)} is given twice; all cards must differ")
