"""The rules of Corellian Spike, the Sabacc of the films, for 2 to 8 players.

Source: Torres, Nee and Cortinovis, "How to not lose your starship: Strategy Optimization for Corellian Spike" (2023),
sections 3 and 4. Amounts are whole credits, always even. A card is its value, -10 .. 10; cards have no suits.

This module has the contract's functions and the chance moves, `rounds` the players' decisions, and `hand` the cards,
the ante and the showdown.
"""

from __future__ import annotations

from cardgym.engine.contract import Float64s, Int8s, State, rule
from cardgym.games.corellian_spike import hand, rounds
from cardgym.games.corellian_spike import state as sabacc


@rule
def setup(state: State) -> None:
    """Give everyone the starting credits and collect the first ante."""
    state.hand = 0
    state.pays = 0
    state.last_winner = -1
    state.last_pool = 0
    state.hands_won[:] = 0
    state.showdown_hands[:] = sabacc.EMPTY
    state.stack[:] = 0
    for seat in range(state.num_players):
        state.stack[seat] = state.credits
    hand.start_hand(state)


@rule
def num_chance_outcomes(state: State) -> int:
    """Return the cards left to draw, 36 rolls of two dice, or the players tied for the pool; 0 without chance."""
    phase = state.phase
    if (
        phase == sabacc.BETTING
        or phase == sabacc.BUYING
        or phase == sabacc.PLACING
        or phase == sabacc.OVER
        or phase == sabacc.CHEATING
    ):
        return 0
    if phase == sabacc.DICE:
        return 36
    if phase == sabacc.TIE:
        count = 0
        for seat in range(state.num_players):
            count += state.tied[seat]
        return count
    return int(state.deck_size)


@rule
def current_player(state: State) -> int:
    return -1 if state.phase == sabacc.OVER else int(state.turn)


@rule
def legal_action_mask(state: State, mask: Int8s) -> None:
    """Betting {raise, match, fold}, buying {buy, don't buy} or placing {discard, spike, low, high}.

    A cheat cannot swap its spike at the end: everyone has seen it.
    """
    betting = state.phase == sabacc.BETTING
    buying = state.phase == sabacc.BUYING
    placing = state.phase == sabacc.PLACING
    stack = state.stack[state.turn]
    mask[sabacc.RAISE] = betting & rounds.may_raise(state)
    mask[sabacc.MATCH] = betting
    mask[sabacc.FOLD] = betting
    mask[sabacc.BUY] = buying & (stack >= rounds.card_price(state))
    mask[sabacc.DONT_BUY] = buying
    cheating = state.phase == sabacc.CHEATING
    for action in range(sabacc.DISCARD, sabacc.SWAP_HIGH + 1):
        mask[action] = placing | (cheating & (action != sabacc.SWAP_SPIKE))


@rule
def apply_action(state: State, move: int) -> None:
    """Play an action, or a chance outcome: a place in the draw pile, a roll, or one of the tied seats."""
    state.pays = 0
    phase = state.phase
    if phase == sabacc.BETTING:
        rounds.bet(state, move)
    elif phase == sabacc.BUYING:
        rounds.buy(state, move)
    elif phase == sabacc.PLACING:
        rounds.place_bought_card(state, move)
    elif phase == sabacc.DRAWING:
        rounds.draw_bought_card(state, move)
    elif phase == sabacc.DICE:
        _roll(state, move)
    elif phase == sabacc.TIE:
        for seat in range(state.num_players):
            if state.tied[seat]:
                if move == 0:
                    hand.win(state, seat)
                    return
                move -= 1
    elif phase == sabacc.HIDING:
        state.sleeve = hand.draw_card(state, move)
        rounds.start_betting(state)
    elif phase == sabacc.CHEATING:
        rounds.swap_from_sleeve(state, move)
        hand.showdown(state)
    else:
        hand.put_in_hand(state, state.turn, state.slot, hand.draw_card(state, move))
        _next_card(state)


@rule
def rewards(state: State, out: Float64s) -> None:
    """Add the rewards of the last transition, by the reward model."""
    if state.pays:
        for seat in range(state.num_players):
            out[seat] += state.paid[seat]


@rule
def deal(state: State) -> int:
    """Return the number of the hand: each is dealt from a new deck."""
    return int(state.hand)


