"""Experts at cribbage: strategies for the discard with weights, files of them, and the player that plays like `greedy`.

Source: Lang, "Machine Learning Strategies in Cribbage" (2017), sections 3.1.2 and 3.1.3. Each strategy has a figure for
every keep: the minimum, mean, median or maximum points of the hand over the cuts; the mean points of the crib, where
fewer are better for both sides; or the points pegged, or given to the opponent, by keeps of the same four ranks. The
figures of a strategy are scaled to [0, 1], 1 for the best, and then divided by their sum: its desirabilities. The keep
with the greatest weighted desirability is chosen.

The paper also asks that the desirabilities of each keep add up to 1 over the strategies. That contradicts the first
scaling, because the sums of 8 strategies add up to 8 and those of 15 keeps to 15. Only the first scaling is used.

A weight file holds the weights for every own score, opponent's score and side, the pegging statistics that they were
learned with, and in its document the run that made it. `cardgym train experts` trains them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float32s, Float64s, Game, Int8s, Int64s, Options, offsets, rule
from cardgym.errors import CardgymError
from cardgym.files.documents import Document, Items, Name
from cardgym.files.schema import AfterValidator, ConfigDict
from cardgym.files.tensors import SUFFIX, Layout, read_tensors, write_tensors
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.observations import features
from cardgym.games.cribbage.statistics import CRIB_SUM, HAND_MAX, HAND_MEDIAN2, HAND_MIN, HAND_SUM, toss_statistics
from cardgym.games.cribbage.tosses import kept_set
from cardgym.players import Actions, Masks, Observations, Player

Weights = Float32s

STRATEGIES = (
    "hand_max_min",
    "hand_max_avg",
    "hand_max_med",
    "hand_max_poss",
    "crib_min_avg",
    "pegging_max_avg_gained",
    "pegging_max_med_gained",
    "pegging_min_avg_given",
)
"""The strategies, in the order of the weights."""
NUM_STRATEGIES = 8
KEEPS = 15
HOLES = 121
"""Number of scores at which a deal can begin: 0 .. 120."""

RANK_SETS = 1820
"""Number of multisets of four ranks."""
MAX_PEGGED = 32
"""Points pegged in a deal are counted as 0 .. 31; the last count includes all that is higher, which is rare."""
GAINED, MEDIAN, GIVEN = range(3)


class PeggingStatistics(NamedTuple):
    """Pegging statistics of the deals so far, by side (0 the pone, 1 the dealer) and ranks kept."""

    gained: Int64s
    """(2, 1820, 32), int64: the number of deals in which a keep pegged 0 .. 31 points."""
    given: Int64s
    """(2, 1820), int64: the points that opponents pegged against a keep."""
    sides: Int64s
    """(2, 3), int64: deals, points gained and points given, over all keeps."""
    figures: Float64s
    """(3, 2, 1820), float64: mean gained, median gained and mean given: the figures of the strategies."""


PEGGING: Layout = {
    "gained": (np.int64, (2, RANK_SETS, MAX_PEGGED)),
    "given": (np.int64, (2, RANK_SETS)),
    "sides": (np.int64, (2, 3)),
    "figures": (np.float64, (3, 2, RANK_SETS)),
}
"""Types and shapes of `PeggingStatistics`."""


def new_pegging() -> PeggingStatistics:
    arrays: Any = (np.zeros(shape, dtype) for dtype, shape in PEGGING.values())
    return PeggingStatistics(*arrays)


# -- strategies -------------------------------------------------------------------------------------------------------


@rule
def score_keeps(figures: Float64s, cards: Int8s, dealer: int, own_crib: bool, scores: Float64s) -> None:
    """Fill `scores`, (8, 15), with each strategy's desirability of each toss, in the order of `TOSSES`.

    Args:
        figures: `PeggingStatistics.figures`.
        cards: six cards, sorted by rank.
        dealer: 1 for the dealer, 0 for the pone.
        own_crib: whether `crib_min_avg` prefers more points in the dealer's own crib, unlike in the paper.
        scores: filled; each row adds up to 1.
    """
    exact = np.empty((KEEPS, 5), np.int64)
    toss_statistics(cards, exact)
    for toss in range(KEEPS):  # The rows of `scores` are in the order of `STRATEGIES`.
        kept = kept_set(cards, toss)
        scores[0, toss] = exact[toss, HAND_MIN]
        scores[1, toss] = exact[toss, HAND_SUM]
        scores[2, toss] = exact[toss, HAND_MEDIAN2]
        scores[3, toss] = exact[toss, HAND_MAX]
        scores[4, toss] = exact[toss, CRIB_SUM] if own_crib and dealer else -exact[toss, CRIB_SUM]
        scores[5, toss] = figures[GAINED, dealer, kept]
        scores[6, toss] = figures[MEDIAN, dealer, kept]
        scores[7, toss] = -figures[GIVEN, dealer, kept]
    for strategy in range(NUM_STRATEGIES):
        scale_row(scores[strategy])


@rule
def scale_row(row: Float64s) -> None:
    """Scale figures to [0, 1], 1 for the best (all 1 if they are equal), then to a sum of 1."""
    low = row[0]
    high = row[0]
    for toss in range(1, KEEPS):
        low = min(low, row[toss])
        high = max(high, row[toss])
    total = 0.0
    for toss in range(KEEPS):
        row[toss] = (row[toss] - low) / (high - low) if high > low else 1.0
        total += row[toss]
    for toss in range(KEEPS):
        row[toss] /= total


@rule
def best_keep(weights: Float32s, scores: Float64s) -> int:
    """Return the toss of the greatest weighted desirability, P = w S; the first in a tie."""
    best = 0
    most = -1.0
    for toss in range(KEEPS):
        value = 0.0
        for strategy in range(NUM_STRATEGIES):
            value += float(weights[strategy]) * scores[strategy, toss]
        if value > most:
            most = value
            best = toss
    return best


# -- weight files ------------------------------------------------------------------------------------------------------

FORMAT = "cardgym-experts-1"
SHAPE = (HOLES, HOLES, 2, NUM_STRATEGIES)
"""Weights by own score, opponent's score, 1 for the dealer or 0 for the pone, and strategy."""


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
    layout: Layout = {"weights": (np.float32, SHAPE), **{f"pegging_{name}": like for name, like in PEGGING.items()}}
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


