"""The observation `plain`: what a seat at cribbage knows as a few whole numbers, with the order of the cards played."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Feature, State, offsets, rule
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.ranks import EMPTY
from cardgym.games.cribbage.state import PLAYING, CribbageOptions

_MOST = 1000
"""The highest target."""


def features(options: CribbageOptions) -> tuple[Feature, ...]:
    """The features of the observation `plain`. Cards are 13 x suit + rank, -1 for none."""
    last = CARDS - 1
    return (
        Feature("playing", "1 in the play of the cards, 0 before it"),
        Feature("dealer", "1 if this seat deals, so that the crib is its own"),
        Feature("to_go", "points to the target: own, the opponent's", 2, 0, _MOST),
        Feature("hand", "the cards in hand, sorted by rank", 6, EMPTY, last),
        Feature("tossed", "the own toss", 2, EMPTY, last),
        Feature("starter", "the starter", 1, EMPTY, last),
        Feature("opponent_cards", "how many cards the opponent holds", 1, 0, 6),
        Feature("opponent_floor", "the least that a card of the opponent can be worth, by its goes", 1, 1, 10),
        Feature("opponent_go", "1 if the opponent has said go on this pile"),
        Feature("count", "the count", 1, 0, 31),
        Feature("played", "all cards played, in order", 8, EMPTY, last),
        Feature("played_by", "by whom: 1 this seat, 0 the opponent", 8, EMPTY, 1),
    )


AT = offsets(features(CribbageOptions()))
"""Where each feature starts, by name."""
SIZE = sum(feature.size for feature in features(CribbageOptions()))

_PLAYING, _DEALER, _TO_GO, _HAND, _TOSSED = AT["playing"], AT["dealer"], AT["to_go"], AT["hand"], AT["tossed"]
_STARTER, _OPPONENT_CARDS, _OPPONENT_FLOOR = AT["starter"], AT["opponent_cards"], AT["opponent_floor"]
_OPPONENT_GO, _COUNT, _PLAYED, _PLAYED_BY = AT["opponent_go"], AT["count"], AT["played"], AT["played_by"]


@rule
def observe_plain(state: State, seat: int, out: npt.NDArray[np.float32]) -> None:
    """Write the observation `plain` of `seat` to `out`, float32, as `features` lists it."""
    other = 1 - seat
    out[_PLAYING] = 1.0 if state.phase == PLAYING else 0.0
    out[_DEALER] = 1.0 if state.dealer == seat else 0.0
    out[_TO_GO] = state.target - state.scores[seat]
    out[_TO_GO + 1] = state.target - state.scores[other]
    for place in range(6):
        out[_HAND + place] = state.hand[seat, place]
    for place in range(2):
        out[_TOSSED + place] = state.crib[2 * seat + place]
    out[_STARTER] = state.starter
    out[_OPPONENT_CARDS] = state.hand_size[other]
    out[_OPPONENT_FLOOR] = state.floor[other]
    out[_OPPONENT_GO] = state.said_go[other]
    out[_COUNT] = state.count
    for place in range(8):
        by = state.played_by[place]
        out[_PLAYED + place] = state.played[place]
        out[_PLAYED_BY + place] = EMPTY if by == EMPTY else (1.0 if by == seat else 0.0)
