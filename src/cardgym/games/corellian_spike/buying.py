"""Buying a card at Corellian Spike, and where it is placed."""

from __future__ import annotations

from cardgym.engine.contract import State, rule
from cardgym.games.corellian_spike.betting import start_betting
from cardgym.games.corellian_spike.hand import next_in, pay, put_in_pool, weight
from cardgym.games.corellian_spike.piles import (
    card_sum,
    discard,
    discard_from,
    draw_card,
    put_in_hand,
    refill,
    sort_hand,
)
from cardgym.games.corellian_spike.state import (
    BET,
    BOUGHT,
    BUY,
    BUYING,
    COULD_NOT,
    DISCARD,
    DRAWING,
    EMPTY,
    HIGH_SLOT,
    IN_HAND,
    LAID_DOWN,
    LOW_SLOT,
    NEW_SPIKE,
    PASSED,
    PLACING,
    SPIKE_SLOT,
    SWAP_HIGH,
    SWAP_LOW,
)


@rule
def start_buying(state: State) -> None:
    """Start a buying phase at the first seat still in."""
    state.phase = BUYING
    state.turn = next_in(state, 0)


@rule
def buy(state: State, action: int) -> None:
    """Buy a card, or don't."""
    seat, number = state.turn, state.round_number
    state.spike_before[seat, number] = state.cards[seat, SPIKE_SLOT]
    state.purchase[seat, number] = BOUGHT if action == BUY else PASSED if state.stack[seat] >= BET else COULD_NOT
    if action == BUY:
        put_in_pool(state, state.turn, BET)
        state.buys[state.turn] += 1
        state.phase = DRAWING
        refill(state)
    else:
        _next_buyer(state)


@rule
def draw_bought_card(state: State, place: int) -> None:
    """Draw the bought card from a place of the draw pile, and charge for it.

    Its reward is weighted by three quarters of the smallest |sum| that three of the four cards make.
    """
    state.extra = draw_card(state, place)
    seat = state.turn
    total = card_sum(state, seat) + state.extra
    best = abs(total - state.extra)
    for slot in range(3):
        best = min(best, abs(total - state.cards[seat, slot]))
    pay(state, seat, -BET * weight(state, 0.75 * best))
    state.phase = PLACING


@rule
def place_bought_card(state: State, action: int) -> None:
    """Discard the bought card, or swap it with one held."""
    seat, number = state.turn, state.round_number
    if action == DISCARD:
        state.purchase[seat, number] = LAID_DOWN
        state.turned_up[seat, number] = state.extra
        discard(state, state.extra)
        state.public[state.extra + 10] += 1
    else:
        slot = SPIKE_SLOT
        if action == SWAP_LOW:
            slot = LOW_SLOT
        elif action == SWAP_HIGH:
            slot = HIGH_SLOT
        state.purchase[seat, number] = NEW_SPIKE if slot == SPIKE_SLOT else IN_HAND
        state.turned_up[seat, number] = state.extra if slot == SPIKE_SLOT else state.cards[seat, slot]
        discard_from(state, seat, slot)
        put_in_hand(state, seat, slot, state.extra)
        if slot != SPIKE_SLOT:
            state.kept[seat] += 1
    state.extra = EMPTY
    _next_buyer(state)


@rule
def swap_from_sleeve(state: State, action: int) -> None:
    """Keep the hand, or swap a hand card with the one up the sleeve; nobody sees it."""
    seat = state.turn
    state.sleeve = state.extra
    state.extra = EMPTY
    if action != DISCARD:
        slot = LOW_SLOT if action == SWAP_LOW else HIGH_SLOT
        card = state.cards[seat, slot]
        state.cards[seat, slot] = state.sleeve
        state.sleeve = card
        sort_hand(state, seat)


@rule
def _next_buyer(state: State) -> None:
    """Pass the turn to the next seat still in; after the last one start to bet."""
    state.phase = BUYING
    state.turn = next_in(state, state.turn + 1)
    if state.turn == state.num_players:
        start_betting(state)
