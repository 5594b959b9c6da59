"""Experts at cribbage: weight files, and the player that tosses by them and pegs greedily.

A weight file ends in `.experts.safetensors`. It has the weights for every (own score, opponent's score, dealer?), the
pegging knowledge they were learned with, and in its metadata what made it; nothing in it is executed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError, unknown
from cardgym.files import replacing
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.observations import features
from cardgym.games.cribbage.statistics_tables import Tables, build_tables
from cardgym.games.cribbage.strategies import (
    FAMILIES,
    HOLES,
    KEEPS,
    NUM_STRATEGIES,
    STRATEGIES,
    Knowledge,
    best_keep,
    new_knowledge,
    score_keeps,
)

SUFFIX = ".experts.safetensors"
FORMAT = "cardgym-experts-1"
GAMES = ("Cribbage-v0", "CribbageDeal-v0")
SHAPE = (HOLES, HOLES, 2, NUM_STRATEGIES)
STARTS = ("uniform", "random", *FAMILIES, *STRATEGIES)
"""Weights that have a name: alike, drawn at random, by family, or a single strategy played alone."""
_OTHERS = 0.02
"""What a family's weights leave to the other strategies together: with none of it they could not come back."""

Weights = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Experts:
    """What a weight file holds.

    Attributes:
        weights: (121, 121, 2, 8), float32; each position's add up to 1.
        knowledge: what is known of pegging.
        own_crib: whether the dealer's `crib_min_avg` is turned round; see `score_keeps`.
        about: what made it, plain values.
    """

    weights: Weights
    knowledge: Knowledge
    own_crib: bool
    about: Mapping[str, Any]