# -- the player -------------------------------------------------------------------------------------------------------


class ExpertsPlayer(Player):
    """The player of a weight file, which acts on batches; deterministic.

    Attributes:
        experts: what the weight file holds.
    """

    observation_name = "full"

    def __init__(self, name: str, experts: Experts, options: Options) -> None:
        self.name = name
        self.experts = experts
        at = offsets(features(options))  # type: ignore[arg-type]  # `load_player` has checked that they are cribbage's.
        self._offsets = np.array([at[name] for name in ("phase", "dealer", "scores", "hand", "points_now")])

    def act(self, observations: Observations, masks: Masks, draws: Float64s | None = None) -> Actions:
        """See `Player.act`."""
        actions = np.empty(len(observations), np.int64)
        experts = self.experts
        _act(
            experts.weights, experts.pegging.figures, self._offsets, experts.own_crib,
            np.ascontiguousarray(observations), np.ascontiguousarray(masks), actions,
        )  # fmt: skip
        return actions


@compiled
def _act(
    weights: Weights, figures: Float64s, starts: Int64s, own_crib: bool, observations: Float32s, masks: Int8s,
    actions: Int64s,
) -> None:  # fmt: skip
    """Fill `actions`; `starts` are the offsets of the five features that are read."""
    phase, dealer_at, scores_at, hand, points_at = starts
    cards = np.empty(6, np.int8)
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
            score_keeps(figures, cards, dealer, own_crib, scores)
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


GAMES = ("Cribbage-v0", "CribbageDeal-v0")
"""The games that a weight file can play."""


def load_player(path: Path, game: Game, options: Options) -> ExpertsPlayer:
    """Return the player of a weight file.

    Raises:
        CardgymError: for a game other than cribbage to 121, and as `load_experts`.
    """
    if game.id not in GAMES:
        raise CardgymError(f"weight file {path}: made for {', '.join(GAMES)}, not for {game.id}")
    target = options.asdict()["target"]
    if target != HOLES:
        raise CardgymError(f"weight file {path}: made for target={HOLES}, not target={target}; set target={HOLES}")
    return ExpertsPlayer(str(path), load_experts(path), options)
