"""Experts at cribbage: weight files, and the player that tosses by one and plays like `greedy`.

A weight file holds the weights for every own score, opponent's score and side, the pegging statistics that they were
learned with, and in its document the run that made it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, ConfigDict

from cardgym.engine.contract import Game, Options, offsets
from cardgym.engine.numba.compilation import compiled
from cardgym.errors import CardgymError, unknown
from cardgym.files.documents import Document, Items, Name
from cardgym.files.tensors import SUFFIX, Layout, read_tensors, write_tensors
from cardgym.games.cribbage import PACKAGE
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.experts.strategies import (
    FAMILIES,
    HOLES,
    KEEPS,
    NUM_STRATEGIES,
    STRATEGIES,
    PeggingStatistics,
    best_keep,
    new_pegging,
    score_keeps,
)
from cardgym.games.cribbage.observations import features
from cardgym.games.cribbage.statistics_arrays import StatisticsArrays, build_arrays
from cardgym.players.actions import Actions, Masks, Observations
from cardgym.players.base import Player

FORMAT = "cardgym-experts-1"
SHAPE = (HOLES, HOLES, 2, NUM_STRATEGIES)
"""Weights by own score, opponent's score, 1 for the dealer or 0 for the pone, and strategy."""
STARTS = ("uniform", "random", *FAMILIES, *STRATEGIES)
"""Weights that have a name: equal, random, those of one family, or a single strategy."""
_OTHERS = 0.02
"""What the weights of a family leave to all strategies together: a weight of 0 could never grow."""

Weights = npt.NDArray[np.float32]


def _known_strategies(names: tuple[str, ...]) -> tuple[str, ...]:
    if names != tuple(STRATEGIES):
        raise ValueError("made for other strategies")
    return names


class ExpertsMetadata(Document):
    """What is saved with experts, and whatever else made the file."""

    model_config = ConfigDict(extra="allow")

    format: Literal["cardgym-experts-1"]
    """`FORMAT`."""
    strategies: Annotated[Items[Name], AfterValidator(_known_strategies)]
    """The names of the strategies that the weights are for, in order."""
    own_crib: bool = False
    """Whether the crib counts for its owner alone."""


@dataclass(frozen=True, eq=False)
class Experts:
    """What a weight file holds.

    Attributes:
        weights: (121, 121, 2, 8), float32; those of each position add up to 1.
        pegging: the pegging statistics that they were learned with.
        own_crib: whether `crib_min_avg` prefers a rich crib as dealer; see `score_keeps`.
        about: what made the file, plain values.
    """

    weights: Weights
    pegging: PeggingStatistics
    own_crib: bool
    about: Mapping[str, Any]


def named_weights(name: str, seed: int = 0) -> Weights:
    """The weights of one of `STARTS`, (121, 121, 2, 8) float32; all but `random` are the same at every position.

    Raises:
        CardgymError: for another name.
    """
    if name not in STARTS:
        raise unknown("weights", name, [*STARTS, f"a path to a {SUFFIX} file"])
    if name == "random":
        drawn = np.random.default_rng([seed, 8]).dirichlet(np.ones(NUM_STRATEGIES), SHAPE[:-1])
        return np.ascontiguousarray(drawn, np.float32)
    row = np.zeros(NUM_STRATEGIES)
    if name == "uniform":
        row[:] = 1.0
    elif name in FAMILIES:
        row[:] = _OTHERS / NUM_STRATEGIES
        row[list(FAMILIES[name])] += (1.0 - _OTHERS) / len(FAMILIES[name])
    else:
        row[STRATEGIES.index(name)] = 1.0
    return np.ascontiguousarray(np.broadcast_to(row / row.sum(), SHAPE), np.float32)


def save_experts(path: Path, weights: Weights, pegging: PeggingStatistics, about: Mapping[str, Any]) -> None:
    """Write a weight file.

    Raises:
        CardgymError: if it cannot be written, or its name does not end in `.safetensors`.
    """
    if not path.name.endswith(SUFFIX):
        raise CardgymError(f"weight file {path}: its name must end in {SUFFIX}")
    tensors = {"weights": weights, **{f"pegging_{name}": value for name, value in pegging._asdict().items()}}
    write_tensors(path, {"format": FORMAT, "strategies": STRATEGIES, **about}, tensors)


def load_experts(path: Path) -> Experts:
    """Read a weight file.

    Raises:
        CardgymError: if it is missing, truncated or not a weight file, or if its weights have another shape, are
            negative or not finite, or are all 0 at a position.
    """
    what = f"weight file {path}"
    pegging = new_pegging()._asdict()
    layout: Layout = {
        "weights": (np.float32, SHAPE),
        **{f"pegging_{name}": (array.dtype, array.shape) for name, array in pegging.items()},
    }
    metadata, tensors = read_tensors(path, what, ExpertsMetadata, layout)
    weights = _checked_weights(path, tensors["weights"])
    about = metadata.model_dump(exclude={"format", "strategies"})
    return Experts(weights, _checked_pegging(path, tensors), metadata.own_crib, about)


