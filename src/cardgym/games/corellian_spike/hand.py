"""A hand of Corellian Spike from the ante to the showdown: the piles of cards, and what seats pay and are paid."""

from __future__ import annotations

from cardgym.engine.contract import State, rule
from cardgym.games.corellian_spike import state as sabacc


@rule
def card_sum(state: State, seat: int) -> int:
    """Return the sum of the hand, and of the spike once dealt. A bought card counts only once placed."""
    total = 0
    for slot in range(3):
        if state.cards[seat, slot] != sabacc.EMPTY:
            total += int(state.cards[seat, slot])
    return total


@rule
def refill(state: State) -> None:
    """If the draw pile is empty, make the discard pile the draw pile."""
    if state.deck_size == 0:
        for card in range(state.discards_size):
            state.deck[card] = state.discards[card]
            state.public[state.discards[card] + 10] -= 1
        state.deck_size = state.discards_size
        state.discards_size = 0


@rule
def draw_card(state: State, place: int) -> int:
    card = state.deck[place]
    state.deck_size -= 1
    state.deck[place] = state.deck[state.deck_size]
    return int(card)


@rule
def discard(state: State, card: int) -> None:
    state.discards[state.discards_size] = card
    state.discards_size += 1


@rule
def discard_from(state: State, seat: int, slot: int) -> None:
    """Discard a hand card or the spike. A hand card turns face up; the spike already was."""
    card = state.cards[seat, slot]
    discard(state, card)
    if slot != sabacc.SPIKE_SLOT:
        state.public[card + 10] += 1


@rule
def slot_of(swap: int) -> int:
    """Return the slot of the card that a swap replaces: the spike, the low or the high hand card."""
    return (swap - sabacc.SWAP_LOW) % 3


@rule
def put_in_hand(state: State, seat: int, slot: int, card: int) -> None:
    state.cards[seat, slot] = card
    if slot == sabacc.SPIKE_SLOT:
        state.public[card + 10] += 1
    else:
        sort_hand(state, seat)


@rule
def sort_hand(state: State, seat: int) -> None:
    """Sort the two hand cards; actions refer to the lower and the higher."""
    if state.cards[seat, sabacc.LOW_SLOT] > state.cards[seat, sabacc.HIGH_SLOT]:
        low = state.cards[seat, sabacc.HIGH_SLOT]
        state.cards[seat, sabacc.HIGH_SLOT] = state.cards[seat, sabacc.LOW_SLOT]
        state.cards[seat, sabacc.LOW_SLOT] = low


RANKS = 41_664
"""The number of ranks of `hand_rank`."""


@rule
def start_hand(state: State) -> None:
    """Shuffle a new deck, collect the antes and start dealing."""
    counts = sabacc.DECK_COUNTS[state.values, state.copies, state.zeros]
    state.deck[:] = 0
    state.deck_size = 0
    for value in range(sabacc.NUM_VALUES):
        for _ in range(counts[value]):
            state.deck[state.deck_size] = value - 10
            state.deck_size += 1
    state.public[:] = 0
    state.discards_size = 0
    state.extra = sabacc.EMPTY
    state.sleeve = sabacc.EMPTY
    state.round_number = 0
    state.pool = 0
    state.dice = -1
    forget_actions(state)
    state.cards[:] = sabacc.EMPTY
    state.folded[:] = 0
    state.tied[:] = 0
    state.put_hand[:] = 0
    for seat in range(state.num_players):
        put_in_pool(state, seat, sabacc.BET)
    state.phase = sabacc.DEALING
    state.turn = 0
    state.slot = sabacc.LOW_SLOT


@rule
def forget_actions(state: State) -> None:
    """Forget what the seats have bet, bought and discarded in this hand, but not the credits in the pool."""
    state.fresh_round = 0
    state.put_phase[:] = 0
    state.raises[:] = 0
    state.buys[:] = 0
    state.kept[:] = 0
    state.purchase[:] = sabacc.NOT_YET
    state.bets[:] = 0


@rule
def deal_from(state: State, phase: int, slot: int) -> None:
    """Start a phase that deals cards to everyone still in, from `slot` on."""
    state.phase = phase
    state.turn = next_in(state, 0)
    state.slot = slot
    refill(state)


