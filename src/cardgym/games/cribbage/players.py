"""The compiled players of cribbage: `greedy`, which pegs as in the paper, and `expert`, which expects answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cardgym.engine.contract import Float32s, Float64s, Generator, Int8s, Int64s, State, rule
from cardgym.games.cribbage.cards import CARDS, EMPTY, worth
from cardgym.games.cribbage.scoring import points_for, points_of, points_of_next
from cardgym.games.cribbage.state import FULL, NUM_TOSSES, PACK_RANKS, PACK_TOSSES, TOSSING, CribbageOptions
from cardgym.games.cribbage.tosses import WIN, first_best, hand_totals, points_to_go_out, small_means, toss_worths

if TYPE_CHECKING:
    from cardgym.players import Player

_MAX_PEGGED = 14  # The most points that one card can score.


# -- greedy: pegs as in the paper --------------------------------------------------------------------------------------


@rule
def greedy(state: State, seat: int, mask: Int8s, generator: Generator) -> int:
    """Discard for the highest mean hand; play the card that scores most now."""
    if state.phase == TOSSING:
        totals = np.empty(NUM_TOSSES, np.float32)
        if state.pack == FULL:
            hand_totals(state.hand[seat], totals, 1.0)
        else:
            small_means(state.hand[seat], state.pack, 0, 1.0, totals, np.empty(NUM_TOSSES, np.float32))
        return CARDS + first_best(totals[: PACK_TOSSES[state.pack]])
    return greedy_card(state, seat)


@rule
def greedy_card(state: State, seat: int) -> int:
    """Return the card that scores most now, the lowest in a tie."""
    card = -1
    most = -1
    room = 31 - int(state.count)
    for place in range(state.hand_size[seat]):
        candidate = int(state.hand[seat, place])
        if worth(candidate) <= room:
            points = points_for(state, candidate)
            if points > most:
                most = points
                card = candidate
    return card


# -- the expert -------------------------------------------------------------------------------------------------------


@rule
def expert(state: State, seat: int, mask: Int8s, generator: Generator) -> int:
    """Discard by `toss_worths`; play for the most points, minus those of the likely answer, plus the best reply's."""
    if state.phase == TOSSING:
        worths = np.empty(NUM_TOSSES, np.float32)
        toss_values(state, seat, worths)
        return CARDS + first_best(worths[: PACK_TOSSES[state.pack]])
    values = np.empty(6)
    card_values(state, seat, mask, values)
    best = -1
    most = 0.0
    for place in range(state.hand_size[seat]):
        card = int(state.hand[seat, place])
        if mask[card] and (best < 0 or values[place] > most):
            best = card
            most = values[place]
    return best


@rule
def toss_values(state: State, seat: int, worths: Float32s) -> None:
    """Fill `worths`, (15,), with the worth in points of each discard."""
    dealer = 1 if state.dealer == seat else 0
    if state.pack != FULL:
        cribs = np.empty(NUM_TOSSES, np.float32)
        small_means(state.hand[seat], state.pack, dealer, 1.0, worths, cribs)
        for toss in range(NUM_TOSSES):
            worths[toss] += cribs[toss]
        return
    to_go, opponent_to_go = int(state.target - state.scores[seat]), int(state.target - state.scores[1 - seat])
    toss_worths(state.hand[seat], dealer, points_to_go_out(dealer, to_go, opponent_to_go), worths)


@rule
def card_values(state: State, seat: int, mask: Int8s, values: Float64s) -> None:
    """Fill `values`, (6,), with the worth in points of playing the card at each place of the hand, if it is legal."""
    left = np.empty(13, np.int64)
    _count_unseen(state, seat, left)
    pile = np.empty(10, np.int8)
    for place in range(state.pile_size):
        pile[place] = state.pile[place]
    for place in range(state.hand_size[seat]):
        card = int(state.hand[seat, place])
        if mask[card]:
            values[place] = _value_of(state, seat, card, left, pile)


