"""Compiled deals between players that toss by weights or like `greedy`, and play like `greedy`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Generator, State, rule
from cardgym.engine.generator import uniform
from cardgym.engine.numba.compilation import compiled
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.players import greedy, greedy_card
from cardgym.games.cribbage.rules import apply_action, num_chance_outcomes, setup
from cardgym.games.cribbage.state import OVER, PLAYING, TOSSING
from cardgym.games.cribbage.statistics_arrays import StatisticsArrays
from cardgym.games.cribbage.strategies import HOLES, KEEPS, NUM_STRATEGIES, best_keep, score_keeps

WEIGHTS, GREEDY, OWN_CRIB = range(3)
"""Kinds of players: by weights, `greedy`, and by weights with `own_crib`."""


@rule
def deal_cards(state: State, chance: Generator) -> None:
    """Draw all chance up to the tosses, in a new game with the cut for the deal."""
    while state.phase != TOSSING and state.phase != OVER:
        apply_action(state, uniform(chance, num_chance_outcomes(state)))


@rule
def finish_deal(state: State, toss: int, other_toss: int, starter: int) -> None:
    """Toss for seats 0 and 1, turn up the card at place `starter` of the pack, and play the deal to its end."""
    deal = state.deal_number
    apply_action(state, CARDS + toss)
    apply_action(state, CARDS + other_toss)
    apply_action(state, starter)
    while state.phase == PLAYING and state.deal_number == deal:
        apply_action(state, greedy_card(state, int(state.turn)))


@compiled
def play_match(
    arrays: StatisticsArrays, states: npt.NDArray[np.void], kinds: tuple[int, int],
    weights: tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]],
    figures: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]],
    key: np.uint64, first: int, wins: npt.NDArray[np.int64],
) -> None:  # fmt: skip
    """Play pairs of games on the same deals, with the seats swapped.

    Args:
        arrays: what `build_arrays` returns.
        states: one record of the game with its options.
        kinds: WEIGHTS, GREEDY or OWN_CRIB for each player.
        weights: (121, 121, 2, 8) for each player.
        figures: `PeggingStatistics.figures` for each player.
        key: the key of the deals.
        first: the number of the first pair.
        wins: (pairs,), filled with the games, 0 .. 2, that the first player wins of each pair.
    """
    state = states[0]
    chance = np.empty(2, np.uint64)
    out = np.empty((KEEPS, 8), np.int32)
    scores = np.empty((NUM_STRATEGIES, KEEPS))
    mask = np.ones(CARDS + KEEPS, np.int8)
    tosses = np.empty(2, np.int64)
    for game in range(len(wins)):
        wins[game] = 0
        for swap in range(2):
            setup(state)
            chance[0] = key + np.uint64(first + game) * np.uint64(0x9E3779B97F4A7C15)
            chance[1] = np.uint64(0)
            while True:
                deal_cards(state, chance)
                for seat in range(2):
                    dealer = 1 if state.dealer == seat else 0
                    own, other = int(state.scores[seat]), int(state.scores[1 - seat])
                    player = seat ^ swap
                    if kinds[player] == GREEDY:
                        tosses[seat] = greedy(state, seat, mask, chance) - CARDS
                    else:
                        own_crib = kinds[player] == OWN_CRIB
                        score_keeps(arrays, figures[player], state.hand[seat], dealer, own_crib, out, scores)
                        tosses[seat] = best_keep(weights[player][own, other, dealer], scores)
                finish_deal(state, tosses[0], tosses[1], uniform(chance, 40))
                if state.phase == OVER:
                    break
            if state.scores[swap] > state.scores[1 - swap]:
                wins[game] += 1


@compiled
def count_same(
    arrays: StatisticsArrays, states: npt.NDArray[np.void], kinds: tuple[int, int],
    weights: tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]],
    figures: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]],
    chance: Generator, samples: int,
) -> int:  # fmt: skip
    """From how many random hands, at scores that differ by at most 30, both sides toss the same; see `play_match`."""
    state = states[0]
    out = np.empty((KEEPS, 8), np.int32)
    scores = np.empty((NUM_STRATEGIES, KEEPS))
    same = 0
    for _ in range(samples):
        setup(state)
        deal_cards(state, chance)
        own, other = 0, HOLES
        while abs(own - other) > 30:
            own, other = uniform(chance, HOLES), uniform(chance, HOLES)
        dealer = 1 if state.dealer == 0 else 0
        score_keeps(arrays, figures[0], state.hand[0], dealer, kinds[0] == OWN_CRIB, out, scores)
        toss = best_keep(weights[0][own, other, dealer], scores)
        score_keeps(arrays, figures[1], state.hand[0], dealer, kinds[1] == OWN_CRIB, out, scores)
        if best_keep(weights[1][own, other, dealer], scores) == toss:
            same += 1
    return same
