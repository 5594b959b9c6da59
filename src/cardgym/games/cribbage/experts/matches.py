"""Matches between experts, weights that have a name and `greedy`, compiled; the arena plays the same, more slowly."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.arena.statistics import Interval, Moments
from cardgym.engine.compilation import config
from cardgym.engine.generator import derive
from cardgym.errors import unknown
from cardgym.games.cribbage.experts.deals import GREEDY, OWN_CRIB, WEIGHTS, count_same, play_match
from cardgym.games.cribbage.experts.player import STARTS, SUFFIX, Weights, load_experts, named_weights
from cardgym.games.cribbage.game import GAME
from cardgym.games.cribbage.statistics_tables import build_tables
from cardgym.games.cribbage.strategies import STRATEGIES, Knowledge

OPPONENTS = ("greedy", "uniform", *STRATEGIES)
"""Whom the trained experts are measured against."""
_STREAM = np.uint64(0xE89E27)


class Side(NamedTuple):
    """A player of a match: weights with their pegging knowledge, or `greedy`."""

    name: str
    weights: Weights
    knowledge: Knowledge
    kind: int = WEIGHTS


def side(name: str, knowledge: Knowledge) -> Side:
    """`greedy`, a weight file by its path, or weights that have a name, which read the `knowledge` given.

    Raises:
        CardgymError: for another name, or a weight file that is refused.
    """
    if name == "greedy":
        return Side(name, named_weights("uniform"), knowledge, GREEDY)
    if name.endswith(SUFFIX):
        experts = load_experts(Path(name))
        return Side(name, experts.weights, experts.knowledge, OWN_CRIB if experts.own_crib else WEIGHTS)
    if name not in STARTS:
        raise unknown("opponent", name, ("greedy", *STARTS, f"a path to a {SUFFIX} file"))
    return Side(name, named_weights(name), knowledge)


def records(number: int) -> npt.NDArray[Any]:
    """Records of the game for compiled code that plays by itself; with the JIT off, a recarray."""
    found = np.repeat(np.asarray(GAME.new_record(GAME.options.parse({}))), number)
    return found.view(np.recarray) if config.DISABLE_JIT else found


def match(one: Side, other: Side, games: int, seed: int) -> tuple[float, Interval]:
    """The first side's share of games, and its 95 % interval; each deal is played from both seats.

    Args:
        one: whose share it is.
        other: its opponent.
        games: how many, rounded up to whole pairs.
        seed: what they are dealt from.
    """
    wins = np.zeros(max((games + 1) // 2, 1), np.int64)
    key = np.uint64(derive(np.uint64(seed), _STREAM))  # Compiled functions return plain integers.
    play_match(
        build_tables(), records(1), (one.kind, other.kind), (one.weights, other.weights),
        (one.knowledge.figures, other.knowledge.figures), key, 0, wins,
    )  # fmt: skip
    moments = Moments(2)
    moments.add(np.stack([wins, np.full(len(wins), 2)], axis=1).astype(np.float64))
    return moments.share(0, 1)


def same_tosses(one: Side, other: Side, samples: int, seed: int) -> float:
    """How often two sides with weights toss alike, from 0 to 1, where both scores are within 30 points.

    Args:
        one: a side with weights.
        other: the same.
        samples: hands, each at two scores and as dealer or pone, all drawn at random.
        seed: what they are drawn from.
    """
    chance = np.array([derive(np.uint64(seed), _STREAM), 0], np.uint64)
    count = count_same(
        build_tables(), records(1), (one.kind, other.kind), (one.weights, other.weights),
        (one.knowledge.figures, other.knowledge.figures), chance, samples,
    )  # fmt: skip
    return int(count) / samples
