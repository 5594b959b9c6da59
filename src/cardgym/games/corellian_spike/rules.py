"""The rules of Corellian Spike, the Sabacc of the films, for 2 to 8 players.

Source: Torres, Nee and Cortinovis, "How to not lose your starship: Strategy Optimization for Corellian Spike" (2023),
sections 3 and 4. Amounts are whole credits, always even. A card is its value, -10 .. 10; cards have no suits.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Record, rule
from cardgym.games.corellian_spike.piles import card_sum, discard, discard_from, draw_card, put_in_hand, refill
from cardgym.games.corellian_spike.state import (
    BET,
    BETTING,
    BUY,
    BUYING,
    DEALING,
    DECK,
    DICE,
    DISCARD,
    DONT_BUY,
    DRAWING,
    EMPTY,
    FLAT,
    FOLD,
    HIGH_SLOT,
    LOW_SLOT,
    MATCH,
    MATCHED,
    MAX_PLAYERS,
    NUM_CARDS,
    NUM_VALUES,
    OVER,
    PLACING,
    RAISE,
    REDRAWING,
    SPIKE_SLOT,
    SPIKES,
    SWAP_HIGH,
    SWAP_LOW,
    TIE,
    WEIGHTED,
)

# -- the contract -----------------------------------------------------------------------------------------------------


@rule
def setup(state: Record) -> None:
    """Everyone has the starting credits and pays the first ante."""
    state.hand = 0
    state.pays = 0
    state.last_winner = -1
    state.last_pool = 0
    for seat in range(MAX_PLAYERS):
        state.stack[seat] = state.credits if seat < state.num_players else 0
        state.hands_won[seat] = 0
        for slot in range(3):
            state.shown[seat, slot] = EMPTY
            state.cards[seat, slot] = EMPTY
    _start_hand(state)


@rule
def num_chance_outcomes(state: Record) -> int:
    """Cards to draw from, 36 rolls of two dice, or players tied for the pool; 0 at a decision or the end."""
    phase = state.phase
    if phase == BETTING or phase == BUYING or phase == PLACING or phase == OVER:
        return 0
    if phase == DICE:
        return 36
    if phase == TIE:
        count = 0
        for seat in range(state.num_players):
            count += state.tied[seat]
        return count
    return int(state.deck_size)


@rule
def current_player(state: Record) -> int:
    """The seat to decide; -1 at the end."""
    return -1 if state.phase == OVER else int(state.turn)


@rule
def legal_action_mask(state: Record, mask: npt.NDArray[np.int8]) -> None:
    """Betting {raise, match, fold}, buying {buy, don't buy} or placing {discard, spike, low, high}."""
    betting = state.phase == BETTING
    buying = state.phase == BUYING
    placing = state.phase == PLACING
    stack = state.stack[state.turn]
    mask[RAISE] = betting & (stack >= _raise_cost(state))
    mask[MATCH] = betting
    mask[FOLD] = betting
    mask[BUY] = buying & (stack >= BET)
    mask[DONT_BUY] = buying
    for action in range(DISCARD, SWAP_HIGH + 1):
        mask[action] = placing


@rule
def apply_action(state: Record, move: int) -> None:
    """Play an action, or a chance outcome: a place in the draw pile, a roll, or one of those tied."""
    state.pays = 0
    phase = state.phase
    if phase == BETTING:
        _bet(state, move)
    elif phase == BUYING:
        _buy(state, move)
    elif phase == PLACING:
        _place(state, move)
    elif phase == DRAWING:
        state.extra = draw_card(state, move)
        _pay_for_card(state)
        state.phase = PLACING
    elif phase == DICE:
        _roll(state, move)
    elif phase == TIE:
        for seat in range(state.num_players):
            if state.tied[seat]:
                if move == 0:
                    _win(state, seat)
                    return
                move -= 1
    else:
        put_in_hand(state, state.turn, state.slot, draw_card(state, move))
        _next_card(state)


@rule
def rewards(state: Record, out: npt.NDArray[np.float64]) -> None:
    """Add what the last transition paid, by the reward model."""
    if state.pays:
        for seat in range(state.num_players):
            out[seat] += state.reward[seat]


@rule
def deal(state: Record) -> int:
    """A new deck is shuffled for every hand."""
    return int(state.hand)


@rule
def forfeit(state: Record, seat: int) -> float:
    """Who gives up leaves every credit and the pool on the table."""
    return -float(state.stack[seat] + state.pool)


@rule
def score(state: Record, seat: int) -> float:
    """Hands won."""
    return float(state.hands_won[seat])


@rule
def max_score(state: Record) -> float:
    """Hands played."""
    return float(state.hand)


@rule
def credits_gained(state: Record, seat: int) -> float:
    """Credits more, or fewer, than at the start."""
    return float(state.stack[seat] - state.credits)


@rule
def bust(state: Record, seat: int) -> float:
    """1 with no credits left."""
    return 1.0 if state.stack[seat] == 0 else 0.0


# -- a hand, from the ante to the pool --------------------------------------------------------------------------------


@rule
def _start_hand(state: Record) -> None:
    for card in range(NUM_CARDS):
        state.deck[card] = DECK[card]
    for value in range(NUM_VALUES):
        state.public[value] = 0
    state.deck_size = NUM_CARDS
    state.discards_size = 0
    state.extra = EMPTY
    state.round_number = 0
    state.pool = 0
    state.dice = -1
    for seat in range(state.num_players):
        for slot in range(3):
            state.cards[seat, slot] = EMPTY
        state.folded[seat] = 0
        state.tied[seat] = 0
        state.put_phase[seat] = 0
        state.put_hand[seat] = 0
        state.raises[seat] = 0
        state.buys[seat] = 0
        state.kept[seat] = 0
        _put(state, seat, BET)
    state.phase = DEALING
    state.turn = 0
    state.slot = LOW_SLOT


@rule
def _next_card(state: Record) -> None:
    """Find who is dealt the next card of this phase, and where; or go on to the next phase."""
    first, last = LOW_SLOT, HIGH_SLOT
    if state.phase == SPIKES:
        first, last = SPIKE_SLOT, SPIKE_SLOT
    elif state.phase == REDRAWING and state.dice == 0:
        last = SPIKE_SLOT
    if state.slot < last:
        state.slot += 1
    else:
        state.slot = first
        state.turn = _next_in(state, state.turn + 1)
    if state.turn < state.num_players:
        refill(state)
    elif state.phase == DEALING:
        _start_betting(state)
    elif state.phase == SPIKES:
        _start_buying(state)
    else:
        _after_dice(state)


@rule
def _start_betting(state: Record) -> None:
    state.level = 0
    for seat in range(state.num_players):
        state.put_phase[seat] = 0
    state.phase = BETTING
    state.turn = -1
    state.turns_left = state.num_players
    _next_better(state)


@rule
def _next_better(state: Record) -> None:
    while state.turns_left > 0:
        state.turns_left -= 1
        state.turn = state.turn + 1 if state.turn + 1 < state.num_players else 0
        if not state.folded[state.turn] and state.stack[state.turn] > 0:
            return
    if state.round_number == 0:
        state.round_number = 1
        _deal_from(state, SPIKES, SPIKE_SLOT)
    else:
        state.phase = DICE


@rule
def owed(state: Record, seat: int) -> int:
    """What a match would cost `seat` now, in credits."""
    due = state.level
    if state.betting == MATCHED:
        due = state.level - state.put_phase[seat]
    return min(int(due), int(state.stack[seat]))


@rule
def _raise_cost(state: Record) -> int:
    if state.betting == MATCHED:
        return int(state.level - state.put_phase[state.turn]) + BET
    return BET


@rule
def _bet(state: Record, action: int) -> None:
    seat = state.turn
    if action == FOLD:
        state.folded[seat] = 1
        left = _next_in(state, 0)
        if _next_in(state, left + 1) == state.num_players:
            _win(state, left)
            return
    else:
        paid = _raise_cost(state) if action == RAISE else owed(state, seat)
        _pay(state, seat, -paid * _weight(state, abs(card_sum(state, seat))))
        _put(state, seat, paid)
        state.put_phase[seat] += paid
        if action == RAISE:
            state.level = BET if state.betting == FLAT else state.level + BET
            state.raises[seat] += 1
            state.turns_left = state.num_players - 1
    _next_better(state)


@rule
def _start_buying(state: Record) -> None:
    state.phase = BUYING
    state.turn = _next_in(state, 0)


@rule
def _buy(state: Record, action: int) -> None:
    if action == BUY:
        _put(state, state.turn, BET)
        state.buys[state.turn] += 1
        state.phase = DRAWING
        refill(state)
    else:
        _next_buyer(state)


@rule
def _pay_for_card(state: Record) -> None:
    """The reward of buying: weighted by three quarters of the best |sum| the bought card allows."""
    seat = state.turn
    total = card_sum(state, seat) + state.extra
    best = abs(total - state.extra)
    for slot in range(3):
        best = min(best, abs(total - state.cards[seat, slot]))
    _pay(state, seat, -BET * _weight(state, 0.75 * best))


@rule
def _place(state: Record, action: int) -> None:
    seat = state.turn
    if action == DISCARD:
        discard(state, state.extra)
        state.public[state.extra + 10] += 1
    else:
        slot = SPIKE_SLOT
        if action == SWAP_LOW:
            slot = LOW_SLOT
        elif action == SWAP_HIGH:
            slot = HIGH_SLOT
        discard_from(state, seat, slot)
        put_in_hand(state, seat, slot, state.extra)
        if slot != SPIKE_SLOT:
            state.kept[seat] += 1
    state.extra = EMPTY
    _next_buyer(state)


@rule
def _next_buyer(state: Record) -> None:
    state.phase = BUYING
    state.turn = _next_in(state, state.turn + 1)
    if state.turn == state.num_players:
        _start_betting(state)


@rule
def _roll(state: Record, roll: int) -> None:
    state.dice = roll
    if roll // 6 != roll % 6:
        _after_dice(state)
        return
    for seat in range(state.num_players):
        if not state.folded[seat]:
            state.kept[seat] = 0
            for slot in range(SPIKE_SLOT + 1 if roll == 0 else SPIKE_SLOT):
                discard_from(state, seat, slot)
                state.cards[seat, slot] = EMPTY
    _deal_from(state, REDRAWING, LOW_SLOT)


@rule
def _after_dice(state: Record) -> None:
    if state.round_number < 3:
        state.round_number += 1
        _start_buying(state)
    else:
        _showdown(state)


@rule
def _showdown(state: Record) -> None:
    """Lowest |sum|, then a sum >= 0, then the highest sum of positive cards, then the highest positive card."""
    best = -1
    count = 0
    for seat in range(state.num_players):
        state.tied[seat] = 0
        if state.folded[seat]:
            continue
        rank = hand_rank(state.cards[seat, 0], state.cards[seat, 1], state.cards[seat, 2])
        if rank > best:
            best = rank
            count = 0
            for other in range(seat):
                state.tied[other] = 0
        if rank == best:
            state.tied[seat] = 1
            count += 1
    for seat in range(state.num_players):
        for slot in range(3):
            state.shown[seat, slot] = EMPTY if state.folded[seat] else state.cards[seat, slot]
    if count == 1:
        for seat in range(state.num_players):
            if state.tied[seat]:
                _win(state, seat)
                return
    state.phase = TIE


@rule
def hand_rank(first: int, second: int, third: int) -> int:
    """The worth of three cards at the showdown: the higher wins, equal is a tie. At most 41,663."""
    total = int(first) + int(second) + int(third)
    positive = max(first, 0) + max(second, 0) + max(third, 0)
    highest = max(first, second, third, 0)
    return (((30 - abs(total)) * 2 + (total >= 0)) * 31 + int(positive)) * 11 + int(highest)


@rule
def _win(state: Record, seat: int) -> None:
    pool = state.pool
    if state.phase == BETTING:  # Everyone else has folded: nothing is shown.
        for other in range(state.num_players):
            for slot in range(3):
                state.shown[other, slot] = EMPTY
    state.last_winner = seat
    state.last_pool = pool
    state.stack[seat] += pool
    state.pool = 0
    _pay(state, seat, 31.0 * pool if state.reward_model == WEIGHTED else 1.0 * pool)
    state.hands_won[seat] += 1
    state.hand += 1
    over = state.hand == state.hands
    for other in range(state.num_players):
        over = over or state.stack[other] == 0
    if over:
        state.phase = OVER
    else:
        _start_hand(state)


# -- small things -----------------------------------------------------------------------------------------------------


@rule
def _pay(state: Record, seat: int, reward: float) -> None:
    if not state.pays:
        state.pays = 1
        for other in range(state.num_players):
            state.reward[other] = 0.0
    state.reward[seat] += reward


@rule
def _weight(state: Record, size: float) -> float:
    return 1.0 + size if state.reward_model == WEIGHTED else 1.0


@rule
def _next_in(state: Record, seat: int) -> int:
    """The first seat from `seat` on that has not folded; `num_players` if there is none."""
    while seat < state.num_players and state.folded[seat]:
        seat += 1
    return int(seat)


@rule
def _put(state: Record, seat: int, amount: int) -> None:
    state.stack[seat] -= amount
    state.put_hand[seat] += amount
    state.pool += amount


@rule
def _deal_from(state: Record, phase: int, slot: int) -> None:
    state.phase = phase
    state.turn = _next_in(state, 0)
    state.slot = slot
    refill(state)
