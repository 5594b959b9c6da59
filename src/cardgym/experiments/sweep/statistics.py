"""Figures over several runs: means over seeds and interquartile means, with 95 % intervals.

The unit is a run: an interval says how far other seeds may lie, and grows where runs differ. Interquartile means and
the stratified bootstrap follow Agarwal et al., "Deep reinforcement learning at the edge of the statistical
precipice", 2021: runs are drawn again with replacement within each opponent, never across.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Interval = tuple[float, float]

RESAMPLES = 2000
_SEED = 0


@dataclass(frozen=True)
class Estimate:
    """A figure over runs.

    Attributes:
        value: the figure.
        interval: its 95 % interval; None for a single run.
        runs: how many runs it is over.
    """

    value: float
    interval: Interval | None
    runs: int


def mean_over_runs(values: Sequence[float], low: float = -math.inf, high: float = math.inf) -> Estimate:
    """The mean of one figure of each run, with Student's interval.

    Args:
        values: at least one.
        low: the least that the figure can be; the interval ends there.
        high: the most that it can be.
    """
    from scipy.stats import t

    count, mean = len(values), float(np.mean(values))
    if count < 2:
        return Estimate(mean, None, count)
    half = float(t.ppf(0.975, count - 1)) * float(np.std(values, ddof=1)) / math.sqrt(count)
    return Estimate(mean, (max(mean - half, low), min(mean + half, high)), count)


def interquartile_mean(strata: Sequence[Sequence[float]]) -> Estimate:
    """The mean of the middle half of all runs' figures, with the interval of the stratified percentile bootstrap.

    Args:
        strata: for each opponent the figure of each run; at least one opponent and one run.
    """
    from scipy.stats import bootstrap, trim_mean

    def middle(*samples: npt.NDArray[np.float64], axis: int = -1) -> npt.NDArray[np.float64]:
        shape = np.broadcast_shapes(*(sample.shape[:-1] for sample in samples))
        together = np.concatenate([np.broadcast_to(one, (*shape, one.shape[-1])) for one in samples], axis=axis)
        trimmed: npt.NDArray[np.float64] = trim_mean(together, 0.25, axis=axis)
        return trimmed

    samples = [np.asarray(values, np.float64) for values in strata]
    value = float(middle(*samples))
    runs = min(map(len, samples))
    if runs < 2:
        return Estimate(value, None, runs)
    if all(np.ptp(sample) == 0 for sample in samples):
        return Estimate(value, (value, value), runs)
    drawn = bootstrap(
        samples, middle, n_resamples=RESAMPLES, method="percentile", rng=np.random.default_rng(_SEED), vectorized=True
    )
    interval = drawn.confidence_interval
    return Estimate(value, (float(interval.low), float(interval.high)), runs)
