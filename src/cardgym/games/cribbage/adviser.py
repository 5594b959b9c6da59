"""The adviser of cribbage: tosses by exact statistics over cuts and cribs, cards by what `expert` makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import ActionAdvice, Advice, Adviser, Record
from cardgym.games.cribbage.advice import Advice as TossAdvice
from cardgym.games.cribbage.advice import advise as advise_toss
from cardgym.games.cribbage.cards import CARDS, JACK
from cardgym.games.cribbage.play import points_for
from cardgym.games.cribbage.players import card_values
from cardgym.games.cribbage.ranks import worth
from cardgym.games.cribbage.rules import legal_action_mask
from cardgym.games.cribbage.scoring import explain_play, score_crib, score_hand
from cardgym.games.cribbage.state import (
    NUM_ACTIONS,
    STARTER,
    STATE,
    TOSSES,
    TOSSING,
    CribbageOptions,
)
from cardgym.games.cribbage.text import action_text

_BLUNDER = 1.5
"""Points."""


def adviser(options: CribbageOptions) -> Adviser:
    """The adviser for these options."""
    return Adviser(_advise, _standing, "points", _luck, "points by the cut")


def _advise(state: Record, seat: int) -> Advice:
    return _advise_toss(state, seat) if state.phase == TOSSING else _advise_card(state, seat)


def _advise_toss(state: Record, seat: int) -> Advice:
    cards = [int(card) for card in state.hand[seat]]
    dealer = bool(state.dealer == seat)
    scores = (int(state.scores[seat]), int(state.scores[1 - seat]))
    tosses = {frozenset(cards[place] for place in toss): number for number, toss in enumerate(TOSSES.tolist())}
    actions = []
    for one in advise_toss(cards, dealer, scores, int(state.target)):
        action = CARDS + tosses[frozenset(one.keep.tossed)]
        actions.append(ActionAdvice(action, action_text(state, action), one.worth, _toss_reason(one, dealer)))
    source = "exact counts over all cuts and cribs, ranked by expert"
    return Advice("toss", "points", source, tuple(actions), _BLUNDER)


def _toss_reason(one: TossAdvice, dealer: bool) -> str:
    keep = one.keep
    hand = f"hand {keep.hand_mean:.2f} ({keep.hand_min} to {keep.hand_max})"
    crib = f"{'own' if dealer else 'their'} crib {one.likely_crib:.2f}, {keep.crib_mean:.2f} if they toss anything"
    return "; ".join((hand, crib, *(why for why in one.why if "compared with" not in why)))


def _advise_card(state: Record, seat: int) -> Advice:
    mask, values, points = np.zeros(NUM_ACTIONS, np.int8), np.zeros(6), np.zeros(6, np.int64)
    _rate_cards(_array(state), seat, mask, values, points)
    actions = []
    for place in range(int(state.hand_size[seat])):
        card = int(state.hand[seat, place])
        if mask[card]:
            reason = _card_reason(state, card, float(values[place]), int(points[place]))
            actions.append(ActionAdvice(card, action_text(state, card), float(values[place]), reason))
    actions.sort(key=lambda one: -one.value)
    return Advice("play", "points", "the player expert", tuple(actions), _BLUNDER)


def _card_reason(state: Record, card: int, value: float, points: int) -> str:
    pile = [int(rank) for rank in state.pile[: state.pile_size]] + [card % 13]
    count = int(state.count) + worth(card)
    reasons = [name for name, _ in explain_play(pile, count)]
    if count == 31:
        reasons.append("thirty-one")
    now = f"scores {points} ({', '.join(reasons) or 'go'})" if points else "scores nothing"
    return f"{now}; what may follow is worth {value - points:+.2f}"


def _standing(state: Record, seat: int) -> float:
    return float(state.scores[seat])


def _luck(before: Record, move: int, after: Record, seat: int) -> float:
    """What the cut gave a seat more than the mean over all cuts: hand, crib and heels, less the opponent's."""
    if before.phase != STARTER:
        return 0.0
    gain = float(_cut_gain(_array(before), move))
    return gain if seat == before.dealer else -gain


def _array(state: Record) -> npt.NDArray[Any]:
    states = np.zeros(1, STATE)
    states[:1] = state
    return states


# -- compiled ---------------------------------------------------------------------------------------------------------


@compiled
def _rate_cards(
    states: Any, seat: int, mask: npt.NDArray[np.int8], values: npt.NDArray[np.float64], points: npt.NDArray[np.int64]
) -> None:
    state = states[0]
    legal_action_mask(state, mask)
    card_values(state, seat, mask, values)
    for place in range(state.hand_size[seat]):
        if mask[state.hand[seat, place]]:
            points[place] = points_for(state, state.hand[seat, place])


@compiled
def _cut_gain(states: Any, move: int) -> float:
    """The dealer's points less the pone's with this cut, less their mean over all cards that can be cut."""
    state = states[0]
    total = 0.0
    chosen = 0.0
    for place in range(state.deck_size):
        cut = int(state.deck[place])
        points = score_hand(state.kept[state.dealer], cut) - score_hand(state.kept[1 - state.dealer], cut)
        points += score_crib(state.crib, cut) + (2 if cut % 13 == JACK else 0)
        total += points
        if place == move:
            chosen = float(points)
    return chosen - total / float(state.deck_size)
