"""The adviser of cribbage: the values of discards and cards to `equilibrium`.

Values are points. Near the target they are chances to win, in percent, and decisions have a kind of their own there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Generator, State, rule
from cardgym.engine.generator import derive, uniform_float
from cardgym.engine.numba.compilation import compiled
from cardgym.games.cribbage.advice import GAMES, POINTS, rated_tosses, reasons
from cardgym.games.cribbage.cards import CARDS, JACK, worth
from cardgym.games.cribbage.chance_table import HOLES, ChanceTable, chance_of_pone, is_near
from cardgym.games.cribbage.observations import PLAIN_SIZE, observe_plain, resample
from cardgym.games.cribbage.pegging.inference import Play, play_likelihood
from cardgym.games.cribbage.pegging.player import Buffers, decide, new_buffers, shipped
from cardgym.games.cribbage.pegging.policy import PeggingPolicy
from cardgym.games.cribbage.rules import apply_action, current_player, legal_action_mask
from cardgym.games.cribbage.scoring import explain_play, points_for, score_crib, score_hand
from cardgym.games.cribbage.state import (
    DEALER_PEGGING,
    NUM_ACTIONS,
    OVER,
    PLAYING,
    PONE_PEGGING,
    STARTER,
    STATE,
    TOSSING,
    CribbageOptions,
)
from cardgym.games.cribbage.text import action_text
from cardgym.statistics import half_widths
from cardgym.table.advice import ActionAdvice, Advice, Adviser, ranked

_BLUNDER = {POINTS: 1.5, GAMES: 4.0}
"""The least cost of a blunder. At 45 to 45, where the unit changes, a point is worth 2.9 % of games."""


def adviser(options: CribbageOptions) -> Adviser:
    return Adviser(_advise, _standing, "points", _luck, "points by the cut")


def _advise(state: State, seat: int) -> Advice:
    return _advise_toss(state, seat) if state.phase == TOSSING else _advise_card(state, seat)


def _advise_toss(state: State, seat: int) -> Advice:
    cards = [int(card) for card in state.hand[seat]]
    dealer = bool(state.dealer == seat)
    tosses = rated_tosses(cards, dealer, (int(state.scores[seat]), int(state.scores[1 - seat])), int(state.target))
    actions = [
        ActionAdvice(CARDS + one.toss, action_text(state, CARDS + one.toss), one.value, why)
        for one, why in zip(tosses, reasons(tosses, dealer), strict=True)
    ]
    source = "equilibrium, which counts hands exactly and knows what cribs and the play bring on average"
    return _advice("discard", tosses[0].unit, source, actions)


def _advice(kind: str, unit: str, source: str, actions: Sequence[ActionAdvice]) -> Advice:
    return Advice(f"late {kind}" if unit == GAMES else kind, unit, source, tuple(actions), _BLUNDER[unit])


def _advise_card(state: State, seat: int) -> Advice:
    states, mask = _array(state), np.zeros(NUM_ACTIONS, np.int8)
    seen, scored = np.zeros(PLAIN_SIZE, np.float32), np.zeros(NUM_ACTIONS, np.int64)
    _look(states, seat, seen, mask, scored)
    cards = np.flatnonzero(mask)
    points, chances = card_values(states, seat, cards, _key_of(seen))
    own, other = (int(state.target - state.scores[one]) for one in (seat, 1 - seat))
    near = bool(is_near(shipped()[1], own, other))
    values = 100.0 * chances if near else points
    means = values.mean(axis=0)
    apart = values - values[:, [int(means.argmax())]]
    errors = half_widths(apart)
    actions = []
    for place, card in enumerate(cards.tolist()):
        reason = _card_reason(state, card, float(points[:, place].mean()), int(scored[card]))
        if int(state.target) <= HOLES and state.deals == 0:
            reason += f"; wins {100.0 * float(chances[:, place].mean()):.0f} % of games"
        actions.append(
            ActionAdvice(card, action_text(state, card), float(means[place]), reason, error=float(errors[place]))
        )
    source = f"{WORLDS:,} hands the opponent may hold, played on by equilibrium"
    unit = GAMES if near else POINTS
    return _advice("play", unit, source, ranked(actions, unit))


def _key_of(seen: npt.NDArray[np.float32]) -> int:
    """A key for the generator that depends only on what the seat knows."""
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
    """By how much the cut beats the mean of all cuts for a seat: hand, crib and heels, minus the opponent's."""
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
    """Fill in what the seat sees, what it may play, and the points of each of these cards."""
    state = states[0]
    observe_plain(state, seat, seen)
    legal_action_mask(state, mask)
    for place in range(state.hand_size[seat]):
        card = int(state.hand[seat, place])
        if mask[card]:
            scored[card] = points_for(state, card)


@compiled
def _cut_gain(states: Any, move: int) -> float:
    """The dealer's points minus the pone's with this cut, minus their mean over all cuts."""
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


