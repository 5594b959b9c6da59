"""The cards of One Play Poker."""

from __future__ import annotations

from cardgym.games.one_play_poker.text import RANKS, SUITS
from cardgym.table.drawings.playing_cards import pack
from cardgym.table.drawings.shapes import Symbol


def symbols() -> dict[str, Symbol]:
    """The sixteen cards, and a place for one not dealt yet."""
    return pack(RANKS, SUITS)
