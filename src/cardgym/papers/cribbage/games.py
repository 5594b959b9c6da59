"""The compiled games that experts learn from; `Learner` holds everything that changes in a run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float64s, Generator, Int8s, Int64s, State, rule, uniform
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.experts import (
    HOLES,
    KEEPS,
    NUM_STRATEGIES,
    RANK_SETS,
    PeggingStatistics,
    best_keep,
    score_keeps,
)
from cardgym.games.cribbage.players import greedy_card
from cardgym.games.cribbage.rules import apply_action, num_chance_outcomes, pegging_points, setup
from cardgym.games.cribbage.state import (
    CRIB,
    DEALER_HAND,
    DEALER_PEGGING,
    HEELS,
    OVER,
    PLAYING,
    PONE_HAND,
    PONE_PEGGING,
    TOSSING,
)
from cardgym.games.cribbage.tosses import kept_set
from cardgym.papers.cribbage.updates import EVENTS, POINT, gradient, paper_update, scale_by_keep, spread
from cardgym.papers.cribbage.weights import add_pegging, update_figures


@rule
def deal_cards(state: State, chance: Generator) -> None:
    """Play all chance up to the tosses; in a new game this includes the cut."""
    while state.phase != TOSSING and state.phase != OVER:
        apply_action(state, uniform(chance, num_chance_outcomes(state)))


@rule
def finish_deal(state: State, toss: int, other_toss: int, starter: int) -> None:
    """Toss for both seats, turn up the card at place `starter` of the pack, and finish the deal like `greedy`."""
    deal = state.deal_number
    apply_action(state, CARDS + toss)
    apply_action(state, CARDS + other_toss)
    apply_action(state, starter)
    while state.phase == PLAYING and state.deal_number == deal:
        apply_action(state, greedy_card(state, int(state.turn)))


PAPER, GRADIENT = range(2)
"""The updates; see `updates`."""
MAX_PATH = 64
"""Most deals in the path of a game. A game has about nine; later deals share the last entry."""
GAMES, DEALS, WINS, DECISIONS = range(4)
"""`Learner.counters`: games played, deals kept, games that expert 0 has won, decisions learned from."""


class Learner(NamedTuple):
    """The state of the experts: one that plays itself, or two."""

    logs: Float64s
    """(experts, 121, 121, 2, 8), float64: logarithms of the weights."""
    pegging: PeggingStatistics
    """The pegging statistics, which both experts share."""
    values: Float64s
    """(121, 121, 2), float64: the chance to win from each position; see `value_positions`."""
    deals: Int8s
    """(buffer_size, 32), int8: the last deals played, as `value_positions` reads them."""
    counters: Int64s
    """(4,), int64: `GAMES` .. `DECISIONS`."""
    generator: Generator
    """The source of all chance."""


class Settings(NamedTuple):
    """The hyperparameters that the compiled games read; see `ExpertsConfig`."""

    update: int
    learning_rate: float
    temperature: float
    reach: int
    gamma: float
    exploring_starts: float
    own_crib: bool
    by_keep: bool
    spread: bool


@compiled
def seed_pegging(states: Any, pegging: PeggingStatistics, chance: Generator, deals: int) -> None:
    """Play deals with random keeps, as the paper does, for the first pegging statistics."""
    state = states[0]
    for _ in range(deals):
        setup(state)
        deal_cards(state, chance)
        dealer = int(state.dealer)
        tosses = uniform(chance, KEEPS), uniform(chance, KEEPS)
        kept = kept_set(state.hand[0], tosses[0]), kept_set(state.hand[1], tosses[1])
        finish_deal(state, tosses[0], tosses[1], uniform(chance, 40))
        pegged = int(pegging_points(state, 0)), int(pegging_points(state, 1))
        for seat in range(2):
            add_pegging(pegging, 1 if seat == dealer else 0, kept[seat], pegged[seat], pegged[1 - seat])
    for dealer in range(2):
        for kept_ranks in range(RANK_SETS):
            update_figures(pegging, dealer, kept_ranks)


@compiled
def train_games(states: Any, learner: Learner, settings: Settings, games: int) -> None:
    """Play games between the experts and update their weights.

    Args:
        states: two states of the game with its options; overwritten.
        learner: updated.
        settings: how the experts learn.
        games: the number of games.
    """
    state = states[0]
    chance = learner.generator
    scores = np.empty((2, NUM_STRATEGIES, KEEPS))
    tosses = np.empty(2, np.int64)
    kept = np.empty(2, np.int64)
    path = np.empty((MAX_PATH, 2, 3), np.int64)
    for _ in range(games):
        setup(state)
        # Experts change seats from game to game: in odd games expert 0 has seat 1.
        shift = int(learner.counters[GAMES]) & 1
        if uniform(chance, 1 << 20) < settings.exploring_starts * (1 << 20):
            state.scores[0] = uniform(chance, HOLES)
            state.scores[1] = uniform(chance, HOLES)
        length = 0
        while state.phase != OVER:
            deal_cards(state, chance)
            at = min(length, MAX_PATH - 1)
            _choose_tosses(state, learner, settings, shift, path[at], scores, tosses, kept)
            length += 1
            starter = uniform(chance, 40)
            if settings.update == GRADIENT:
                _learn_from_deal(states, learner, settings, shift, path[at], scores, tosses, starter)
            _play_on(state, tosses, kept, starter, learner)
        learner.counters[GAMES] += 1
        winner = 0 if state.scores[0] > state.scores[1] else 1
        learner.counters[WINS] += 1 if winner == shift else 0
        if settings.update == PAPER:
            _learn_from_game(learner, settings, shift, path[: min(length, MAX_PATH)], winner)


@rule
def _logs_of(learner: Learner, seat: int, shift: int) -> Float64s:
    """Return the logarithms of the weights of the expert in a seat."""
    logs: Float64s = learner.logs[(seat ^ shift) % len(learner.logs)]
    return logs


@rule
def _choose_tosses(
    state: State, learner: Learner, settings: Settings, shift: int, places: Int64s, scores: Float64s, tosses: Int64s,
    kept: Int64s,
) -> None:  # fmt: skip
    """Fill in each seat's position, (2, 3), the desirabilities of its keeps, its toss and the ranks that it keeps."""
    weights = np.empty(NUM_STRATEGIES, np.float32)
    for seat in range(2):
        dealer = 1 if state.dealer == seat else 0
        places[seat, 0], places[seat, 1], places[seat, 2] = state.scores[seat], state.scores[1 - seat], dealer
        score_keeps(learner.pegging.figures, state.hand[seat], dealer, settings.own_crib, scores[seat])
        if settings.by_keep:
            scale_by_keep(scores[seat])
        logs = _logs_of(learner, seat, shift)[places[seat, 0], places[seat, 1], dealer]
        for i in range(NUM_STRATEGIES):
            weights[i] = np.exp(logs[i])
        tosses[seat] = best_keep(weights, scores[seat])
        kept[seat] = kept_set(state.hand[seat], tosses[seat])


