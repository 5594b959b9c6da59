"""The cards of Corellian Spike: draw pile, hands, discard pile, and the counts of those that lie face up."""

from __future__ import annotations

from cardgym.engine.contract import State, rule
from cardgym.games.corellian_spike.state import EMPTY, HIGH_SLOT, LOW_SLOT, SPIKE_SLOT


@rule
def card_sum(state: State, seat: int) -> int:
    """The sum of the cards held: the hand, and the spike once dealt. A bought card does not count yet."""
    total = 0
    for slot in range(3):
        if state.cards[seat, slot] != EMPTY:
            total += int(state.cards[seat, slot])
    return total


@rule
def refill(state: State) -> None:
    """Before a draw: if the draw pile is empty, the discard pile becomes the draw pile."""
    if state.deck_size == 0:
        for card in range(state.discards_size):
            state.deck[card] = state.discards[card]
            state.public[state.discards[card] + 10] -= 1
        state.deck_size = state.discards_size
        state.discards_size = 0


@rule
def draw_card(state: State, place: int) -> int:
    """Take the card at a place of the draw pile."""
    card = state.deck[place]
    state.deck_size -= 1
    state.deck[place] = state.deck[state.deck_size]
    return int(card)


@rule
def discard(state: State, card: int) -> None:
    """Lay a card on the discard pile."""
    state.discards[state.discards_size] = card
    state.discards_size += 1


@rule
def discard_from(state: State, seat: int, slot: int) -> None:
    """Discard a card held. A hand card is now face up; a spike was before."""
    card = state.cards[seat, slot]
    discard(state, card)
    if slot != SPIKE_SLOT:
        state.public[card + 10] += 1


@rule
def put_in_hand(state: State, seat: int, slot: int, card: int) -> None:
    """Put a card in a place of a seat; a spike is face up."""
    state.cards[seat, slot] = card
    if slot == SPIKE_SLOT:
        state.public[card + 10] += 1
    else:
        sort_hand(state, seat)


@rule
def sort_hand(state: State, seat: int) -> None:
    """Keep the two hand cards in order: actions name the lower and the higher."""
    if state.cards[seat, LOW_SLOT] > state.cards[seat, HIGH_SLOT]:
        low = state.cards[seat, HIGH_SLOT]
        state.cards[seat, HIGH_SLOT] = state.cards[seat, LOW_SLOT]
        state.cards[seat, LOW_SLOT] = low