def _checked_weights(path: Path, weights: npt.NDArray[Any]) -> Weights:
    wrong = weights < 0
    if wrong.any():
        own, other, dealer, strategy = np.argwhere(wrong)[0].tolist()
        raise CardgymError(
            f"weight file {path}: weight {weights[own, other, dealer, strategy]} of {STRATEGIES[strategy]} at "
            f"{own}-{other} as {'dealer' if dealer else 'pone'}; allowed are numbers of at least 0"
        )
    empty = weights.sum(-1) <= 0
    if empty.any():
        own, other, dealer = np.argwhere(empty)[0].tolist()
        raise CardgymError(f"weight file {path}: all weights are 0 at {own}-{other}; at least one must be above 0")
    return weights


def _checked_pegging(path: Path, tensors: Mapping[str, npt.NDArray[Any]]) -> PeggingStatistics:
    arrays = []
    for name in PeggingStatistics._fields:
        array = tensors[f"pegging_{name}"]
        if (array < 0).any():
            raise CardgymError(f"weight file {path}: pegging_{name} must hold numbers of at least 0")
        arrays.append(np.ascontiguousarray(array))
    return PeggingStatistics(*arrays)


class ExpertsPlayer(Player):
    """The player of a weight file, which acts on batches; deterministic.

    Attributes:
        experts: what the weight file holds.
    """

    observation_name = "full"

    def __init__(self, name: str, experts: Experts, options: Options) -> None:
        self.name = name
        self.experts = experts
        self._arrays = build_arrays()
        at = offsets(features(options))  # type: ignore[arg-type]  # `load_player` has checked that they are cribbage's.
        self._offsets = np.array([at[name] for name in ("phase", "dealer", "scores", "hand", "points_now")])

    def act(self, observations: Observations, masks: Masks, draws: npt.NDArray[np.float64] | None = None) -> Actions:
        """See `Player.act`."""
        actions = np.empty(len(observations), np.int64)
        experts = self.experts
        _act(
            self._arrays,
            experts.weights,
            experts.pegging.figures,
            self._offsets,
            experts.own_crib,
            np.ascontiguousarray(observations),
            np.ascontiguousarray(masks),
            actions,
        )
        return actions


@compiled
def _act(
    arrays: StatisticsArrays, weights: Weights, figures: npt.NDArray[np.float64], starts: npt.NDArray[np.int64],
    own_crib: bool, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8], actions: npt.NDArray[np.int64],
) -> None:  # fmt: skip
    """Fill `actions`; `starts` are the offsets of the five features that are read."""
    phase, dealer_at, scores_at, hand, points_at = starts
    cards = np.empty(6, np.int8)
    out = np.empty((KEEPS, 8), np.int32)
    scores = np.empty((NUM_STRATEGIES, KEEPS))
    for row in range(len(observations)):
        observation = observations[row]
        if observation[phase] > 0.0:
            size = 0
            for rank in range(13):
                for suit in range(4):
                    if size < 6 and observation[hand + 13 * suit + rank] > 0.0:
                        cards[size] = 13 * suit + rank
                        size += 1
            own = min(int(observation[scores_at] * HOLES + 0.5), HOLES - 1)
            other = min(int(observation[scores_at + 1] * HOLES + 0.5), HOLES - 1)
            dealer = 1 if observation[dealer_at] > 0.0 else 0
            score_keeps(arrays, figures, cards, dealer, own_crib, out, scores)
            actions[row] = CARDS + best_keep(weights[own, other, dealer], scores)
            continue
        best = -1
        most = -1.0
        for rank in range(13):
            for suit in range(4):
                card = 13 * suit + rank
                if masks[row, card] and observation[points_at + rank] > most:
                    most = float(observation[points_at + rank])
                    best = card
        actions[row] = best


def load_player(path: Path, game: Game, options: Options) -> ExpertsPlayer:
    """The player of a weight file.

    Raises:
        CardgymError: for a game other than cribbage to 121, and as `load_experts`.
    """
    if game.id not in PACKAGE.games:
        raise CardgymError(f"weight file {path}: made for {', '.join(PACKAGE.games)}, not for {game.id}")
    target = options.asdict()["target"]
    if target != HOLES:
        raise CardgymError(f"weight file {path}: made for target={HOLES}, not target={target}; set target={HOLES}")
    return ExpertsPlayer(str(path), load_experts(path), options)
