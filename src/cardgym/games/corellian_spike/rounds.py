"""The rounds of a hand: buying and placing a card; raising, matching and folding, unless nobody bets."""

from __future__ import annotations

from cardgym.engine.contract import State, rule
from cardgym.games.corellian_spike import hand
from cardgym.games.corellian_spike import state as sabacc


@rule
def start_betting(state: State) -> None:
    state.level = 0
    state.put_phase[:] = 0
    state.phase = sabacc.BETTING
    state.turn = -1
    state.turns_left = state.num_players
    _next_better(state)


@rule
def _next_better(state: State) -> None:
    """Pass the turn to the next seat that can bet; after the last one, deal the spikes or roll the dice."""
    while state.turns_left > 0:
        state.turns_left -= 1
        state.turn = state.turn + 1 if state.turn + 1 < state.num_players else 0
        may_bet = (state.stack[state.turn] > 0) & (state.betting != sabacc.NO_BETTING)
        if may_bet and not state.folded[state.turn]:
            return
    if state.round_number == 0:
        state.round_number = 1
        hand.deal_from(state, sabacc.SPIKES, sabacc.SPIKE_SLOT)
    else:
        state.phase = sabacc.DICE


@rule
def owed(state: State, seat: int) -> int:
    """Return the credits that a match would cost `seat` now."""
    due = state.level
    if state.betting == sabacc.MATCHED:
        due = state.level - state.put_phase[seat]
    return min(int(due), int(state.stack[seat]))


@rule
def raise_cost(state: State) -> int:
    """Return the credits that a raise would cost the seat to move."""
    if state.betting == sabacc.MATCHED:
        return int(state.level - state.put_phase[state.turn]) + sabacc.BET
    return sabacc.BET


@rule
def may_raise(state: State) -> bool:
    """Whether the seat to move has the credits to raise and has not used up the option `max_raises` in this hand."""
    left = (state.max_raises == 0) | (state.raises[state.turn] < state.max_raises)
    return bool(left & (state.stack[state.turn] >= raise_cost(state)))


@rule
def _record(state: State, seat: int, action: int) -> None:
    """Count the bet by kind, for beliefs. A fold has no kind, nor does a free match without the right to raise: there
    the seat has no real choice.
    """
    pays, chooses = owed(state, seat) > 0, may_raise(state)
    kind = sabacc.OPENED + pays if action == sabacc.RAISE else sabacc.CHECKED + pays * (2 - chooses)
    counted = state.bets[seat, state.round_number, kind]
    state.bets[seat, state.round_number, kind] = min(
        counted + ((action != sabacc.FOLD) & (pays | chooses)), sabacc.MAX_BETS
    )


@rule
def bet(state: State, action: int) -> None:
    seat = state.turn
    _record(state, seat, action)
    if action == sabacc.FOLD:
        state.folded[seat] = 1
        left = hand.next_in(state, 0)
        if hand.next_in(state, left + 1) == state.num_players:
            hand.win(state, left)
            return
    else:
        paid = raise_cost(state) if action == sabacc.RAISE else owed(state, seat)
        hand.pay(state, seat, -paid * hand.weight(state, abs(hand.card_sum(state, seat))))
        hand.put_in_pool(state, seat, paid)
        state.put_phase[seat] += paid
        if action == sabacc.RAISE:
            state.level = sabacc.BET if state.betting == sabacc.FLAT else state.level + sabacc.BET
            state.raises[seat] += 1
            state.turns_left = state.num_players - 1
    _next_better(state)


@rule
def card_price(state: State) -> int:
    """Return what a card costs: nothing where nobody bets."""
    return 0 if state.betting == sabacc.NO_BETTING else sabacc.BET


@rule
def start_buying(state: State) -> None:
    state.phase = sabacc.BUYING
    state.turn = hand.next_in(state, 0)


@rule
def buy(state: State, action: int) -> None:
    seat, number = state.turn, state.round_number
    state.spike_before[seat, number] = state.cards[seat, sabacc.SPIKE_SLOT]
    state.purchase[seat, number] = (
        sabacc.BOUGHT
        if action == sabacc.BUY
        else sabacc.PASSED
        if state.stack[seat] >= card_price(state)
        else sabacc.COULD_NOT
    )
    if action == sabacc.BUY:
        hand.put_in_pool(state, state.turn, card_price(state))
        state.buys[state.turn] += 1
        state.phase = sabacc.DRAWING
        hand.refill(state)
    else:
        _next_buyer(state)


@rule
def draw_bought_card(state: State, place: int) -> None:
    """Draw the bought card from a place of the draw pile, and charge for it.

    The weighted reward uses three quarters of the smallest |sum| of three of the four cards.
    """
    state.extra = hand.draw_card(state, place)
    seat = state.turn
    total = hand.card_sum(state, seat) + state.extra
    best = abs(total - state.extra)
    for slot in range(3):
        best = min(best, abs(total - state.cards[seat, slot]))
    hand.pay(state, seat, -card_price(state) * hand.weight(state, 0.75 * best))
    state.phase = sabacc.PLACING


@rule
def place_bought_card(state: State, action: int) -> None:
    """Discard the bought card, or swap it with one held."""
    seat, number = state.turn, state.round_number
    if action == sabacc.DISCARD:
        state.purchase[seat, number] = sabacc.LAID_DOWN
        state.turned_up[seat, number] = state.extra
        hand.discard(state, state.extra)
        state.public[state.extra + 10] += 1
    else:
        slot = hand.slot_of(action)
        state.purchase[seat, number] = sabacc.NEW_SPIKE if slot == sabacc.SPIKE_SLOT else sabacc.IN_HAND
        state.turned_up[seat, number] = state.extra if slot == sabacc.SPIKE_SLOT else state.cards[seat, slot]
        hand.discard_from(state, seat, slot)
        hand.put_in_hand(state, seat, slot, state.extra)
        if slot != sabacc.SPIKE_SLOT:
            state.kept[seat] += 1
    state.extra = sabacc.EMPTY
    _next_buyer(state)


@rule
def swap_from_sleeve(state: State, action: int) -> None:
    """Keep the hand, or secretly swap a hand card with the one up the sleeve."""
    seat = state.turn
    state.sleeve = state.extra
    state.extra = sabacc.EMPTY
    if action != sabacc.DISCARD:
        slot = hand.slot_of(action)
        card = state.cards[seat, slot]
        state.cards[seat, slot] = state.sleeve
        state.sleeve = card
        hand.sort_hand(state, seat)


@rule
def _next_buyer(state: State) -> None:
    """Pass the turn to the next seat still in; after the last one, start betting."""
    state.phase = sabacc.BUYING
    state.turn = hand.next_in(state, state.turn + 1)
    if state.turn == state.num_players:
        start_betting(state)
