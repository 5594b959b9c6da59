"""Leduc poker in words."""

from __future__ import annotations

from cardgym.engine.contract import Names, State
from leduc_poker.rules import CALL, FOLD, HIDDEN, SPLIT

RANK_NAMES = ("jack", "queen", "king")


def card_name(card: int) -> str:
    """A card in words; suits never matter."""
    return RANK_NAMES[card // 2] if card != HIDDEN else "not dealt yet"


def describe(state: State, seat: int) -> str:
    """The cards that the seat sees, and what is in the pot."""
    lines = [
        f"Your card: {card_name(state.cards[seat])}",
        f"Public card: {card_name(state.public)}",
        f"In the pot: yours {state.paid_in[seat]}, the opponent's {state.paid_in[1 - seat]}",
    ]
    if state.winner == SPLIT:
        lines.append("The pot is split")
    elif state.winner >= 0:
        lines.append("You take the pot" if state.winner == seat else "The opponent takes the pot")
    return "\n".join(lines)


def action_text(state: State, action: int) -> str:
    """An action in words."""
    if action == FOLD:
        return "fold"
    facing = state.paid_in[1 - state.turn] - state.paid_in[state.turn]
    if action == CALL:
        return f"call {facing}" if facing else "check"
    return f"raise by {2 if state.betting_round == 0 else 4}"


def narrate(before: State, move: int, after: State, seat: int, names: Names) -> str:
    """The cards that the seat sees dealt, what either seat does, and who wins."""
    if before.cards[1] == HIDDEN:
        dealt = 0 if before.cards[0] == HIDDEN else 1
        return f"{names.does(seat, 'are', 'is')} dealt a {card_name(after.cards[seat])}" if seat == dealt else ""
    if before.betting_round == 1 and before.public == HIDDEN:
        return f"The public card is a {card_name(after.public)}"
    verb, space, amount = action_text(before, move).partition(" ")
    text = f"{names.does(before.turn, verb)}{space}{amount}"
    pot = after.paid_in.sum()
    if after.winner == SPLIT:
        text += f"\nThe pot of {pot} is split"
    elif after.winner >= 0:
        text += f"\n{names.does(after.winner, 'win')} the pot of {pot}"
    return text


NEUTRAL = {
    "leduc poker": "a game", "cards": "tokens", "card": "token", "dealt": "given", "pair": "double", "ranks": "sizes",
    "jack": "small one", "queen": "medium one", "king": "large one", "higher": "larger",
    "jacks": "small ones", "queens": "medium ones", "kings": "large ones", "public": "open", "a public": "an open",
    "an ante": "a first payment", "pot": "sum", "showdown": "comparison", "betting": "offers",
    "a raise": "an offer", "raise": "offer", "raises": "offers", "check": "wait", "checks": "waits",
    "a fold": "a refusal", "fold": "refuse", "folds": "refuses", "call": "accept", "calls": "accepts",
}  # fmt: skip
"""The words that recall poker, for players that shall not know the game."""