@rule
def _count_unseen(state: State, seat: int, left: Int64s) -> None:
    """Fill `left`, (13,), with the number of unseen cards of each rank that the opponent may hold, given its goes."""
    other = 1 - seat
    for rank in range(13):
        left[rank] = PACK_RANKS[state.pack] >> 4 * rank & 15 if worth(rank) >= state.floor[other] else 0
    for place in range(state.hand_size[seat]):
        _strike(left, state.hand[seat, place])
    for place in range(2):
        if state.crib[2 * seat + place] != EMPTY:
            _strike(left, state.crib[2 * seat + place])
    _strike(left, state.starter)
    for place in range(state.num_played):
        _strike(left, state.played[place])


@rule
def _strike(left: Int64s, card: int) -> None:
    if left[card % 13] > 0:
        left[card % 13] -= 1


@rule
def _value_of(state: State, seat: int, card: int, left: Int64s, pile: Int8s) -> float:
    """Return the worth of playing `card`: its points, less those of the likely answer, plus the best reply's.

    The opponent is assumed to hold any unseen cards with equal probability, and to play the one that scores most.
    """
    other = 1 - seat
    need = int(state.target - state.scores[seat])
    their_need = int(state.target - state.scores[other])
    size = int(state.pile_size)
    count = int(state.count) + worth(card)
    value = _worth_of(points_for(state, card), need)
    pile[size] = card % 13
    hidden = 0
    for rank in range(13):
        hidden += left[rank]
    held = int(state.hand_size[other])
    next_points = points_of_next(pile, size + 1)
    if count == 31 or held == 0 or state.said_go[other]:
        return value + _worth_of(_best_reply(state, seat, card, next_points, count), need)
    # By the points of the answer: the number of unseen cards that score them, and the sum of the best replies to them.
    cards = np.zeros(_MAX_PEGGED + 1)
    replies = np.zeros(_MAX_PEGGED + 1)
    for rank in range(13):
        after = count + worth(rank)
        if left[rank] == 0 or after > 31:
            continue
        points = points_of(next_points, count, rank)
        pile[size + 1] = rank
        reply = _worth_of(_best_reply(state, seat, card, points_of_next(pile, size + 2), after), need)
        cards[points] += left[rank]
        replies[points] += left[rank] * reply
    lacking = 1.0  # The chance that the opponent has no card that scores more than `points`.
    above = 0.0
    for points in range(_MAX_PEGGED, -1, -1):
        if cards[points] > 0.0:
            above += cards[points]
            without = _chance_of_none(above, hidden, held)
            answer = _worth_of(points, their_need) - replies[points] / cards[points]
            value -= (lacking - without) * answer
            lacking = without
    # An opponent without an answer says go.
    go = max(_best_reply(state, seat, card, next_points, count), 1)
    return value + lacking * _worth_of(go, need)


@rule
def _worth_of(points: int, need: int) -> float:
    """Return the points, plus the worth of the game if they are enough to win it."""
    return points + WIN if points >= need else float(points)


@rule
def _best_reply(state: State, seat: int, played: int, next_points: int, count: int) -> int:
    """Return the most points that another card of `seat` can score on a pile with this count; 0 if none fits."""
    most = 0
    if count < 31:
        for place in range(state.hand_size[seat]):
            card = int(state.hand[seat, place])
            if card != played and count + worth(card) <= 31:
                most = max(most, points_of(next_points, count, card))
    return most


@rule
def _chance_of_none(cards: float, hidden: int, held: int) -> float:
    """Return the chance that `held` cards drawn from `hidden` ones include none of `cards` particular ones."""
    chance = 1.0
    for drawn in range(held):
        chance *= max(hidden - cards - drawn, 0.0) / max(hidden - drawn, 1)
    return chance


def equilibrium(options: CribbageOptions) -> Player:
    """Return the player `equilibrium`."""
    from cardgym.games.cribbage.pegging.player import make_player

    return make_player(options)


def champion(options: CribbageOptions) -> Player:
    """Return the player `champion`."""
    from cardgym.games.cribbage.pegging.champion import make_player

    return make_player(options)


COMPILED: dict[str, Callable[..., Any]] = {"greedy": greedy, "expert": expert}
PLAYERS = {**COMPILED, "equilibrium": equilibrium, "champion": champion}
