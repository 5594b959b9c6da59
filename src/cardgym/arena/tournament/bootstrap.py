"""Weights of the bootstrap over deals, which add up in any order."""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt

from cardgym.engine.generator import derive, draws_of

REPLICATES = 400
"""How many resamples there are: the standard error of an interval's width is then about 4 % of it."""

_STREAM = np.uint64(0xB0075)
_CUMULATIVE = np.cumsum([math.exp(-1.0) / math.factorial(count) for count in range(20)])


def weights(first: int, count: int) -> npt.NDArray[np.float64]:
    """How often each deal is in each resample, (1 + REPLICATES, count), float64; row 0 has every deal once.

    A count is a draw from Poisson(1) that the numbers of the deal and of the resample decide. So the sums of ranges of
    deals add up to those of all deals, and all matches on the same deals are resampled together (Chamandy et al.,
    "Estimating uncertainty for massive data streams", Google 2012; Hanley and MacGibbon, "Creating non-parametric
    bootstrap samples using Poisson frequencies", 2006).

    Args:
        first: the number of the first deal.
        count: how many deals.
    """
    return np.concatenate([np.ones((1, count)), _counts(first, count)])


@functools.lru_cache(maxsize=64)  # Of at most a megabyte each: all matches have the same ranges.
def _counts(first: int, count: int) -> npt.NDArray[np.uint8]:
    deals = np.arange(first, first + count, dtype=np.uint64)
    keys = np.array([derive(_STREAM, number) for number in np.arange(REPLICATES, dtype=np.uint64)], np.uint64)
    draws = draws_of(keys[:, None], deals[None, :])
    return np.searchsorted(_CUMULATIVE, draws, side="right").astype(np.uint8)
