"""The observation `rated`, for networks: what a seat knows by ranks, and how `expert` values each discard and card.

Suits matter only for discards and are included in their ratings.
"""

from __future__ import annotations

import numpy as np

from cardgym.engine.contract import Feature, Float32s, Observation, State, places, rule, write_zeros
from cardgym.games.cribbage.cards import EMPTY, rank_of
from cardgym.games.cribbage.players import card_values, toss_values
from cardgym.games.cribbage.rules import legal_action_mask
from cardgym.games.cribbage.scoring import points_for
from cardgym.games.cribbage.state import NUM_ACTIONS, NUM_TOSSES, PLAYING, TOSSING, CribbageOptions

_MIN_RATING = -8.0
"""The lowest rating, in points below the best."""
_BACK = 4
"""The number of the pile's last cards that the observation shows."""


def features(options: CribbageOptions) -> tuple[Feature, ...]:
    """Return the features of the observation `rated`: ranks from the ace to the king."""
    return (
        Feature("tossing", "1 before the starter is turned up, 0 in the play"),
        Feature("dealer", "1 if this seat deals, so that the crib is its own"),
        Feature("scores", "score / target: own, the opponent's", 2),
        Feature("to_go", "points to the target / 30, at most 1: own, the opponent's", 2),
        Feature(
            "toss_rating", "when discarding: points of each discard minus those of the best", NUM_TOSSES, _MIN_RATING, 0
        ),
        Feature("hand_ranks", "own cards in hand of each rank", 13, 0, 4),
        Feature("tossed_ranks", "own discards of each rank", 13, 0, 2),
        Feature("own_ranks", "own cards played of each rank", 13, 0, 4),
        Feature("opponent_ranks", "the opponent's cards played of each rank", 13, 0, 4),
        Feature("starter_rank", "one-hot: the rank of the starter", 13),
        Feature("pile", "one-hot: the ranks of the last four cards since the restart, the last one first", 13 * _BACK),
        Feature("count", "one-hot: the count, 0 .. 31", 32),
        Feature("cards", "in the play: one-hot: the number of cards that the opponent holds, 0 .. 4", 5),
        Feature("own_cards", "in the play: one-hot: the number of cards that this seat holds, 0 .. 4", 5),
        Feature("said_go", "1 for a go on this pile: own, the opponent's", 2),
        Feature("opponent_floor", "each card of the opponent is worth more than 10 x this, by its goes"),
        Feature(
            "points_now", "when playing: points for each rank now, with 31 but without go and last card", 13, 0, 14
        ),
        Feature("card_rating", "when playing: points of each rank minus those of the best", 13, _MIN_RATING, 0),
    )


_AT = places(features(CribbageOptions()))


@rule
def observe_rated(state: State, seat: int, out: Float32s) -> None:
    """Write the observation `rated` of `seat` to `out`, float32, as `features` lists it."""
    other = 1 - seat
    write_zeros(out, 0, out.shape[0])
    out[_AT.tossing] = 0.0 if state.phase == PLAYING else 1.0
    out[_AT.dealer] = 1.0 if state.dealer == seat else 0.0
    per_point = 1.0 / state.target
    out[_AT.scores] = state.scores[seat] * per_point
    out[_AT.scores + 1] = state.scores[other] * per_point
    out[_AT.to_go] = min(int(state.target - state.scores[seat]), 30) / 30.0
    out[_AT.to_go + 1] = min(int(state.target - state.scores[other]), 30) / 30.0
    for place in range(state.hand_size[seat]):
        out[_AT.hand_ranks + rank_of(state.hand[seat, place])] += 1.0
    for place in range(2):
        if state.crib[2 * seat + place] != EMPTY:
            out[_AT.tossed_ranks + rank_of(state.crib[2 * seat + place])] += 1.0
    for place in range(state.num_played):
        own = state.played_by[place] == seat
        out[(_AT.own_ranks if own else _AT.opponent_ranks) + rank_of(state.played[place])] += 1.0
    for back in range(min(int(state.pile_size), _BACK)):
        out[_AT.pile + 13 * back + int(state.pile[state.pile_size - 1 - back])] = 1.0
    out[_AT.said_go] = state.said_go[seat]
    out[_AT.said_go + 1] = state.said_go[other]
    out[_AT.opponent_floor] = (state.floor[other] - 1) / 10.0
    if state.starter != EMPTY:
        out[_AT.starter_rank + rank_of(state.starter)] = 1.0
        out[_AT.count + int(state.count)] = 1.0
        out[_AT.cards + min(int(state.hand_size[other]), 4)] = 1.0
        out[_AT.own_cards + min(int(state.hand_size[seat]), 4)] = 1.0
    if state.turn == seat and state.phase == TOSSING and state.hand_size[seat] == 6:
        _rate_tosses(state, seat, out)
    if state.turn == seat and state.phase == PLAYING:
        _rate_cards(state, seat, out)


@rule
def _rate_tosses(state: State, seat: int, out: Float32s) -> None:
    worths = out[_AT.toss_rating : _AT.toss_rating + NUM_TOSSES]
    toss_values(state, seat, worths)
    best = float(worths.max())
    for toss in range(NUM_TOSSES):
        worths[toss] = max(float(worths[toss]) - best, _MIN_RATING)


@rule
def _rate_cards(state: State, seat: int, out: Float32s) -> None:
    mask, values = np.empty(NUM_ACTIONS, np.int8), np.zeros(6)
    best = -1e9
    legal_action_mask(state, mask)
    card_values(state, seat, mask, values)
    for place in range(state.hand_size[seat]):
        card = int(state.hand[seat, place])
        if mask[card]:
            out[_AT.points_now + card % 13] = points_for(state, card)
            best = max(best, values[place])
    for place in range(state.hand_size[seat]):
        card = int(state.hand[seat, place])
        if mask[card]:
            out[_AT.card_rating + card % 13] = max(values[place] - best, _MIN_RATING)


RATED = Observation(observe_rated, features)