def named_weights(name: str, seed: int = 0) -> Weights:
    """The weights of one of `STARTS`, the same all over the board.

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


def save_experts(path: Path, weights: Weights, knowledge: Knowledge, about: Mapping[str, Any]) -> None:
    """Write a weight file.

    Raises:
        CardgymError: where it cannot be written, or the name does not end in `.experts.safetensors`.
    """
    import safetensors.numpy

    if not path.name.endswith(SUFFIX):
        raise CardgymError(f"weight file {path}: a weight file ends in {SUFFIX}")
    tensors = {"weights": weights, **{f"pegging_{name}": value for name, value in knowledge._asdict().items()}}
    metadata = {"cardgym": json.dumps({"format": FORMAT, "strategies": STRATEGIES, **about})}
    with replacing(path) as temporary:
        temporary.write_bytes(safetensors.numpy.save(tensors, metadata))


def load_experts(path: Path) -> Experts:
    """Read a weight file.

    Raises:
        CardgymError: where it is missing, truncated or none of ours, or its weights are of another size, negative,
            not finite, or all zero somewhere.
    """
    import safetensors

    if not path.is_file():
        raise CardgymError(f"weight file {path}: no such file; give the path of a {SUFFIX} file")
    try:
        with safetensors.safe_open(path, framework="numpy") as file:
            metadata: dict[str, str] = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (safetensors.SafetensorError, OSError, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CardgymError(f"weight file {path}: truncated or not a safetensors file ({reason})") from None
    try:
        about = json.loads(metadata["cardgym"])
        known = about.pop("format") == FORMAT and tuple(about.pop("strategies")) == STRATEGIES
    except (KeyError, TypeError, ValueError, AttributeError):
        known = False
    if not known or "weights" not in tensors:
        raise CardgymError(f"weight file {path}: no experts of cardgym (no format {FORMAT!r} in its metadata)")
    weights = _checked_weights(path, tensors["weights"])
    return Experts(weights, _checked_knowledge(path, tensors), about.get("own_crib") is True, about)


def _checked_weights(path: Path, weights: npt.NDArray[Any]) -> Weights:
    if weights.shape != SHAPE:
        raise CardgymError(f"weight file {path}: weights of size {weights.shape}; allowed is {SHAPE}")
    if weights.dtype != np.float32:
        raise CardgymError(f"weight file {path}: weights of type {weights.dtype}; allowed is float32")
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        own, other, dealer, strategy = np.argwhere(wrong)[0].tolist()
        raise CardgymError(
            f"weight file {path}: weight {weights[own, other, dealer, strategy]} of {STRATEGIES[strategy]} at "
            f"{own}-{other} as {'dealer' if dealer else 'pone'}; allowed are finite numbers from 0 up"
        )
    empty = weights.sum(-1) <= 0
    if empty.any():
        own, other, dealer = np.argwhere(empty)[0].tolist()
        raise CardgymError(f"weight file {path}: all weights are 0 at {own}-{other}; one at least must be above")
    return weights


def _checked_knowledge(path: Path, tensors: Mapping[str, npt.NDArray[Any]]) -> Knowledge:
    arrays = []
    for name, empty in new_knowledge()._asdict().items():
        found = tensors.get(f"pegging_{name}")
        if found is None or found.shape != empty.shape or found.dtype != empty.dtype:
            raise CardgymError(f"weight file {path}: its pegging_{name} is no {empty.dtype} of size {empty.shape}")
        if not (np.isfinite(found) & (found >= 0)).all():
            raise CardgymError(f"weight file {path}: in its pegging_{name} allowed are finite numbers from 0 up only")
        arrays.append(np.ascontiguousarray(found))
    return Knowledge(*arrays)


class ExpertsPlayer:
    """The player of a weight file, asked in batches; deterministic.

    Attributes:
        name: how reports call it.
        encoding: the observation it reads.
    """

    observation_name = "full"

    def __init__(self, name: str, experts: Experts, options: Options) -> None:
        self.name = name
        self.experts = experts
        self._tables = build_tables()
        starts, start = {}, 0
        for feature in features(options):  # type: ignore[arg-type]  # Cribbage's, as `load_player` has checked.
            starts[feature.name] = start
            start += feature.size
        self._places = np.array([starts[name] for name in ("phase", "dealer", "scores", "hand", "points_now")])

    def act(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """The action in each row, (rows,) int64; see `BatchPolicy`."""
        actions = np.empty(len(observations), np.int64)
        experts = self.experts
        _act(
            self._tables,
            experts.weights,
            experts.knowledge.figures,
            self._places,
            experts.own_crib,
            np.ascontiguousarray(observations),
            np.ascontiguousarray(masks),
            actions,
        )
        return actions


@compiled
def _act(
    tables: Tables, weights: Weights, figures: npt.NDArray[np.float64], places: npt.NDArray[np.int64],
    own_crib: bool, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.int8], actions: npt.NDArray[np.int64],
) -> None:  # fmt: skip
    """Fill `actions` from what the observations say; `places` are where its features start."""
    phase, dealer_at, scores_at, hand, points_at = places
    cards = np.empty(6, np.int8)
    out = np.empty((KEEPS, 8), np.int32)
    scores = np.empty((NUM_STRATEGIES, KEEPS))
    for row in range(len(observations)):
        seen = observations[row]
        if seen[phase] > 0.0:
            size = 0
            for rank in range(13):
                for suit in range(4):
                    if size < 6 and seen[hand + 13 * suit + rank] > 0.0:
                        cards[size] = 13 * suit + rank
                        size += 1
            own = min(int(seen[scores_at] * HOLES + 0.5), HOLES - 1)
            other = min(int(seen[scores_at + 1] * HOLES + 0.5), HOLES - 1)
            dealer = 1 if seen[dealer_at] > 0.0 else 0
            score_keeps(tables, figures, cards, dealer, own_crib, out, scores)
            actions[row] = CARDS + best_keep(weights[own, other, dealer], scores)
            continue
        best = -1
        most = -1.0
        for rank in range(13):
            for suit in range(4):
                card = 13 * suit + rank
                if masks[row, card] and seen[points_at + rank] > most:
                    most = float(seen[points_at + rank])
                    best = card
        actions[row] = best


def load_player(path: Path, game: Game, options: Options) -> ExpertsPlayer:
    """The player of a weight file; see `load_experts` for what is refused.

    Raises:
        CardgymError: also for a game other than cribbage to 121.
    """
    if game.id not in GAMES:
        raise CardgymError(f"weight file {path}: made for {GAMES[0]}, not for {game.id}")
    target = options.asdict()["target"]
    if target != HOLES:
        raise CardgymError(f"weight file {path}: made for target={HOLES}, not target={target}; set target={HOLES}")
    return ExpertsPlayer(str(path), load_experts(path), options)