@rule
def _learn_from_deal(
    states: Any, learner: Learner, settings: Settings, shift: int, places: Int64s, scores: Float64s, tosses: Int64s,
    starter: int,
) -> None:  # fmt: skip
    """Make the gradient update of a deal. The seats take turns to learn, while the other's keep stays the same."""
    seat = int(learner.counters[DECISIONS]) & 1
    learner.counters[DECISIONS] += 1
    own, other, dealer = places[seat, 0], places[seat, 1], places[seat, 2]
    chances, shares, step = np.empty(KEEPS), np.empty(KEEPS), np.empty(NUM_STRATEGIES)
    for toss in range(KEEPS):
        states[1] = states[0]
        if seat == 0:
            finish_deal(states[1], toss, tosses[1], starter)
        else:
            finish_deal(states[1], tosses[0], toss, starter)
        chances[toss] = _chance(states[1], seat, learner.values, settings.spread)
    logs = _logs_of(learner, seat, shift)
    gradient(logs[own, other, dealer], scores[seat], chances, settings.temperature, shares, step)
    for i in range(NUM_STRATEGIES):
        step[i] *= settings.learning_rate
    spread(logs, own, other, dealer, step, settings.reach)


@rule
def _learn_from_game(learner: Learner, settings: Settings, shift: int, path: Int64s, winner: int) -> None:
    """Make the paper's update of a game: at the positions of both seats, from the last deal back."""
    for seat in range(2):
        discount = 1.0
        for at in range(len(path) - 1, -1, -1):
            place = path[at, seat]
            paper_update(_logs_of(learner, seat, shift)[place[0], place[1], place[2]], seat == winner, discount)
            discount *= settings.gamma


@rule
def _chance(state: State, seat: int, values: Float64s, lead_counts: bool) -> float:
    """Return the chance of `seat` to win after a deal; if its lead counts, so much for each point of it."""
    if lead_counts:
        return 0.5 + POINT * float(state.scores[seat] - state.scores[1 - seat])
    if state.phase == OVER:
        return 1.0 if state.scores[seat] > state.scores[1 - seat] else 0.0
    return float(values[state.scores[seat], state.scores[1 - seat], 1 if state.dealer == seat else 0])


@rule
def _play_on(state: State, tosses: Int64s, kept: Int64s, starter: int, learner: Learner) -> None:
    """Finish a deal. If the game continues, keep its scores in order and add them to the pegging statistics."""
    dealer, deal = int(state.dealer), int(state.deal_number)
    before = np.empty((2, 6), np.int64)
    for seat in range(2):
        for kind in range(6):
            before[seat, kind] = state.tally[seat, kind]
    pegged = np.zeros(2, np.int64)
    row = int(learner.counters[DEALS]) % len(learner.deals)
    events = np.zeros(EVENTS, np.int8)
    apply_action(state, CARDS + tosses[0])
    apply_action(state, CARDS + tosses[1])
    apply_action(state, starter)
    size = 0
    if state.tally[dealer, HEELS] > before[dealer, HEELS]:
        events[0] = 2
        size = 1
    while state.phase == PLAYING and state.deal_number == deal:
        seat = int(state.turn)
        kind = DEALER_PEGGING if seat == dealer else PONE_PEGGING
        had = int(state.tally[seat, kind])
        apply_action(state, greedy_card(state, seat))
        points = int(state.tally[seat, kind]) - had
        pegged[seat] += points
        if points > 0:
            events[size] = points if seat == dealer else -points
            size += 1
    if state.phase == OVER:
        return  # A deal cut short by the end of the game would bias both.
    pone = 1 - dealer
    events[size] = -(int(state.tally[pone, PONE_HAND]) - before[pone, PONE_HAND])
    events[size + 1] = int(state.tally[dealer, DEALER_HAND]) - before[dealer, DEALER_HAND]
    events[size + 2] = int(state.tally[dealer, CRIB]) - before[dealer, CRIB]
    for event in range(EVENTS):
        learner.deals[row, event] = events[event]
    learner.counters[DEALS] += 1
    for seat in range(2):
        side = 1 if seat == dealer else 0
        add_pegging(learner.pegging, side, int(kept[seat]), int(pegged[seat]), int(pegged[1 - seat]))
