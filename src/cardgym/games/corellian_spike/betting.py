"""Betting at Corellian Spike: raise, match or fold, by flat or by matched stakes."""

from __future__ import annotations

from cardgym.engine.contract import State, rule
from cardgym.games.corellian_spike.hand import deal_from, next_in, pay, put_in_pool, weight, win
from cardgym.games.corellian_spike.piles import card_sum
from cardgym.games.corellian_spike.state import (
    BET,
    BETTING,
    CHECKED,
    DICE,
    FLAT,
    FOLD,
    MATCHED,
    MOST_BETS,
    OPENED,
    RAISE,
    SPIKE_SLOT,
    SPIKES,
)


@rule
def start_betting(state: State) -> None:
    """Start a betting phase at seat 0."""
    state.level = 0
    for seat in range(state.num_players):
        state.put_phase[seat] = 0
    state.phase = BETTING
    state.turn = -1
    state.turns_left = state.num_players
    _next_better(state)


@rule
def _next_better(state: State) -> None:
    """Pass the turn to the next seat that can bet; after the last one deal the spikes or roll the dice."""
    while state.turns_left > 0:
        state.turns_left -= 1
        state.turn = state.turn + 1 if state.turn + 1 < state.num_players else 0
        if not state.folded[state.turn] and state.stack[state.turn] > 0:
            return
    if state.round_number == 0:
        state.round_number = 1
        deal_from(state, SPIKES, SPIKE_SLOT)
    else:
        state.phase = DICE


@rule
def owed(state: State, seat: int) -> int:
    """What a match would cost `seat` now, in credits."""
    due = state.level
    if state.betting == MATCHED:
        due = state.level - state.put_phase[seat]
    return min(int(due), int(state.stack[seat]))


@rule
def raise_cost(state: State) -> int:
    """What a raise would cost the seat whose turn it is, in credits."""
    if state.betting == MATCHED:
        return int(state.level - state.put_phase[state.turn]) + BET
    return BET


@rule
def _record(state: State, seat: int, action: int) -> None:
    """Count the bet among those of its kind."""
    pays = owed(state, seat) > 0
    kind = OPENED + pays if action == RAISE else CHECKED + pays * (1 + (state.stack[seat] < raise_cost(state)))
    counted = state.bets[seat, state.round_number, kind]
    state.bets[seat, state.round_number, kind] = min(counted + (action != FOLD), MOST_BETS)


@rule
def bet(state: State, action: int) -> None:
    """Raise, match or fold."""
    seat = state.turn
    _record(state, seat, action)
    if action == FOLD:
        state.folded[seat] = 1
        left = next_in(state, 0)
        if next_in(state, left + 1) == state.num_players:
            win(state, left)
            return
    else:
        paid = raise_cost(state) if action == RAISE else owed(state, seat)
        pay(state, seat, -paid * weight(state, abs(card_sum(state, seat))))
        put_in_pool(state, seat, paid)
        state.put_phase[seat] += paid
        if action == RAISE:
            state.level = BET if state.betting == FLAT else state.level + BET
            state.raises[seat] += 1
            state.turns_left = state.num_players - 1
    _next_better(state)
