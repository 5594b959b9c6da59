"""Compiled matches between experts, named weights and `greedy`, faster than the arena's."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float64s, Generator, Int64s, State, rule
from cardgym.engine.jit import JIT_DISABLED
from cardgym.engine.rules import GOLDEN, derive, uniform
from cardgym.errors import unknown
from cardgym.files.tensors import SUFFIX
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.experts import (
    HOLES,
    KEEPS,
    NUM_STRATEGIES,
    STRATEGIES,
    PeggingStatistics,
    Weights,
    best_keep,
    load_experts,
    score_keeps,
)
from cardgym.games.cribbage.game import GAME
from cardgym.games.cribbage.players import greedy
from cardgym.games.cribbage.rules import setup
from cardgym.games.cribbage.state import OVER
from cardgym.papers.cribbage.games import deal_cards, finish_deal
from cardgym.papers.cribbage.updates import scale_by_keep
from cardgym.papers.cribbage.weights import STARTS, named_weights
from cardgym.statistics import Interval, Moments

WEIGHTS, GREEDY, OWN_CRIB, BY_KEEP = range(4)
"""Kinds of players: weights, `greedy`, weights with `own_crib`, and weights of scores that are scaled by keep."""


OPPONENTS = ("greedy", "uniform", *STRATEGIES)
"""The opponents of trained experts in evaluations."""
_STREAM = np.uint64(0xE89E27)


class Side(NamedTuple):
    """A player in a match: weights with their pegging statistics, or `greedy`."""

    weights: Weights
    pegging: PeggingStatistics
    kind: int = WEIGHTS


def side(name: str, pegging: PeggingStatistics) -> Side:
    """Return the side with a name: `greedy`, a path to a weight file, or named weights, which read `pegging`.

    Raises:
        CardgymError: for another name, and as `load_experts`.
    """
    if name == "greedy":
        return Side(named_weights("uniform"), pegging, GREEDY)
    if name.endswith(SUFFIX):
        experts = load_experts(Path(name))
        return Side(experts.weights, experts.pegging, OWN_CRIB if experts.own_crib else WEIGHTS)
    if name not in STARTS:
        raise unknown("opponent", name, ("greedy", *STARTS, f"a path to a {SUFFIX} file"))
    return Side(named_weights(name), pegging)


def records(number: int) -> npt.NDArray[Any]:
    """States of the game for compiled code that plays whole games; an `np.recarray` with the JIT off."""
    states = np.repeat(np.asarray(GAME.blank_state(GAME.parse_options())), number)
    return states.view(np.recarray) if JIT_DISABLED else states


def match(one: Side, other: Side, games: int, seed: int) -> tuple[float, Interval]:
    """Return the first side's share of games with its 95 % interval; each deal is played from both seats.

    Args:
        one: the first side.
        other: its opponent.
        games: the number of games, rounded up to an even number.
        seed: seed of the deals.
    """
    wins = np.zeros(max((games + 1) // 2, 1), np.int64)
    key = np.uint64(derive(np.uint64(seed), _STREAM))  # Compiled functions return Python integers.
    _play_match(records(1), (one, other), key, wins)
    moments = Moments(2)
    moments.add(np.stack([wins, np.full(len(wins), 2)], axis=1).astype(np.float64))
    return moments.share(0, 1)


def same_tosses(one: Side, other: Side, samples: int, seed: int) -> float:
    """Return the share of random hands from which two sides with weights toss the same cards.

    Args:
        one: a side with weights.
        other: another side with weights.
        samples: the number of hands, each as dealer or pone at two random scores that differ by at most 30.
        seed: seed of the hands.
    """
    chance = np.array([derive(np.uint64(seed), _STREAM), 0], np.uint64)
    return int(_count_same(records(1), (one, other), chance, samples)) / samples


# -- compiled ---------------------------------------------------------------------------------------------------------


@rule
def _toss(side: Side, state: State, seat: int, own: int, other: int, scores: Float64s) -> int:
    """Return the toss of a side with weights at these scores; `scores`, (8, 15), is overwritten."""
    dealer = 1 if state.dealer == seat else 0
    score_keeps(side.pegging.figures, state.hand[seat], dealer, side.kind == OWN_CRIB, scores)
    if side.kind == BY_KEEP:
        scale_by_keep(scores)
    return best_keep(side.weights[own, other, dealer], scores)


@compiled
def _play_match(states: npt.NDArray[np.void], sides: tuple[Side, Side], key: np.uint64, wins: Int64s) -> None:
    """Play pairs of games on the same deals with the seats swapped.

    Args:
        states: one state of the game with its options.
        sides: the two players.
        key: the key of the deals.
        wins: (pairs,), filled with the number of games, 0 .. 2, that the first player wins of each pair.
    """
    state = states[0]
    chance = np.empty(2, np.uint64)
    scores = np.empty((NUM_STRATEGIES, KEEPS))
    mask = np.ones(CARDS + KEEPS, np.int8)
    tosses = np.empty(2, np.int64)
    for game in range(len(wins)):
        wins[game] = 0
        for swap in range(2):
            setup(state)
            chance[0] = key + np.uint64(game) * GOLDEN
            chance[1] = np.uint64(0)
            while True:
                deal_cards(state, chance)
                for seat in range(2):
                    side = sides[seat ^ swap]
                    if side.kind == GREEDY:
                        tosses[seat] = greedy(state, seat, mask, chance) - CARDS
                    else:
                        own, other = int(state.scores[seat]), int(state.scores[1 - seat])
                        tosses[seat] = _toss(side, state, seat, own, other, scores)
                finish_deal(state, tosses[0], tosses[1], uniform(chance, 40))
                if state.phase == OVER:
                    break
            if state.scores[swap] > state.scores[1 - swap]:
                wins[game] += 1


@compiled
def _count_same(states: npt.NDArray[np.void], sides: tuple[Side, Side], chance: Generator, samples: int) -> int:
    """Return the number of hands from which both sides toss the same."""
    state = states[0]
    scores = np.empty((NUM_STRATEGIES, KEEPS))
    same = 0
    for _ in range(samples):
        setup(state)
        deal_cards(state, chance)
        own, other = 0, HOLES
        while abs(own - other) > 30:
            own, other = uniform(chance, HOLES), uniform(chance, HOLES)
        if _toss(sides[0], state, 0, own, other, scores) == _toss(sides[1], state, 0, own, other, scores):
            same += 1
    return same
