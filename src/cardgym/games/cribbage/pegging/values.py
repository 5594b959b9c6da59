"""What cards and tosses are worth to `equilibrium`, for the coach: in points, or near the target in games won."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Generator, State, rule
from cardgym.engine.generator import derive, uniform_float
from cardgym.engine.numba.compilation import compiled
from cardgym.games.cribbage.chance_table import HOLES, ChanceTable, chance_of_pone, is_near
from cardgym.games.cribbage.observations import resample
from cardgym.games.cribbage.pegging.inference import play_likelihood
from cardgym.games.cribbage.pegging.player import Buffers, decide, new_buffers, shipped
from cardgym.games.cribbage.pegging.policy import PeggingPolicy
from cardgym.games.cribbage.plain_observation import SIZE, observe_plain
from cardgym.games.cribbage.rules import apply_action, current_player
from cardgym.games.cribbage.state import DEALER_PEGGING, NUM_TOSSES, OVER, PLAYING, PONE_PEGGING

HANDS = 10_000
"""How many hands of the opponent are drawn from all that it can hold, for a decision."""
WORLDS = 1000
"""How many of them, by their weights, are played out."""


def toss_values(states: npt.NDArray[Any], seat: int) -> tuple[npt.NDArray[np.float32], bool]:
    """The value of each toss, (15,) float32, and whether it is a chance to win: else points.

    Args:
        states: one record, (1,), in which the seat is to toss.
        seat: the seat.
    """
    policy, table = shipped()
    values = np.empty(NUM_TOSSES, np.float32)
    near = is_close(states, seat)
    _rate_tosses(states, seat, near, policy, table, new_buffers(), values)
    return values, near


def is_close(states: npt.NDArray[Any], seat: int) -> bool:
    """Whether the chance to win decides at this score, rather than points."""
    state = states[0]
    own, other = (int(state["target"] - state["scores"][one]) for one in (seat, 1 - seat))
    return bool(is_near(shipped()[1], own, other))


def card_values(
    states: npt.NDArray[Any], seat: int, cards: npt.NDArray[np.int64], key: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """What playing each card comes to when both then play like `equilibrium`, in drawn hands of the opponent.

    A hand is drawn as often as it is probable that the opponent kept it and played from it as it did: `HANDS` are drawn
    from all that it can hold, and `WORLDS` of these by their weights.

    Args:
        states: one record, (1,), in which the seat is to play.
        seat: the seat.
        cards: its legal cards.
        key: decides what is drawn; it may depend on what the seat knows alone.

    Returns:
        By world and card the points won in the rest of the play, less the opponent's, (worlds, cards); and likewise the
        chance to win.
    """
    policy, table = shipped()
    points, chances = np.zeros((WORLDS, len(cards))), np.zeros((WORLDS, len(cards)))
    records = np.zeros(3, states.dtype)
    records[0] = states[0]
    weights = np.zeros(HANDS)
    _weigh(records, seat, policy, np.uint64(key), weights)
    sums = np.cumsum(weights)
    drawn = np.searchsorted(sums, (np.arange(WORLDS) + 0.5) / WORLDS * sums[-1])
    _play_out(records, seat, cards, policy, table, new_buffers(), np.uint64(key), drawn, points, chances)
    return points, chances


@compiled
def _rate_tosses(
    states: Any, seat: int, near: bool, policy: PeggingPolicy, table: ChanceTable, buffers: Buffers,
    values: npt.NDArray[np.float32],
) -> None:  # fmt: skip
    state = states[0]
    seen = np.empty(SIZE, np.float32)
    observe_plain(state, seat, seen)
    decide(seen, policy, table, -1.0, buffers)
    for toss in range(values.shape[0]):
        values[toss] = buffers.chances[toss] if near else buffers.worths[toss]


@compiled
def _weigh(records: Any, seat: int, policy: PeggingPolicy, key: np.uint64, weights: npt.NDArray[np.float64]) -> None:
    """Fill in how probable each drawn hand of the opponent is."""
    generator = np.zeros(2, np.uint64)
    for hand in range(weights.shape[0]):
        _draw(records, seat, key, hand, generator)
        weights[hand] = _likelihood(records[1], 1 - seat, policy)


@rule
def _draw(records: Any, seat: int, key: np.uint64, hand: int, generator: Generator) -> None:
    """Draw what the seat does not know: `records[1]` is `records[0]` with hand number `hand`."""
    generator[0] = derive(key, np.uint64(hand))
    generator[1] = np.uint64(0)
    records[1] = records[0]
    resample(records[1], seat, generator)


@compiled
def _play_out(
    records: Any, seat: int, cards: npt.NDArray[np.int64], policy: PeggingPolicy, table: ChanceTable, buffers: Buffers,
    key: np.uint64, drawn: npt.NDArray[np.int64], points: npt.NDArray[np.float64], chances: npt.NDArray[np.float64],
) -> None:  # fmt: skip
    seen = np.empty(SIZE, np.float32)
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
    """How probable the other seat's hand is, from what it kept and played."""
    held = np.empty(6, np.int8)
    played = np.empty(8, np.int8)
    by = np.empty(8, np.int8)
    for place in range(state.hand_size[other]):
        held[place] = state.hand[other, place] % 13
    for place in range(state.num_played):
        played[place] = state.played[place] % 13
        by[place] = 1 if state.played_by[place] == state.dealer else 0
    side = 1 if state.dealer == other else 0
    return play_likelihood(policy, side, held, int(state.hand_size[other]), played, by, int(state.num_played))


@rule
def _won_in_play(state: State, seat: int, dealer: int) -> float:
    pone = int(state.tally[1 - dealer, PONE_PEGGING]) - int(state.tally[dealer, DEALER_PEGGING])
    return float(-pone if seat == dealer else pone)


@rule
def _chance_after(table: ChanceTable, state: State, seat: int, dealer: int) -> float:
    """The chance to win after a deal: by the scores, the pone deals next."""
    if state.phase == OVER:
        return 1.0 if state.scores[seat] > state.scores[1 - seat] else 0.0
    pone, new_dealer = int(state.target - state.scores[dealer]), int(state.target - state.scores[1 - dealer])
    if max(pone, new_dealer) > HOLES:
        return 0.5
    chance = chance_of_pone(table, 0, pone, new_dealer)
    return chance if seat == dealer else 1.0 - chance