@rule
def forfeit(state: State, seat: int) -> float:
    """Its credits and what it put in this hand or, under the paper's rewards, the pool; other seats gain nothing."""
    return -float(state.stack[seat] + (state.put_hand[seat] if state.reward == sabacc.NET else state.pool))


@rule
def score(state: State, seat: int) -> float:
    return float(state.hands_won[seat])


@rule
def max_score(state: State) -> float:
    return float(state.hand)


@rule
def credits_gained(state: State, seat: int) -> float:
    """Credits won since the start; negative if lost."""
    return float(state.stack[seat] - state.credits)


@rule
def bust(state: State, seat: int) -> float:
    """1 with no credits left."""
    return 1.0 if state.stack[seat] == 0 else 0.0


@rule
def canonical(state: State) -> None:
    """Sort the piles, whose order no seat knows, and clear what only the last transition needed."""
    _sort(state.deck, state.deck_size)
    _sort(state.discards, state.discards_size)
    state.pays = 0
    if state.phase != sabacc.REDRAWING:
        state.dice = -1
    elif state.dice > 0:
        state.dice = 7  # All doubles but double ones are the same.
    rolled = state.phase == sabacc.DICE or state.phase == sabacc.REDRAWING or state.phase == sabacc.TIE
    if rolled and state.round_number == state.rounds and state.hand + 1 == state.hands and state.cheat < 0:
        hand.forget_actions(state)  # No decision follows that could depend on them.
        state.level = 0
        state.spike_before[:] = sabacc.EMPTY
        state.turned_up[:] = sabacc.EMPTY


@rule
def _sort(pile: Int8s, size: int) -> None:
    """Sort the first `size` cards, which are nearly sorted already, and clear the other places."""
    for place in range(1, size):
        card = pile[place]
        at = place
        while at > 0 and pile[at - 1] > card:
            pile[at] = pile[at - 1]
            at -= 1
        pile[at] = card
    for place in range(size, pile.shape[0]):
        pile[place] = 0


# -- chance -----------------------------------------------------------------------------------------------------------


@rule
def _next_card(state: State) -> None:
    """Go to the next seat and slot that gets a card; after the last one, start the next phase."""
    first, last = sabacc.LOW_SLOT, sabacc.HIGH_SLOT
    if state.phase == sabacc.SPIKES:
        first, last = sabacc.SPIKE_SLOT, sabacc.SPIKE_SLOT
    elif state.phase == sabacc.REDRAWING and state.dice == 0:
        last = sabacc.SPIKE_SLOT
    if state.slot < last:
        state.slot += 1
    else:
        state.slot = first
        state.turn = hand.next_in(state, state.turn + 1)
    if state.turn < state.num_players:
        hand.refill(state)
    elif state.phase == sabacc.DEALING:
        if state.cheat >= 0:
            state.phase = sabacc.HIDING
            state.turn = state.cheat
        else:
            rounds.start_betting(state)
    elif state.phase == sabacc.SPIKES:
        rounds.start_buying(state)
    else:
        _next_round(state)


@rule
def _roll(state: State, roll: int) -> None:
    """Roll the dice: doubles redraw the hands; double ones (roll 0) redraw the spikes too."""
    state.dice = roll
    if roll // 6 != roll % 6:
        _next_round(state)
        return
    state.fresh_round = state.round_number + 1
    for seat in range(state.num_players):
        if not state.folded[seat]:
            state.kept[seat] = 0
            for slot in range(sabacc.SPIKE_SLOT + 1 if roll == 0 else sabacc.SPIKE_SLOT):
                hand.discard_from(state, seat, slot)
                state.cards[seat, slot] = sabacc.EMPTY
    hand.deal_from(state, sabacc.REDRAWING, sabacc.LOW_SLOT)


@rule
def _next_round(state: State) -> None:
    """Start the next round, or after the last the showdown; before it, a cheat still in may swap a card."""
    if state.round_number < state.rounds:
        state.round_number += 1
        rounds.start_buying(state)
    elif state.cheat >= 0 and not state.folded[state.cheat]:
        state.phase = sabacc.CHEATING
        state.turn = state.cheat
        state.extra = state.sleeve
        state.sleeve = sabacc.EMPTY
    else:
        hand.showdown(state)
