"""The rules of One Play Poker: one player against a house that duplicates every bet.

Source: Bastiaan and Krabben, "One Play Poker", assignment 1 of Decision Making in Intelligent Systems, sections 1, 3
and 4. All cards are face up. Where the paper contradicts itself, an option selects the reading.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cardgym.engine.contract import Int8s, Options, State, choice, number, rule

NUM_RANKS = 4  # Jack, queen, king, ace.
NUM_SUITS = 4  # Spades, hearts, clubs, diamonds.
NUM_CARDS = NUM_RANKS * NUM_SUITS  # A card is rank x 4 + suit.
NUM_DEALT = 4
EMPTY = -1  # Marks a slot without a card.

PASS, BET = range(2)  # An action is the amount of the bet.
NUM_ACTIONS = 2

DEALING, BETTING, OVER = range(3)  # Phases.
FLUSH_FIRST, PAIR_FIRST = range(2)  # Option `ranking`.
LOSS, DRAW, WIN = range(3)  # The number of halves of the pot that the player gets.

STATE = np.dtype(
    [
        # Options, set once.
        ("num_players", np.int32),
        ("decisions", np.int32),
        ("ranking", np.int32),
        # The game. Hands are sorted, so that the order of two cards does not make two states.
        ("phase", np.int32),
        ("dealt", np.int32),  # Cards out.
        ("bets", np.int32),  # Bets the player has made.
        ("deck", np.int32),  # The cards not yet dealt: bit `card` is set.
        ("player", np.int8, (2,)),
        ("house", np.int8, (2,)),
        ("paid", np.float32, (1,)),
    ],
    align=True,
)


@dataclass(frozen=True)
class OnePlayPokerOptions(Options):
    num_players: ClassVar[int] = 1
    decisions: int = number(3, 3, 4, help="decisions in a game: after each of the first three or of all four cards")
    ranking: str = choice("flush_first", "pair_first", help="which of flush and pair is the better hand")


# -- the contract -----------------------------------------------------------------------------------------------------


@rule
def setup(state: State) -> None:
    """Take the antes; no card is dealt yet."""
    state.phase = DEALING
    state.dealt = 0
    state.bets = 0
    state.deck = (1 << NUM_CARDS) - 1
    state.player[:] = EMPTY
    state.house[:] = EMPTY


@rule
def num_chance_outcomes(state: State) -> int:
    """Return the cards left to draw from; 0 at a decision or the end."""
    return NUM_CARDS - int(state.dealt) if state.phase == DEALING else 0


@rule
def current_player(state: State) -> int:
    return -1 if state.phase == OVER else 0


@rule
def legal_action_mask(state: State, mask: Int8s) -> None:
    """At a decision both actions are legal."""
    mask[PASS] = mask[BET] = 1 if state.phase == BETTING else 0


@rule
def apply_action(state: State, move: int) -> None:
    """Play a bet of 0 or 1, or deal card number `move` of the remaining ones."""
    if state.phase == BETTING:
        state.bets += move
        state.paid[0] = -move
        if state.dealt == NUM_DEALT:
            _end(state)
        else:
            state.phase = DEALING
        return
    _deal(state, move)
    if state.dealt == NUM_DEALT and state.decisions < NUM_DEALT:
        _end(state)
    else:
        state.phase = BETTING


@rule
def forfeit(state: State, seat: int) -> float:
    """Charge nothing more for a forfeit: it leaves the pot to the house."""
    return 0.0


def invariants(state: State) -> tuple[int, ...]:
    """Return the cards in the deck and both hands as bits, and their number: every card is in exactly one place."""
    dealt = [1 << int(card) for hand in (state.player, state.house) for card in hand if card != EMPTY]
    return int(state.deck) + sum(dealt), int(state.deck).bit_count() + len(dealt)


@rule
def score(state: State, seat: int) -> float:
    """1 for a win, 1/2 for a draw, 0 for a loss."""
    return result(state) / 2.0


@rule
def net_profit(state: State, seat: int) -> float:
    """Return the player's net result, ante included; a game that was forfeited leaves the pot to the house."""
    share = result(state) / 2.0 if state.phase == OVER else 0.0
    return pot(state) * share - float(state.bets) - 1.0