@rule
def showdown(state: State) -> None:
    """Give the pool to the best hand; chance picks the winner of a tie.

    The best hand has the lowest |sum|, then a sum >= 0, then the highest sum of positive cards, then the highest
    positive card. With the option `special_hands`, the rank of `special_hand` comes first.
    """
    best = -1
    count = 0
    state.tied[:] = 0
    for seat in range(state.num_players):
        if state.folded[seat]:
            continue
        rank = hand_rank(state.cards[seat, 0], state.cards[seat, 1], state.cards[seat, 2])
        if state.special_hands:
            rank += RANKS * special_hand(state.cards[seat, 0], state.cards[seat, 1], state.cards[seat, 2])
        if rank > best:
            best = rank
            count = 0
            state.tied[:] = 0
        if rank == best:
            state.tied[seat] = 1
            count += 1
    for seat in range(state.num_players):
        for slot in range(3):
            state.showdown_hands[seat, slot] = sabacc.EMPTY if state.folded[seat] else state.cards[seat, slot]
    if count == 1:
        for seat in range(state.num_players):
            if state.tied[seat]:
                win(state, seat)
                return
    state.phase = sabacc.TIE


@rule
def hand_rank(first: int, second: int, third: int) -> int:
    """Return the rank of three cards at the showdown, 0 to 41,663: the higher rank wins, equal ranks tie."""
    total = int(first) + int(second) + int(third)
    positive = max(first, 0) + max(second, 0) + max(third, 0)
    highest = max(first, second, third, 0)
    return (((30 - abs(total)) * 2 + (total >= 0)) * 31 + int(positive)) * 11 + int(highest)


NUM_SUM_RANKS = 62
"""The number of ranks of `sum_rank`."""


@rule
def sum_rank(total: int) -> int:
    """Return the rank of a sum from -30 to 30: 2 |sum|, plus 1 if it is negative; the lower wins."""
    return 2 * abs(total) + (total < 0)


@rule
def special_hand(first: int, second: int, third: int) -> int:
    """Return the index of three cards in `SPECIAL_HANDS`; 0 if they are not a special hand."""
    zeros = int(first == 0) + int(second == 0) + int(third == 0)
    total = first + second + third
    highest = max(abs(first), abs(second), abs(third))
    if zeros >= 2:
        return sabacc.PURE_SABACC
    if zeros == 1:
        if total == 0:
            return sabacc.FULL_SABACC if highest == 10 else sabacc.YEE_HAA
        if abs(total) == 5 and highest == 3:
            return sabacc.IDIOTS_ARRAY
    return 0


@rule
def win(state: State, seat: int) -> None:
    """Pay the pool to a seat, then start the next hand or end the game."""
    pool = state.pool
    if state.phase == sabacc.BETTING:  # Everyone else has folded, so no cards are shown.
        state.showdown_hands[:] = sabacc.EMPTY
    state.last_winner = seat
    state.last_pool = pool
    state.stack[seat] += pool
    state.pool = 0
    pay(state, seat, 31.0 * pool if state.reward == sabacc.WEIGHTED else 1.0 * pool)
    if state.reward == sabacc.NET:
        for other in range(state.num_players):
            pay(state, other, -1.0 * state.put_hand[other])
    state.hands_won[seat] += 1
    state.hand += 1
    over = state.hand == state.hands
    for other in range(state.num_players):
        over = over or state.stack[other] == 0
    if over:
        state.phase = sabacc.OVER
    else:
        start_hand(state)


# -- credits and seats ------------------------------------------------------------------------------------------------


@rule
def put_in_pool(state: State, seat: int, amount: int) -> None:
    state.stack[seat] -= amount
    state.put_hand[seat] += amount
    state.pool += amount


@rule
def pay(state: State, seat: int, reward: float) -> None:
    """Add to a seat's reward for this transition."""
    if not state.pays:
        state.pays = 1
        for other in range(state.num_players):
            state.paid[other] = 0.0
    state.paid[seat] += reward


@rule
def weight(state: State, size: float) -> float:
    """Get the factor for a cost with |sum| = `size`: 1 + `size` if weighted; 0 for the net reward, charged by `win`."""
    if state.reward == sabacc.NET:
        return 0.0
    return 1.0 + size if state.reward == sabacc.WEIGHTED else 1.0


@rule
def next_in(state: State, seat: int) -> int:
    """Return the first seat from `seat` on that has not folded; `num_players` if there is none."""
    while seat < state.num_players and state.folded[seat]:
        seat += 1
    return int(seat)
