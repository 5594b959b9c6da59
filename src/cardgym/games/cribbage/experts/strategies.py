"""The eight strategies that rate the 15 keeps of a hand, and the pegging statistics that some of them read.

Source: Lang, "Machine Learning Strategies in Cribbage" (2017), sections 3.1.2 and 3.1.3. Each strategy has a figure for
every keep: the minimum, mean, median or maximum points of the hand over the cuts; the mean points of the crib, where
fewer are better for both sides; or the points pegged, or given to the opponent, by keeps of the same four ranks. The
figures of a strategy are scaled to [0, 1], 1 for the best, and then divided by their sum: its desirabilities. The keep
with the greatest weighted desirability is chosen.

The paper also asks that the desirabilities of each keep add up to 1 over the strategies. That contradicts the first
scaling, because the sums of 8 strategies add up to 8 and those of 15 keeps to 15. Only the first scaling is used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import rule
from cardgym.games.cribbage.lookup import CRIB_SUM, HAND_MAX, HAND_MEDIAN2, HAND_MIN, HAND_SUM, lookup
from cardgym.games.cribbage.state import TOSSES
from cardgym.games.cribbage.statistics_arrays import StatisticsArrays
from cardgym.games.cribbage.tosses import kept_set

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
FAMILIES = {"hand": (0, 1, 2, 3), "crib": (4,), "pegging": (5, 6, 7)}
"""The strategies by the points that they look at: the columns of the picture of the board."""
NUM_STRATEGIES = 8
KEEPS = 15
HOLES = 121
"""Number of scores at which a deal can begin: 0 .. 120."""

RANK_SETS = 1820
"""Number of multisets of four ranks."""
MAX_PEGGED = 32
"""Points pegged in a deal are counted as 0 .. 31; the last count includes all that is higher, which is rare."""
_PRIOR = 4.0
"""The means of a keep include this many deals with the mean of its side."""

GAINED, MEDIAN, GIVEN = range(3)


class PeggingStatistics(NamedTuple):
    """Pegging statistics of the deals so far, by side (0 the pone, 1 the dealer) and ranks kept."""

    gained: npt.NDArray[np.int64]
    """(2, 1820, 32), int64: the number of deals in which a keep pegged 0 .. 31 points."""
    given: npt.NDArray[np.int64]
    """(2, 1820), int64: the points that opponents pegged against a keep."""
    sides: npt.NDArray[np.int64]
    """(2, 3), int64: deals, points gained and points given, over all keeps."""
    figures: npt.NDArray[np.float64]
    """(3, 2, 1820), float64: mean gained, median gained and mean given: the figures of the strategies."""


def new_pegging() -> PeggingStatistics:
    """Empty statistics."""
    return PeggingStatistics(
        np.zeros((2, RANK_SETS, MAX_PEGGED), np.int64),
        np.zeros((2, RANK_SETS), np.int64),
        np.zeros((2, 3), np.int64),
        np.zeros((3, 2, RANK_SETS)),
    )


def _toss_numbers() -> npt.NDArray[np.int8]:
    numbers = np.zeros((6, 6), np.int8)
    for number, (one, other) in enumerate(TOSSES.tolist()):
        numbers[one, other] = numbers[other, one] = number
    return numbers


_TOSS_NUMBER = _toss_numbers()


@rule
def add_pegging(pegging: PeggingStatistics, dealer: int, kept: int, gained: int, given: int) -> None:
    """Add a deal in which keep `kept` of a side pegged `gained` points and the opponent `given`."""
    pegging.gained[dealer, kept, min(gained, MAX_PEGGED - 1)] += 1
    pegging.given[dealer, kept] += given
    pegging.sides[dealer, 0] += 1
    pegging.sides[dealer, 1] += gained
    pegging.sides[dealer, 2] += given
    update_figures(pegging, dealer, kept)


@rule
def update_figures(pegging: PeggingStatistics, dealer: int, kept: int) -> None:
    """Recompute a keep's three figures; the means of a rare keep are close to its side's."""
    count = 0
    total = 0
    for points in range(MAX_PEGGED):
        count += pegging.gained[dealer, kept, points]
        total += points * pegging.gained[dealer, kept, points]
    deals = max(pegging.sides[dealer, 0], 1)
    mean = pegging.sides[dealer, 1] / deals
    pegging.figures[GAINED, dealer, kept] = (total + _PRIOR * mean) / (count + _PRIOR)
    given = pegging.sides[dealer, 2] / deals
    pegging.figures[GIVEN, dealer, kept] = (pegging.given[dealer, kept] + _PRIOR * given) / (count + _PRIOR)
    # The median of an even number of values is the mean of the middle two.
    seen = 0
    low = -1
    high = -1
    for points in range(MAX_PEGGED):
        seen += pegging.gained[dealer, kept, points]
        if low < 0 and 2 * seen >= count:
            low = points
        if high < 0 and 2 * seen > count:
            high = points
    pegging.figures[MEDIAN, dealer, kept] = (low + high) / 2.0 if count > 0 else mean


@rule
def score_keeps(
    arrays: StatisticsArrays, figures: npt.NDArray[np.float64], cards: npt.NDArray[np.int8], dealer: int,
    own_crib: bool, out: npt.NDArray[np.int32], scores: npt.NDArray[np.float64],
) -> None:  # fmt: skip
    """Fill `scores`, (8, 15), with each strategy's desirability of each toss, in the order of `TOSSES`.

    Args:
        arrays: what `build_arrays` returns.
        figures: `PeggingStatistics.figures`.
        cards: six cards, sorted by rank.
        dealer: 1 for the dealer, 0 for the pone.
        own_crib: whether `crib_min_avg` prefers more points in the dealer's own crib, unlike in the paper.
        out: (15, 8), overwritten.
        scores: filled; each row adds up to 1.
    """
    # The look-up needs the cards in ascending order, where the tosses have other numbers.
    ordered = np.empty(6, np.int8)
    places = np.empty(6, np.int8)
    for place in range(6):
        at = place
        while at > 0 and ordered[at - 1] > cards[place]:
            ordered[at] = ordered[at - 1]
            places[at] = places[at - 1]
            at -= 1
        ordered[at] = cards[place]
        places[at] = place
    lookup(arrays, ordered, out)
    for number in range(KEEPS):  # The rows of `scores` are in the order of `STRATEGIES`.
        toss = int(_TOSS_NUMBER[places[TOSSES[number, 0]], places[TOSSES[number, 1]]])
        kept = kept_set(cards, toss)
        scores[0, toss] = out[number, HAND_MIN]
        scores[1, toss] = out[number, HAND_SUM]
        scores[2, toss] = out[number, HAND_MEDIAN2]
        scores[3, toss] = out[number, HAND_MAX]
        scores[4, toss] = out[number, CRIB_SUM] if own_crib and dealer else -out[number, CRIB_SUM]
        scores[5, toss] = figures[GAINED, dealer, kept]
        scores[6, toss] = figures[MEDIAN, dealer, kept]
        scores[7, toss] = -figures[GIVEN, dealer, kept]
    for strategy in range(NUM_STRATEGIES):
        scale_row(scores[strategy])


@rule
def scale_row(row: npt.NDArray[np.float64]) -> None:
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
def best_keep(weights: npt.NDArray[np.float32], scores: npt.NDArray[np.float64]) -> int:
    """The toss of the greatest weighted desirability, P = w S; the first in a tie."""
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
