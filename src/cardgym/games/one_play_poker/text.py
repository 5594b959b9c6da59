"""One Play Poker in words."""

from __future__ import annotations

from cardgym.engine.contract import Names, State, Words
from cardgym.games.one_play_poker import rules as r

RANKS = "JQKA"
SUITS = "SHCD"
_SYMBOLS = "♠♥♣♦"


def card_text(card: int) -> str:
    """A card as in policy files, such as `KS` for the king of spades."""
    return RANKS[card // r.NUM_SUITS] + SUITS[card % r.NUM_SUITS]


def _name(card: int) -> str:
    """A card as people read it, such as `K♠`."""
    return RANKS[card // r.NUM_SUITS] + _SYMBOLS[card % r.NUM_SUITS]


def _hand_text(hand: State) -> str:
    return "  ".join(_name(int(card)) for card in reversed(hand) if card != r.EMPTY) or "-"


def _combination(hand: State) -> str:
    if hand[1] == r.EMPTY:
        return ""
    if r.is_pair(hand[0], hand[1]):
        return "  (pair)"
    return "  (flush)" if r.is_flush(hand[0], hand[1]) else ""


def order_text(state: State) -> str:
    """The kinds of hands, best first."""
    return "flush, pair, high card" if state.ranking == r.FLUSH_FIRST else "pair, flush, high card"


def outcome_text(state: State, names: Names) -> str:
    """Who gets the pot of a finished game."""
    if r.result(state) == r.DRAW:
        return f"The pot of {r.pot(state)} is split"
    return f"{names.does(0, 'win') if r.result(state) == r.WIN else 'The house wins'} the pot of {r.pot(state)}"


def describe(state: State, seat: int) -> str:
    left = int(state.decisions - state.dealt)
    turn = "chance"
    if state.phase == r.BETTING:
        turn = "the last decision" if left == 0 else f"{left} more decision{'' if left == 1 else 's'} to come"
    elif state.phase == r.OVER:
        turn = "the game is over"
    return "\n".join(
        [
            f"{int(state.dealt)} of 4 cards out: {turn}",
            f"Pot {r.pot(state)}; best is {order_text(state)}",
            f"You    {_hand_text(state.player)}{_combination(state.player)}",
            f"House  {_hand_text(state.house)}{_combination(state.house)}",
        ]
    )


def action_text(state: State, action: int) -> str:
    return "don't bet" if action == r.PASS else f"bet 1 (the pot becomes {r.pot(state) + 2})"


def narrate(before: State, move: int, after: State, seat: int, names: Names) -> str:
    """What happened in a move: the card dealt, the bet, the showdown."""
    if before.phase == r.BETTING:
        words = names.does(0, "don't bet", "doesn't bet")
        if move != r.PASS:
            words = f"{names.does(0, 'bet')} 1, so does the house: the pot is {r.pot(after)}"
    else:
        card = (int(before.deck) - int(after.deck)).bit_length() - 1
        words = f"{names.does(0, 'get') if before.dealt % 2 == 0 else 'The house gets'} {_name(card)}"
    if after.phase == r.OVER:
        drawn = r.result(after) == r.DRAW
        words += f"\nA draw: the pot of {r.pot(after)} is split" if drawn else f"\n{outcome_text(after, names)}"
    return words


WORDS = Words(describe, action_text, narrate)
