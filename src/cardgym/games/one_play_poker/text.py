"""One Play Poker in words."""

from __future__ import annotations

from cardgym.engine.contract import Names, State, Words
from cardgym.games.one_play_poker import rules

RANKS = "JQKA"
SUITS = "SHCD"
_SYMBOLS = "♠♥♣♦"


def card_text(card: int) -> str:
    """Return a card as in policy files, such as `KS` for the king of spades."""
    return RANKS[card // rules.NUM_SUITS] + SUITS[card % rules.NUM_SUITS]


def _name(card: int) -> str:
    """Return a card as people read it, such as `K♠`."""
    return RANKS[card // rules.NUM_SUITS] + _SYMBOLS[card % rules.NUM_SUITS]


def _hand_text(hand: State) -> str:
    return "  ".join(_name(int(card)) for card in reversed(hand) if card != rules.EMPTY) or "-"


def _combination(hand: State) -> str:
    if hand[1] == rules.EMPTY:
        return ""
    if rules.is_pair(hand[0], hand[1]):
        return "  (pair)"
    return "  (flush)" if rules.is_flush(hand[0], hand[1]) else ""


def order_text(state: State) -> str:
    """Return the kinds of hands, best first."""
    return "flush, pair, high card" if state.ranking == rules.FLUSH_FIRST else "pair, flush, high card"


def outcome_text(state: State, names: Names) -> str:
    """Who gets the pot of a finished game."""
    if rules.result(state) == rules.DRAW:
        return f"The pot of {rules.pot(state)} is split"
    wins = names.does(0, "win") if rules.result(state) == rules.WIN else "The house wins"
    return f"{wins} the pot of {rules.pot(state)}"


def describe(state: State, seat: int) -> str:
    left = int(state.decisions - state.dealt)
    turn = "chance"
    if state.phase == rules.BETTING:
        turn = "the last decision" if left == 0 else f"{left} more decision{'' if left == 1 else 's'} to come"
    elif state.phase == rules.OVER:
        turn = "the game is over"
    return "\n".join(
        [
            f"{int(state.dealt)} of 4 cards out: {turn}",
            f"Pot {rules.pot(state)}; best is {order_text(state)}",
            f"You    {_hand_text(state.player)}{_combination(state.player)}",
            f"House  {_hand_text(state.house)}{_combination(state.house)}",
        ]
    )


def action_text(state: State, action: int) -> str:
    return "don't bet" if action == rules.PASS else f"bet 1 (the pot becomes {rules.pot(state) + 2})"


def narrate(before: State, move: int, after: State, seat: int, names: Names) -> str:
    """Return what happened in a move: the card dealt, the bet, the showdown."""
    if before.phase == rules.BETTING:
        words = names.does(0, "don't bet", "doesn't bet")
        if move != rules.PASS:
            words = f"{names.does(0, 'bet')} 1, so does the house: the pot is {rules.pot(after)}"
    else:
        card = (int(before.deck) - int(after.deck)).bit_length() - 1
        words = f"{names.does(0, 'get') if before.dealt % 2 == 0 else 'The house gets'} {_name(card)}"
    if after.phase == rules.OVER:
        drawn = rules.result(after) == rules.DRAW
        words += f"\nA draw: the pot of {rules.pot(after)} is split" if drawn else f"\n{outcome_text(after, names)}"
    return words


def rules_text(state: State) -> str:
    order = "A flush beats a pair, a pair beats a high card."
    if state.ranking != rules.FLUSH_FIRST:
        order = "A pair beats a flush, a flush beats a high card."
    return f"""\
ONE PLAY POKER, you against the house

16 cards: jack, queen, king and ace of each suit. All cards are face up. You and the house put 1 credit each into the
pot. Cards are dealt one by one: to you, to the house, to you, to the house.

After each of the first {state.decisions} cards you may bet 1 credit; the house always bets the same.
You cannot fold.

After four cards the better hand takes the pot, and equal hands share it. {order}
Between hands of the same kind the higher card wins, then the other card; suits do not count."""


NEUTRAL = {
    "one play poker": "a game", "the house": "the other side", "house": "other side", "cards": "tokens",
    "card": "token", "jack, queen, king and ace of each suit": "the numbers 1 to 4, each with the letters a to d",
    "suits": "letters", "credit": "point", "pot": "fund", "dealt": "given", "face up": "in the open", "bet": "add",
    "bets": "adds", "fold": "leave", "hand": "set", "hands": "sets", "a flush": "one letter", "flush": "one letter",
    "a pair": "one number", "pair": "one number", "a high card": "any other set", "high card": "any other set",
} | {f"{rank}{sign}".lower(): f"{number}{letter}" for number, rank in enumerate(RANKS, 1)
     for letter, sign in zip("abcd", _SYMBOLS, strict=True)}  # fmt: skip
"""The words that recall poker, for players that shall not know the game."""

WORDS = Words(describe, action_text, narrate, rules_text=rules_text, neutral=NEUTRAL)
