"""One Play Poker in words."""

from __future__ import annotations

from cardgym.engine.contract import State, Words
from cardgym.games.one_play_poker.rules import (
    BETTING,
    DRAW,
    EMPTY,
    FLUSH_FIRST,
    NUM_SUITS,
    OVER,
    PASS,
    WIN,
    is_flush,
    is_pair,
    pot,
    result,
)

RANKS = "JQKA"
SUITS = "SHCD"
_SYMBOLS = "♠♥♣♦"


def card_text(card: int) -> str:
    """A card as in policy files, such as `KS` for the king of spades."""
    return RANKS[card // NUM_SUITS] + SUITS[card % NUM_SUITS]


def _shown(hand: State) -> str:
    cards = [int(card) for card in hand if card != EMPTY]
    return "  ".join(RANKS[card // NUM_SUITS] + _SYMBOLS[card % NUM_SUITS] for card in reversed(cards)) or "-"


def _combination(hand: State) -> str:
    if hand[1] == EMPTY:
        return ""
    if is_pair(hand[0], hand[1]):
        return "  (pair)"
    return "  (flush)" if is_flush(hand[0], hand[1]) else ""


def describe(state: State, seat: int) -> str:
    left = int(state.decisions - state.dealt)
    turn = "chance"
    if state.phase == BETTING:
        turn = "the last decision" if left == 0 else f"{left} more decision{'' if left == 1 else 's'} to come"
    elif state.phase == OVER:
        turn = "the game is over"
    order = "flush, pair, high card" if state.ranking == FLUSH_FIRST else "pair, flush, high card"
    return "\n".join(
        [
            f"{int(state.dealt)} of 4 cards out: {turn}",
            f"Pot {pot(state)}; best is {order}",
            f"You    {_shown(state.player)}{_combination(state.player)}",
            f"House  {_shown(state.house)}{_combination(state.house)}",
        ]
    )


def action_text(state: State, action: int) -> str:
    return "don't bet" if action == PASS else f"bet 1 (the pot becomes {pot(state) + 2})"


def narrate(before: State, move: int, after: State, seat: int) -> str:
    """What happened in a move: the card dealt, the bet, the showdown."""
    if before.phase == BETTING:
        words = "You don't bet" if move == PASS else f"You bet 1, so does the house: the pot is {pot(after)}"
    else:
        card = (int(before.deck) - int(after.deck)).bit_length() - 1
        name = RANKS[card // NUM_SUITS] + _SYMBOLS[card % NUM_SUITS]
        words = f"You get {name}" if before.dealt % 2 == 0 else f"The house gets {name}"
    if after.phase == OVER:
        end = result(after)
        how = f"You win the pot of {pot(after)}" if end == WIN else f"The house wins the pot of {pot(after)}"
        words += f"\n{f'A draw: the pot of {pot(after)} is split' if end == DRAW else how}"
    return words


WORDS = Words(describe, action_text, narrate)
