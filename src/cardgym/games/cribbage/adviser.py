"""The adviser of cribbage: what tosses and cards are worth to `equilibrium`.

Values are points. Near the target they are chances to win, in percent, and the decision is of another kind.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import State
from cardgym.engine.numba.compilation import compiled
from cardgym.games.cribbage.advice import Advice as TossAdvice
from cardgym.games.cribbage.advice import advise as advise_toss
from cardgym.games.cribbage.cards import CARDS, JACK
from cardgym.games.cribbage.chance_table import HOLES
from cardgym.games.cribbage.pegging.values import WORLDS, card_values, is_close, toss_values
from cardgym.games.cribbage.plain_observation import SIZE, observe_plain
from cardgym.games.cribbage.play import points_for
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
from cardgym.table.advice import ActionAdvice, Advice, Adviser, ranked

_BLUNDER = {"points": 1.5, "% of games": 4.0}
"""What a blunder costs."""
_Z95 = 1.96


def adviser(options: CribbageOptions) -> Adviser:
    """The adviser for these options."""
    return Adviser(_advise, _standing, "points", _luck, "points by the cut")


def _advise(state: State, seat: int) -> Advice:
    return _advise_toss(state, seat) if state.phase == TOSSING else _advise_card(state, seat)


def _advise_toss(state: State, seat: int) -> Advice:
    cards = [int(card) for card in state.hand[seat]]
    dealer = bool(state.dealer == seat)
    scores = (int(state.scores[seat]), int(state.scores[1 - seat]))
    tosses = {frozenset(cards[place] for place in toss): number for number, toss in enumerate(TOSSES.tolist())}
    values, near = toss_values(_array(state), seat)
    actions = []
    for one in advise_toss(cards, dealer, scores, int(state.target)):
        toss = tosses[frozenset(one.keep.tossed)]
        value = 100.0 * float(values[toss]) if near else float(values[toss])
        play = "" if near else f"; play {value - one.worth:+.2f}"
        actions.append(
            ActionAdvice(CARDS + toss, action_text(state, CARDS + toss), value, _toss_reason(one, dealer) + play)
        )
    return _advice("toss", near, "exact counts of the hand, and what cribs and the play bring on average", actions)


def _advice(kind: str, near: bool, source: str, actions: list[ActionAdvice]) -> Advice:
    unit = "% of games" if near else "points"
    return Advice(f"late {kind}" if near else kind, unit, source, ranked(actions), _BLUNDER[unit])


def _toss_reason(one: TossAdvice, dealer: bool) -> str:
    keep = one.keep
    hand = f"hand {keep.hand_mean:.2f} ({keep.hand_min} to {keep.hand_max})"
    crib = f"{'own' if dealer else 'their'} crib {one.likely_crib:.2f}, {keep.crib_mean:.2f} if they toss anything"
    return "; ".join((hand, crib, *(why for why in one.why if "compared with" not in why)))


def _advise_card(state: State, seat: int) -> Advice:
    states, mask = _array(state), np.zeros(NUM_ACTIONS, np.int8)
    seen, scored = np.zeros(SIZE, np.float32), np.zeros(NUM_ACTIONS, np.int64)
    _look(states, seat, seen, mask, scored)
    cards = np.flatnonzero(mask)
    points, chances = card_values(states, seat, cards, _key_of(seen))
    near = is_close(states, seat)
    values = 100.0 * chances if near else points
    means = values.mean(axis=0)
    apart = values - values[:, [int(means.argmax())]]
    errors = _Z95 * apart.std(axis=0) / np.sqrt(WORLDS)
    actions = []
    for place, card in enumerate(cards.tolist()):
        reason = _card_reason(state, card, float(points[:, place].mean()), int(scored[card]))
        if int(state.target) <= HOLES and state.deals == 0:
            reason += f"; wins {100.0 * float(chances[:, place].mean()):.0f} % of games"
        actions.append(
            ActionAdvice(card, action_text(state, card), float(means[place]), reason, error=float(errors[place]))
        )
    return _advice("play", near, f"{WORLDS:,} hands the opponent may hold, played on by equilibrium", actions)


def _key_of(seen: npt.NDArray[np.float32]) -> int:
    """A generator's key from what the seat knows."""
    return int.from_bytes(hashlib.sha256(seen.tobytes()).digest()[:8], "little")


def _card_reason(state: State, card: int, value: float, points: int) -> str:
    pile = [int(rank) for rank in state.pile[: state.pile_size]] + [card % 13]
    count = int(state.count) + worth(card)
    reasons = [name for name, _ in explain_play(pile, count)]
    if count == 31:
        reasons.append("thirty-one")
    now = f"scores {points} ({', '.join(reasons) or 'go'})" if points else "scores nothing"
    return f"{now}; what may follow is worth {value - points:+.2f}"


def _standing(state: State, seat: int) -> float:
    return float(state.scores[seat])


def _luck(before: State, move: int, after: State, seat: int) -> float:
    """What the cut gave a seat more than the mean over all cuts: hand, crib and heels, less the opponent's."""
    if before.phase != STARTER:
        return 0.0
    gain = float(_cut_gain(_array(before), move))
    return gain if seat == before.dealer else -gain


def _array(state: State) -> npt.NDArray[Any]:
    states = np.zeros(1, STATE)
    states[:1] = state
    return states


# -- compiled ---------------------------------------------------------------------------------------------------------


@compiled
def _look(
    states: Any, seat: int, seen: npt.NDArray[np.float32], mask: npt.NDArray[np.int8], scored: npt.NDArray[np.int64]
) -> None:
    """Fill what the seat sees, what it may play, and the points of each of these cards now."""
    state = states[0]
    observe_plain(state, seat, seen)
    legal_action_mask(state, mask)
    for place in range(state.hand_size[seat]):
        card = int(state.hand[seat, place])
        if mask[card]:
            scored[card] = points_for(state, card)


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
