"""The starter, the play, the show and the end of the game: everything that scores points."""

from __future__ import annotations

from cardgym.engine.contract import State, rule
from cardgym.games.cribbage.cards import JACK
from cardgym.games.cribbage.dealing import clear_deal, clear_pile
from cardgym.games.cribbage.ranks import EMPTY, rank_of, worth
from cardgym.games.cribbage.scoring import points_of_next, score_crib, score_hand
from cardgym.games.cribbage.state import (
    CRIB,
    DEALER_HAND,
    DEALER_PEGGING,
    DEALING,
    HEELS,
    OVER,
    PLAYING,
    POINTS,
    PONE_HAND,
    PONE_PEGGING,
    WIN,
)


@rule
def turn_starter(state: State, card: int) -> None:
    """Turn up the starter; a jack gives the dealer 2."""
    state.starter = card
    for seat in range(2):
        state.shows[seat] = score_hand(state.kept[seat], card)
    state.phase = PLAYING
    if rank_of(card) == JACK:
        _score(state, state.dealer, HEELS, 2)


# -- the play ---------------------------------------------------------------------------------------------------------


@rule
def play_card(state: State, card: int) -> None:
    """Play a card and score it at once, with a go or the last card if nobody can play after it."""
    seat = int(state.turn)
    other = 1 - seat
    points = points_for(state, card)
    _take_from_hand(state, seat, card)
    state.played[state.num_played] = card
    state.played_by[state.num_played] = seat
    state.num_played += 1
    state.pile[state.pile_size] = rank_of(card)
    state.pile_size += 1
    state.count += worth(card)
    restarts = True
    if state.count == 31:
        pass
    elif can_play(state, other):
        state.turn = other
        restarts = False
    else:
        _say_go(state, other)
        if can_play(state, seat):
            restarts = False
        else:
            points += 1
            _say_go(state, seat)
    _score(state, seat, PONE_PEGGING if seat != state.dealer else DEALER_PEGGING, points)
    if state.phase == OVER:
        return
    if not restarts:
        state.next_points = points_of_next(state.pile, state.pile_size)
        return
    if state.num_played == 8:
        _show(state)
        return
    clear_pile(state)
    state.turn = other if state.hand_size[other] > 0 else seat


@rule
def points_for(state: State, card: int) -> int:
    """What playing `card` scores at once: fifteen, pairs, runs and 31, but no go or last card."""
    return points_of(int(state.next_points), int(state.count), card)


@rule
def points_of(next_points: int, count: int, card: int) -> int:
    """`points_for` a card on a pile given by its count and by what `points_of_next` returns for it."""
    after = count + worth(card)
    points = next_points >> 4 * rank_of(card) & 15
    return points + (2 if after == 15 else 0) + (2 if after == 31 else 0)


@rule
def can_play(state: State, seat: int) -> bool:
    """Whether the count has room for a card of the seat; the first card of a hand is worth least."""
    return bool(state.hand_size[seat] > 0 and worth(state.hand[seat, 0]) <= 31 - state.count)


@rule
def _say_go(state: State, seat: int) -> None:
    """A go shows that each card the seat still holds is worth more than the count has room for."""
    if state.hand_size[seat] > 0:
        state.said_go[seat] = 1
        state.floor[seat] = max(int(state.floor[seat]), 32 - int(state.count))


@rule
def _take_from_hand(state: State, seat: int, card: int) -> None:
    passed = 0  # 1 from the card's place on, where the cards behind it move up.
    for place in range(3):
        passed |= 1 if state.hand[seat, place] == card else 0
        state.hand[seat, place] = state.hand[seat, place + passed]
    state.hand[seat, 3] = EMPTY
    state.hand_size[seat] -= 1


# -- the show and the end ---------------------------------------------------------------------------------------------


@rule
def _show(state: State) -> None:
    """Count the pone's hand, the dealer's hand and the crib, in this order, until a player reaches the target."""
    dealer = state.dealer
    pone = 1 - dealer
    _score(state, pone, PONE_HAND, state.shows[pone])
    if state.phase != OVER:
        _score(state, dealer, DEALER_HAND, state.shows[dealer])
    if state.phase != OVER:
        _score(state, dealer, CRIB, score_crib(state.crib, state.starter))
    if state.phase == OVER:
        return
    state.deal_number += 1
    if state.deals > 0 and state.deal_number == state.deals:
        _finish(state)
        return
    clear_deal(state)
    state.dealer = pone
    state.phase = DEALING
    state.turn = dealer


@rule
def _score(state: State, seat: int, kind: int, points: int) -> None:
    """Move the seat's peg. It stops in the last hole: points beyond the target do not count."""
    points = min(int(points), int(state.target - state.scores[seat]))
    state.scores[seat] += points
    state.tally[seat, kind] += points
    if state.reward_model == POINTS:
        state.reward[seat] += points
        state.reward[1 - seat] -= points
    if state.scores[seat] >= state.target:
        _finish(state)


@rule
def _finish(state: State) -> None:
    state.phase = OVER
    if state.reward_model == WIN and state.scores[0] != state.scores[1]:
        leader = 0 if state.scores[0] > state.scores[1] else 1
        state.reward[leader] = 1.0
        state.reward[1 - leader] = -1.0