@rule
def bets_made(state: State, seat: int) -> float:
    return float(state.bets)


# -- cards and hands --------------------------------------------------------------------------------------------------


@rule
def _deal(state: State, place: int) -> None:
    """Deal card number `place` of the remaining ones: to the player, the house, the player, the house."""
    card = 0
    while True:
        if state.deck >> card & 1:
            if place == 0:
                break
            place -= 1
        card += 1
    state.deck -= 1 << card
    if state.dealt % 2 == 0:
        _put_in_hand(state.player, card)
    else:
        _put_in_hand(state.house, card)
    state.dealt += 1


@rule
def _put_in_hand(hand: Int8s, card: int) -> None:
    if hand[0] == EMPTY:
        hand[0] = card
    elif hand[0] < card:
        hand[1] = card
    else:
        hand[1] = hand[0]
        hand[0] = card


@rule
def pot(state: State) -> int:
    """Return the pot: two antes, and two for each bet."""
    return 2 + 2 * int(state.bets)


@rule
def _end(state: State) -> None:
    state.phase = OVER
    state.paid[0] += pot(state) * result(state) / 2.0


@rule
def result(state: State) -> int:
    """LOSS, DRAW or WIN of the four cards out."""
    own = hand_rank(state.ranking, state.player[0], state.player[1])
    other = hand_rank(state.ranking, state.house[0], state.house[1])
    if own == other:
        return DRAW
    return WIN if own > other else LOSS


@rule
def hand_rank(ranking: int, low: int, high: int) -> int:
    """Return the rank of a sorted hand: its class, then its high card, then its kicker. Suits do not count."""
    best = 0
    if is_pair(low, high):
        best = 1 if ranking == FLUSH_FIRST else 2
    elif is_flush(low, high):
        best = 2 if ranking == FLUSH_FIRST else 1
    return (best * NUM_RANKS + int(high) // NUM_SUITS) * NUM_RANKS + int(low) // NUM_SUITS


@rule
def is_pair(low: int, high: int) -> bool:
    return int(low) // NUM_SUITS == int(high) // NUM_SUITS


@rule
def is_flush(low: int, high: int) -> bool:
    return int(low) % NUM_SUITS == int(high) % NUM_SUITS


# -- symmetry ---------------------------------------------------------------------------------------------------------

SUIT_ORDERS = np.array(list(itertools.permutations(range(NUM_SUITS))), np.int8)
"""The 24 ways to rename the suits."""


@rule
def canonical(state: State) -> None:
    """Rename the suits to a canonical form, so that states that differ only in suit names become equal.

    Of the 24 renamings it picks the one whose cards (own hand first, hands sorted) are lexicographically smallest.
    """
    best = NUM_CARDS**NUM_DEALT
    chosen = 0
    for order in range(SUIT_ORDERS.shape[0]):
        key = _hand_key(state.player, order) * NUM_CARDS**2 + _hand_key(state.house, order)
        if key < best:
            best = key
            chosen = order
    deck = 0
    for card in range(NUM_CARDS):
        if state.deck >> card & 1:
            deck += 1 << _renamed(card, chosen)
    state.deck = deck
    _rename_hand(state.player, chosen)
    _rename_hand(state.house, chosen)


@rule
def _renamed(card: int, order: int) -> int:
    return int(card) // NUM_SUITS * NUM_SUITS + int(SUIT_ORDERS[order, int(card) % NUM_SUITS])


@rule
def _hand_key(hand: Int8s, order: int) -> int:
    if hand[0] == EMPTY:
        return 0
    first = _renamed(hand[0], order)
    if hand[1] == EMPTY:
        return first
    second = _renamed(hand[1], order)
    return min(first, second) * NUM_CARDS + max(first, second)


@rule
def _rename_hand(hand: Int8s, order: int) -> None:
    low, high = int(hand[0]), int(hand[1])
    hand[0] = hand[1] = EMPTY
    for card in (low, high):
        if card != EMPTY:
            _put_in_hand(hand, _renamed(card, order))
