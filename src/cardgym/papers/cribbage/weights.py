"""Weights by name, and the pegging statistics that strategies learn from."""

from __future__ import annotations

import numpy as np

from cardgym.engine.contract import rule
from cardgym.errors import unknown
from cardgym.files.tensors import SUFFIX
from cardgym.games.cribbage.experts import (
    GAINED,
    GIVEN,
    MAX_PEGGED,
    MEDIAN,
    NUM_STRATEGIES,
    SHAPE,
    STRATEGIES,
    PeggingStatistics,
    Weights,
)

FAMILIES = {"hand": (0, 1, 2, 3), "crib": (4,), "pegging": (5, 6, 7)}
"""The strategies by the points that they look at: the columns of the picture of the board."""
STARTS = ("uniform", "random", *FAMILIES, *STRATEGIES)
"""Weights that have a name: equal, random, those of one family, or a single strategy."""
_OTHERS = 0.02
"""What the weights of a family leave to all strategies together: a weight of 0 could never grow."""
_PRIOR = 4.0
"""The means of a keep include this many deals with the mean of its side."""


def named_weights(name: str, seed: int = 0) -> Weights:
    """Return the weights of one of `STARTS`, (121, 121, 2, 8) float32; all but `random` are the same at every position.

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
