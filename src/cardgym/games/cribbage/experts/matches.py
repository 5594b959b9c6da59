"""Compiled matches between experts, named weights and `greedy`; the arena plays the same matches more slowly."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.arena.statistics import Interval, Moments
from cardgym.engine.generator import derive
from cardgym.engine.numba.compilation import config
from cardgym.errors import unknown
from cardgym.games.cribbage.experts.deals import GREEDY, OWN_CRIB, WEIGHTS, count_same, play_match
from cardgym.games.cribbage.experts.player import STARTS, SUFFIX, Weights, load_experts, named_weights
from cardgym.games.cribbage.game import GAME
from cardgym.games.cribbage.statistics_arrays import build_arrays
from cardgym.games.cribbage.strategies import STRATEGIES, PeggingStatistics

OPPONENTS = ("greedy", "uniform", *STRATEGIES)
"""The opponents that trained experts are measured against."""
_STREAM = np.uint64(0xE89E27)


class Side(NamedTuple):
    """A player of a match: weights with their pegging statistics, or `greedy`."""

    name: str
    weights: Weights
    pegging: PeggingStatistics
    kind: int = WEIGHTS


def side(name: str, pegging: PeggingStatistics) -> Side:
    """The side that a name means: `greedy`, a weight file by its path, or named weights, which read `pegging`.

    Raises:
        CardgymError: for another name, and as `load_experts`.
    """
    if name == "greedy":
        return Side(name, named_weights("uniform"), pegging, GREEDY)
    if name.endswith(SUFFIX):
        experts = load_experts(Path(name))
        return Side(name, experts.weights, experts.pegging, OWN_CRIB if experts.own_crib else WEIGHTS)
    if name not in STARTS:
        raise unknown("opponent", name, ("greedy", *STARTS, f"a path to a {SUFFIX} file"))
    return Side(name, named_weights(name), pegging)


def records(number: int) -> npt.NDArray[Any]:
    """Records of the game for compiled code that plays whole games; with the JIT off, an `np.recarray`."""
    states = np.repeat(np.asarray(GAME.new_record(GAME.parse_options())), number)
    return states.view(np.recarray) if config.DISABLE_JIT else states


def match(one: Side, other: Side, games: int, seed: int) -> tuple[float, Interval]:
    """The first side's share of games with its 95 % interval; each deal is played from both seats.

    Args:
        one: the first side.
        other: its opponent.
        games: how many games, rounded up to an even number.
        seed: seed of the deals.
    """
    wins = np.zeros(max((games + 1) // 2, 1), np.int64)
    key = np.uint64(derive(np.uint64(seed), _STREAM))  # Compiled functions return Python integers.
    play_match(
        build_arrays(), records(1), (one.kind, other.kind), (one.weights, other.weights),
        (one.pegging.figures, other.pegging.figures), key, 0, wins,
    )  # fmt: skip
    moments = Moments(2)
    moments.add(np.stack([wins, np.full(len(wins), 2)], axis=1).astype(np.float64))
    return moments.share(0, 1)


def same_tosses(one: Side, other: Side, samples: int, seed: int) -> float:
    """The share of random hands from which two sides with weights toss the same cards.

    Args:
        one: a side with weights.
        other: another side with weights.
        samples: how many hands, each as dealer or pone at two random scores that differ by at most 30.
        seed: seed of the hands.
    """
    chance = np.array([derive(np.uint64(seed), _STREAM), 0], np.uint64)
    count = count_same(
        build_arrays(), records(1), (one.kind, other.kind), (one.weights, other.weights),
        (one.pegging.figures, other.pegging.figures), chance, samples,
    )  # fmt: skip
    return int(count) / samples
