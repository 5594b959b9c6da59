"""Players of cribbage that are compiled into the kernel: the paper's pegger, and an expert that weighs the answers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import CompiledPolicy, Generator, Record, rule
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.means import CUTS, PLACES, crib_mean, hand_totals
from cardgym.games.cribbage.play import points_for
from cardgym.games.cribbage.ranks import worth
from cardgym.games.cribbage.scoring import HIGHEST_SCORE, score_hand, score_next
from cardgym.games.cribbage.state import NUM_TOSSES, TOSSING

_MOST_PEGGED = 14  # Points that one card can score at the most.

# What the expert takes a deal to bring, in points; measured on its play against itself.
_PEGGING = (2.2, 3.4)  # As pone, as dealer.
_HAND = 8.0
_WIN = 20.0  # What going out at once is worth, in points; a game is decided by fewer than that.


# -- the paper's pegger -----------------------------------------------------------------------------------------------


@rule
def greedy(state: Record, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """Toss for the most mean hand points; play for the most points now, the lower card of equals."""
    if state.phase == TOSSING:
        totals = np.empty(NUM_TOSSES, np.float32)
        hand_totals(state.hand[seat], totals, 1.0)
        best = 0
        for toss in range(1, NUM_TOSSES):
            if totals[toss] > totals[best]:
                best = toss
        return CARDS + best
    return greedy_card(state, seat)


@rule
def greedy_card(state: Record, seat: int) -> int:
    """The paper's pegger: the card of most points now, the lowest of equals."""
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
def expert(state: Record, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """Toss for hand and crib together; play for what the card, its answer and the reply to that score."""
    if state.phase == TOSSING:
        return CARDS + _best_toss(state, seat)
    return _best_card(state, seat, mask)


@rule
def _best_toss(state: Record, seat: int) -> int:
    """The mean hand, plus or minus the mean crib; near the target also the chance to go out with this hand."""
    cards = state.hand[seat]
    dealer = 1 if state.dealer == seat else 0
    worths = np.empty(NUM_TOSSES, np.float32)
    hand_totals(cards, worths, 1.0 / CUTS)
    need = float(state.target - state.scores[seat]) - _PEGGING[dealer]
    threat = float(state.target - state.scores[1 - seat]) <= _PEGGING[1 - dealer] + _HAND
    best = 0
    for toss in range(NUM_TOSSES):
        mean = crib_mean(cards, toss, dealer)
        worths[toss] = float(worths[toss]) + (mean if dealer else -mean)
        if need <= HIGHEST_SCORE and (threat or not dealer):
            worths[toss] = float(worths[toss]) + _WIN * _chance_of(cards, toss, need)
        if worths[toss] > worths[best]:
            best = toss
    return best


@rule
def _chance_of(cards: npt.NDArray[np.int8], toss: int, need: float) -> float:
    """The share of the 46 cuts with which the hand kept has at least `need` points."""
    kept = np.empty(4, np.int8)
    for place in range(4):
        kept[place] = cards[PLACES[toss, place]]
    enough = 0
    for cut in range(CARDS):
        known = False
        for place in range(6):
            known = known or cards[place] == cut
        if not known and score_hand(kept, cut) >= need:
            enough += 1
    return enough / CUTS


@rule
def _best_card(state: Record, seat: int, mask: npt.NDArray[np.int8]) -> int:
    left = np.empty(13, np.int64)
    _count_unseen(state, seat, left)
    pile = np.empty(10, np.int8)
    for place in range(state.pile_size):
        pile[place] = state.pile[place]
    best = -1
    most = 0.0
    for place in range(state.hand_size[seat]):
        card = int(state.hand[seat, place])
        if mask[card]:
            value = _value_of(state, seat, card, left, pile)
            if best < 0 or value > most:
                best = card
                most = value
    return best


@rule
def _count_unseen(state: Record, seat: int, left: npt.NDArray[np.int64]) -> None:
    """How many cards of each rank the opponent may hold: unseen, and not ruled out by its go's."""
    other = 1 - seat
    for rank in range(13):
        left[rank] = 4 if worth(rank) >= state.floor[other] else 0
    for place in range(state.hand_size[seat]):
        _strike(left, state.hand[seat, place])
    for place in range(2):
        _strike(left, state.crib[2 * seat + place])
    _strike(left, state.starter)
    for place in range(state.num_played):
        _strike(left, state.played[place])


@rule
def _strike(left: npt.NDArray[np.int64], card: int) -> None:
    if left[card % 13] > 0:
        left[card % 13] -= 1


@rule
def _value_of(state: Record, seat: int, card: int, left: npt.NDArray[np.int64], pile: npt.NDArray[np.int8]) -> float:
    """Points of playing `card`: now, minus the likely answer's, plus the best reply's to it.

    The opponent is taken to hold any of the unseen cards alike, and to play the one that scores most.
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
    if count == 31 or held == 0 or state.said_go[other]:
        return value + _worth_of(_best_reply(state, seat, card, pile, size + 1, count), need)
    # How many unseen cards answer with each number of points, and what replies they meet.
    cards = np.zeros(_MOST_PEGGED + 1)
    replies = np.zeros(_MOST_PEGGED + 1)
    fitting = 0
    for rank in range(13):
        after = count + worth(rank)
        if left[rank] == 0 or after > 31:
            continue
        points = score_next(pile, size + 1, rank, after) + (2 if after == 31 else 0)
        pile[size + 1] = rank
        reply = _worth_of(_best_reply(state, seat, card, pile, size + 2, after), need)
        cards[points] += left[rank]
        replies[points] += left[rank] * reply
        fitting += left[rank]
    lacking = 1.0  # The chance that the opponent has none of the cards that score more.
    above = 0.0
    for points in range(_MOST_PEGGED, -1, -1):
        if cards[points] > 0.0:
            above += cards[points]
            without = _chance_of_none(above, hidden, held)
            answer = _worth_of(points, their_need) - replies[points] / cards[points]
            value -= (lacking - without) * answer
            lacking = without
    # Without an answer the opponent says go.
    go = max(_best_reply(state, seat, card, pile, size + 1, count), 1)
    return value + lacking * _worth_of(go, need)


@rule
def _worth_of(points: int, need: int) -> float:
    """Points, and the game if they are enough."""
    return points + _WIN if points >= need else float(points)


@rule
def _best_reply(state: Record, seat: int, played: int, pile: npt.NDArray[np.int8], size: int, count: int) -> int:
    """The most points that another card of `seat` can score on this pile; none once it is full."""
    most = 0
    if count < 31:
        for place in range(state.hand_size[seat]):
            card = int(state.hand[seat, place])
            after = count + worth(card)
            if card != played and after <= 31:
                points = score_next(pile, size, card % 13, after) + (2 if after == 31 else 0)
                most = max(most, points)
    return most


@rule
def _chance_of_none(cards: float, hidden: int, held: int) -> float:
    """The chance that `held` cards out of `hidden` have none of `cards` special ones."""
    chance = 1.0
    for drawn in range(held):
        chance *= max(hidden - cards - drawn, 0.0) / max(hidden - drawn, 1)
    return chance


PLAYERS = {"greedy": CompiledPolicy(greedy), "expert": CompiledPolicy(expert)}
