"""Kuhn poker in words."""

from __future__ import annotations

from cardgym.engine.contract import State
from kuhn_poker.rules import BET, HIDDEN

CARD_NAMES = ("jack", "queen", "king")


def describe(state: State, seat: int) -> str:
    """The own card and the bets."""
    card = CARD_NAMES[state.cards[seat]] if state.cards[seat] != HIDDEN else "no card yet"
    lines = [f"Your card: {card}", f"Bets: yours {state.bets[seat]}, the other's {state.bets[1 - seat]}"]
    if state.winner >= 0:
        lines.append("You take the pot" if state.winner == seat else "The other takes the pot")
    return "\n".join(lines)


def action_text(state: State, action: int) -> str:
    """An action in words."""
    facing = state.bets[1 - state.moves % 2] == 1
    if action == BET:
        return "call" if facing else "bet"
    return "fold" if facing else "check"


def narrate(before: State, move: int, after: State, seat: int) -> str:
    """The own card as it is dealt, and what either seat does."""
    if before.cards[1] == HIDDEN:
        dealt = 0 if before.cards[0] == HIDDEN else 1
        return f"You are dealt the {CARD_NAMES[after.cards[seat]]}" if seat == dealt else ""
    turn = before.moves % 2
    return f"{'You' if turn == seat else 'The other'}: {action_text(before, move)}"
