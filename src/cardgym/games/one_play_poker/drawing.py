"""The cards of One Play Poker."""

from __future__ import annotations

from cardgym.drawing.playing_cards import pack
from cardgym.drawing.shapes import Symbol
from cardgym.games.one_play_poker.text import RANKS, SUITS


def symbols() -> dict[str, Symbol]:
    """The sixteen cards, and a place for one not dealt yet."""
    return pack(RANKS, SUITS)
