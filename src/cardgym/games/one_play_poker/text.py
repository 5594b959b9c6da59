"""One Play Poker in words: for people at the table, and the states as the paper's policy files write them."""

from __future__ import annotations

from collections.abc import Iterable

from cardgym.engine.contract import Record
from cardgym.games.one_play_poker.observations import states
from cardgym.games.one_play_poker.rules import (
    BETTING,
    DRAW,
    EMPTY,
    FLUSH_FIRST,
    NUM_SUITS,
    OVER,
    PASS,
    WIN,
    OnePlayPokerOptions,
    is_flush,
    is_pair,
    pot,
    result,
)

RANKS = "JQKA"
SUITS = "SHCD"
_SYMBOLS = "♠♥♣♦"


def card_text(card: int) -> str:
    """A card as the policy files write it, such as `KS` for the king of spades."""
    return RANKS[card // NUM_SUITS] + SUITS[card % NUM_SUITS]


def state_text(own: Iterable[int], house: Iterable[int], bets: int) -> str:
    """The paper's state (player, house, pot) with cards as text, such as `AH,KS QD 4`.

    A hand is in alphabetical order, as the paper writes it (section 4, "States"); `-` is a hand without cards.
    """
    hands = (",".join(sorted(card_text(card) for card in hand)) or "-" for hand in (own, house))
    return f"{' '.join(hands)} {2 + 2 * bets}"


def info_state_labels(options: OnePlayPokerOptions) -> list[str]:
    """What policy files call all indices in order; the first is the end."""
    return ["end", *(state_text(own, house, bets) for own, house, bets in states(options))]


def _hands(state: Record) -> tuple[Record, Record]:
    return state.player, state.house


def _shown(hand: Record) -> str:
    cards = [int(card) for card in hand if card != EMPTY]
    return "  ".join(RANKS[card // NUM_SUITS] + _SYMBOLS[card % NUM_SUITS] for card in reversed(cards)) or "-"


def _combination(hand: Record) -> str:
    if hand[1] == EMPTY:
        return ""
    if is_pair(hand[0], hand[1]):
        return "  (pair)"
    return "  (flush)" if is_flush(hand[0], hand[1]) else ""


def describe(state: Record, seat: int) -> str:
    """The table: both hands, the pot, and what there is to decide."""
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


def action_text(state: Record, action: int) -> str:
    """An action in words."""
    return "don't bet" if action == PASS else f"bet 1 (the house too: the pot becomes {pot(state) + 2})"


def narrate(before: Record, move: int, after: Record, seat: int) -> str:
    """What a move looked like: the card dealt, the bet made, the showdown."""
    if before.phase == BETTING:
        told = "You don't bet" if move == PASS else f"You bet 1, so does the house: the pot is {pot(after)}"
    else:
        card = (int(before.deck) - int(after.deck)).bit_length() - 1
        name = RANKS[card // NUM_SUITS] + _SYMBOLS[card % NUM_SUITS]
        told = f"You get {name}" if before.dealt % 2 == 0 else f"The house gets {name}"
    if after.phase == OVER:
        end = result(after)
        how = f"You win the pot of {pot(after)}" if end == WIN else f"The house wins the pot of {pot(after)}"
        told += f"\n{f'A draw: the pot of {pot(after)} is split' if end == DRAW else how}"
    return told


def invariants(state: Record) -> tuple[int, ...]:
    """Every card is in one place: in the deck, in the player's hand or in the house's."""
    places = [1 << int(card) for hand in _hands(state) for card in hand if card != EMPTY]
    return int(state.deck) + sum(places), int(state.deck).bit_count() + len(places)
