"""Games that two experts learn from, compiled; everything a run has to remember is in `Learner`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Generator, Record, rule, uniform
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.experts.deals import deal_cards, finish_deal
from cardgym.games.cribbage.experts.updates import gradient, paper_update, spread
from cardgym.games.cribbage.experts.values import EVENTS
from cardgym.games.cribbage.players import greedy_card
from cardgym.games.cribbage.rules import apply_action, setup
from cardgym.games.cribbage.state import (
    CRIB,
    DEALER_HAND,
    DEALER_PEGGING,
    HEELS,
    OVER,
    PLAYING,
    PONE_HAND,
    PONE_PEGGING,
)
from cardgym.games.cribbage.statistics_tables import Tables
from cardgym.games.cribbage.strategies import (
    HOLES,
    KEEPS,
    NUM_STRATEGIES,
    RANK_SETS,
    Knowledge,
    best_keep,
    kept_set,
    learn_pegging,
    score_keeps,
    update_figures,
)

PAPER, GRADIENT = range(2)
"""The updates."""
MAX_PATH = 64
"""Deals of a game that its path remembers; a deal has at least one point, but in practice a game has some nine."""


class Learner(NamedTuple):
    """All that changes as two experts learn; the second is the first itself in self-play."""

    logs: npt.NDArray[np.float64]
    """(experts, 121, 121, 2, 8): logarithms of the weights."""
    knowledge: Knowledge
    """What is known of pegging, shared."""
    values: npt.NDArray[np.float64]
    """(121, 121, 2): the chance to win, as `value_positions` has it."""
    deals: npt.NDArray[np.int8]
    """(kept, 32): the deals played last, as `value_positions` reads them."""
    counters: npt.NDArray[np.int64]
    """(4,): games played, deals kept so far, games that expert 0 won, decisions learned from."""
    generator: Generator
    """What all chance is drawn from."""


class Settings(NamedTuple):
    """What does not change while games are played."""

    update: int
    rate: float
    temperature: float
    reach: int
    credit: float
    anywhere: float
    own_crib: bool


@compiled
def seed_knowledge(states: Any, knowledge: Knowledge, chance: Generator, deals: int) -> None:
    """Play deals of random keeps, as the paper does, for a first knowledge of pegging."""
    state = states[0]
    for _ in range(deals):
        setup(state)
        deal_cards(state, chance)
        dealer = int(state.dealer)
        tosses = uniform(chance, KEEPS), uniform(chance, KEEPS)
        kept = kept_set(state.hand[0], tosses[0]), kept_set(state.hand[1], tosses[1])
        finish_deal(state, tosses[0], tosses[1], uniform(chance, 40))
        pegged = _pegged(state, 0), _pegged(state, 1)
        for seat in range(2):
            learn_pegging(knowledge, 1 if seat == dealer else 0, kept[seat], pegged[seat], pegged[1 - seat])
    for dealer in range(2):
        for kept_ranks in range(RANK_SETS):
            update_figures(knowledge, dealer, kept_ranks)


@rule
def _pegged(state: Record, seat: int) -> int:
    return int(state.tally[seat, PONE_PEGGING]) + int(state.tally[seat, DEALER_PEGGING])


@compiled
def train_games(tables: Tables, states: Any, learner: Learner, settings: Settings, games: int) -> None:
    """Play games between the experts and let them learn.

    Args:
        tables: what `build_tables` returns.
        states: three records of the game with its options; scratch paper but for their options.
        learner: changed.
        settings: how they learn.
        games: how many.
    """
    state = states[0]
    chance = learner.generator
    out = np.empty((KEEPS, 8), np.int32)
    scores = np.empty((2, NUM_STRATEGIES, KEEPS))
    weights = np.empty(NUM_STRATEGIES, np.float32)
    tosses = np.empty(2, np.int64)
    kept = np.empty(2, np.int64)
    path = np.empty((MAX_PATH, 2, 3), np.int64)
    chances, shares, step = np.empty(KEEPS), np.empty(KEEPS), np.empty(NUM_STRATEGIES)
    experts = len(learner.logs)
    for _ in range(games):
        setup(state)
        # Experts change seats from game to game.
        shift = int(learner.counters[0]) & 1
        if uniform(chance, 1 << 20) < settings.anywhere * (1 << 20):
            state.scores[0] = uniform(chance, HOLES)
            state.scores[1] = uniform(chance, HOLES)
        length = 0
        while state.phase != OVER:
            deal_cards(state, chance)
            at = min(length, MAX_PATH - 1)
            for seat in range(2):
                dealer = 1 if state.dealer == seat else 0
                path[at, seat, 0], path[at, seat, 1], path[at, seat, 2] = (
                    state.scores[seat], state.scores[1 - seat], dealer
                )  # fmt: skip
                score_keeps(
                    tables,
                    learner.knowledge.figures,
                    state.hand[seat],
                    dealer,
                    settings.own_crib,
                    out,
                    scores[seat],
                )
                logs = learner.logs[(seat ^ shift) % experts, path[at, seat, 0], path[at, seat, 1], dealer]
                for i in range(NUM_STRATEGIES):
                    weights[i] = np.exp(logs[i])
                tosses[seat] = best_keep(weights, scores[seat])
                kept[seat] = kept_set(state.hand[seat], tosses[seat])
            length += 1
            starter = uniform(chance, 40)
            if settings.update == GRADIENT:
                # One of the two, in turn: the other's keep stays what it was.
                seat = int(learner.counters[3]) & 1
                learner.counters[3] += 1
                own, other, dealer = path[at, seat, 0], path[at, seat, 1], path[at, seat, 2]
                for toss in range(KEEPS):
                    states[1] = states[0]
                    if seat == 0:
                        finish_deal(states[1], toss, tosses[1], starter)
                    else:
                        finish_deal(states[1], tosses[0], toss, starter)
                    chances[toss] = _chance(states[1], seat, learner.values)
                table = learner.logs[(seat ^ shift) % experts]
                gradient(table[own, other, dealer], scores[seat], chances, settings.temperature, shares, step)
                for i in range(NUM_STRATEGIES):
                    step[i] *= settings.rate
                spread(table, own, other, dealer, step, settings.reach)
            _play_on(state, tosses, kept, starter, learner)
        learner.counters[0] += 1
        winner = 0 if state.scores[0] > state.scores[1] else 1
        learner.counters[2] += 1 if winner == shift else 0
        if settings.update == PAPER:
            length = min(length, MAX_PATH)
            for seat in range(2):
                credit = 1.0
                for at in range(length - 1, -1, -1):
                    logs = learner.logs[
                        (seat ^ shift) % experts, path[at, seat, 0], path[at, seat, 1], path[at, seat, 2]
                    ]
                    paper_update(logs, seat == winner, credit)
                    credit *= settings.credit


@rule
def _chance(state: Record, seat: int, values: npt.NDArray[np.float64]) -> float:
    """The chance of `seat` to win after a deal."""
    if state.phase == OVER:
        return 1.0 if state.scores[seat] > state.scores[1 - seat] else 0.0
    return float(values[state.scores[seat], state.scores[1 - seat], 1 if state.dealer == seat else 0])


@rule
def _play_on(
    state: Record, tosses: npt.NDArray[np.int64], kept: npt.NDArray[np.int64], starter: int, learner: Learner
) -> None:
    """Play a deal out; where the game goes on, remember how the points fell and what was pegged."""
    dealer, deal = int(state.dealer), int(state.deal_number)
    before = np.empty((2, 6), np.int64)
    for seat in range(2):
        for kind in range(6):
            before[seat, kind] = state.tally[seat, kind]
    pegged = np.zeros(2, np.int64)
    row = int(learner.counters[1]) % len(learner.deals)
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
        return  # Cut short by the end of the game, it says too little of pegging and of points.
    pone = 1 - dealer
    events[size] = -(int(state.tally[pone, PONE_HAND]) - before[pone, PONE_HAND])
    events[size + 1] = int(state.tally[dealer, DEALER_HAND]) - before[dealer, DEALER_HAND]
    events[size + 2] = int(state.tally[dealer, CRIB]) - before[dealer, CRIB]
    for event in range(EVENTS):
        learner.deals[row, event] = events[event]
    learner.counters[1] += 1
    for seat in range(2):
        learn_pegging(
            learner.knowledge, 1 if seat == dealer else 0, int(kept[seat]), int(pegged[seat]), int(pegged[1 - seat])
        )