HANDS = 10_000
"""Hands drawn for a decision from all that the opponent can hold."""
WORLDS = 1000
"""Hands chosen among them by their weights and played to the end of the deal."""


def card_values(
    states: npt.NDArray[Any], seat: int, cards: npt.NDArray[np.int64], key: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The result of playing each card, when both seats then play like `equilibrium`, for sampled hands of the opponent.

    `HANDS` are drawn from all that the opponent can hold, and `WORLDS` of these in proportion to the probability that
    it kept the hand and played from it as it did.

    Args:
        states: one state, (1,), in which the seat is to play.
        seat: the seat.
        cards: its legal cards.
        key: key of the generator, which may depend only on what the seat knows.

    Returns:
        By world and card, the points won in the rest of the play minus the opponent's, and the chance to win: two
        arrays (worlds, cards).
    """
    policy, table = shipped()
    points, chances = np.zeros((WORLDS, len(cards))), np.zeros((WORLDS, len(cards)))
    records = np.zeros(3, states.dtype)
    records[0] = states[0]
    weights = np.zeros(HANDS)
    _weigh(records, seat, policy, np.uint64(key), weights)
    sums = np.cumsum(weights)
    drawn = np.searchsorted(sums, (np.arange(WORLDS) + 0.5) / WORLDS * sums[-1])
    _rollouts(records, seat, cards, policy, table, new_buffers(), np.uint64(key), drawn, points, chances)
    return points, chances


@compiled
def _weigh(records: Any, seat: int, policy: PeggingPolicy, key: np.uint64, weights: npt.NDArray[np.float64]) -> None:
    """Fill in the likelihood of each drawn hand of the opponent."""
    generator = np.zeros(2, np.uint64)
    for hand in range(weights.shape[0]):
        _draw(records, seat, key, hand, generator)
        weights[hand] = _likelihood(records[1], 1 - seat, policy)


@rule
def _draw(records: Any, seat: int, key: np.uint64, hand: int, generator: Generator) -> None:
    """Resample what the seat does not know: `records[1]` becomes `records[0]` with hand number `hand`."""
    generator[0] = derive(key, np.uint64(hand))
    generator[1] = np.uint64(0)
    records[1] = records[0]
    resample(records[1], seat, generator)


@compiled
def _rollouts(
    records: Any, seat: int, cards: npt.NDArray[np.int64], policy: PeggingPolicy, table: ChanceTable, buffers: Buffers,
    key: np.uint64, drawn: npt.NDArray[np.int64], points: npt.NDArray[np.float64], chances: npt.NDArray[np.float64],
) -> None:  # fmt: skip
    seen = np.empty(PLAIN_SIZE, np.float32)
    generator = np.zeros(2, np.uint64)
    for world in range(drawn.shape[0]):
        _draw(records, seat, key, drawn[world], generator)
        for place in range(cards.shape[0]):
            records[2] = records[1]
            state = records[2]
            dealer, deal = int(state.dealer), int(state.deal_number)
            before = _won_in_play(state, seat, dealer)
            generator[0] = derive(key, np.uint64(HANDS + world))  # The same draws for every card.
            generator[1] = np.uint64(0)
            apply_action(state, cards[place])
            while state.phase == PLAYING and state.deal_number == deal:
                player = current_player(state)
                observe_plain(state, player, seen)
                apply_action(state, decide(seen, policy, table, uniform_float(generator), buffers))
            points[world, place] = _won_in_play(state, seat, dealer) - before
            chances[world, place] = _chance_after(table, state, seat, dealer)


@rule
def _likelihood(state: State, other: int, policy: PeggingPolicy) -> float:
    """The likelihood of the other seat's hand, given the cards that it kept and played."""
    held = np.empty(6, np.int8)
    played = np.empty(8, np.int8)
    by = np.empty(8, np.int8)
    for place in range(state.hand_size[other]):
        held[place] = state.hand[other, place] % 13
    for place in range(state.num_played):
        played[place] = state.played[place] % 13
        by[place] = 1 if state.played_by[place] == state.dealer else 0
    side = 1 if state.dealer == other else 0
    return play_likelihood(policy, side, held, int(state.hand_size[other]), Play(played, by, int(state.num_played)))


@rule
def _won_in_play(state: State, seat: int, dealer: int) -> float:
    pone = int(state.tally[1 - dealer, PONE_PEGGING]) - int(state.tally[dealer, DEALER_PEGGING])
    return float(-pone if seat == dealer else pone)


@rule
def _chance_after(table: ChanceTable, state: State, seat: int, dealer: int) -> float:
    """The chance to win after a deal, from the scores; the pone deals next."""
    if state.phase == OVER:
        return 1.0 if state.scores[seat] > state.scores[1 - seat] else 0.0
    pone, new_dealer = int(state.target - state.scores[dealer]), int(state.target - state.scores[1 - dealer])
    if max(pone, new_dealer) > HOLES:
        return 0.5
    chance = chance_of_pone(table, 0, pone, new_dealer)
    return chance if seat == dealer else 1.0 - chance
