"""Means, shares and their 95 % intervals.

Games on the same deal are not independent: they form a cluster, and only the deals are independent. `Moments` therefore
takes one vector of totals per deal and computes variances between deals (Cochran, "Sampling Techniques", 1977).
Intervals use the normal approximation, which needs dozens of deals; `mean_over_runs` uses Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Interval = tuple[float, float]

Z95 = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""
_RESAMPLES = 2000
UNKNOWN: Interval = (math.nan, math.nan)
"""The interval of a single value."""


class Estimate(NamedTuple):
    """A figure with its 95 % interval, which is `UNKNOWN` for a single value."""

    value: float
    interval: Interval

    @property
    def known(self) -> bool:
        """Whether the interval is known."""
        return not math.isnan(self.low)

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.interval[0]

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.interval[1]

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2.0

    def text(self, form: str = "+.1f") -> str:
        """The figure with half the width of its interval, if that is known, such as `+1.5 ± 0.3`."""
        return f"{self.value:{form}}" + (f" ± {self.half_width:{form.lstrip('+')}}" if self.known else "")


def half_width(count: float, total: float, squares: float) -> float:
    """Half the 95 % interval of a mean of `count` values, from their sum and sum of squares; NaN for one value."""
    if count < 2:
        return math.nan
    spread = squares / count - (total / count) ** 2
    return Z95 * math.sqrt(max(spread, 0.0) / (count - 1))


def half_widths(samples: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Half the 95 % interval of the mean of each column: (values, columns) gives (columns,). At least two values."""
    widths: npt.NDArray[np.float64] = Z95 * samples.std(axis=0, ddof=1) / math.sqrt(len(samples))
    return widths


def mean_estimate(values: npt.ArrayLike) -> Estimate:
    """The mean of independent values, with the normal interval; NaN without any."""
    samples = np.asarray(values, np.float64)
    if not len(samples):
        return Estimate(math.nan, UNKNOWN)
    mean = float(samples.mean())
    half = float(half_widths(samples)) if len(samples) > 1 else math.nan
    return Estimate(mean, (mean - half, mean + half))


def with_less_luck(values: npt.NDArray[np.float64], estimates: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Values with the same expected mean and less noise, given other unbiased estimates of that mean, (values,).

    A value minus its estimate is luck, with mean 0. Each value is corrected by a multiple of its luck: the multiple
    that minimizes the variance of all the other values. The multiple does not depend on the value itself, so the mean
    stays unbiased; it may be 0, so the interval rarely gets wider. Fewer than 6 values are returned unchanged.
    """
    count = len(values)
    if count < 6:
        return values
    luck = values - estimates
    spread, luck_spread = values - values.mean(), luck - luck.mean()
    left_out = count / (count - 1) * luck_spread  # Times a spread: how much a sum shrinks when a value is left out.
    shared = spread @ luck_spread - left_out * spread
    whole = luck_spread @ luck_spread - left_out * luck_spread
    corrected: npt.NDArray[np.float64] = values - luck * np.divide(
        shared, whole, out=np.zeros(count), where=whole > 0.0
    )
    return corrected


def mean_over_runs(values: Sequence[float], low: float = -math.inf, high: float = math.inf) -> Estimate:
    """The mean of one value per training run, with Student's interval, clipped to [`low`, `high`]."""
    from scipy.stats import t

    count, mean = len(values), float(np.mean(values)) if values else math.nan
    if count < 2:
        return Estimate(mean, UNKNOWN)
    half = float(t.ppf(0.975, count - 1)) * float(np.std(values, ddof=1)) / math.sqrt(count)
    return Estimate(mean, (max(mean - half, low), min(mean + half, high)))


def interquartile_mean(strata: Sequence[Sequence[float]]) -> Estimate:
    """The mean of the middle half of all values, with the interval of the stratified percentile bootstrap.

    `strata` has for each opponent one value per run. The bootstrap resamples runs within each opponent, never across
    (Agarwal et al., "Deep reinforcement learning at the edge of the statistical precipice", 2021).
    """
    from scipy.stats import bootstrap, trim_mean

    def middle(*samples: npt.NDArray[np.float64], axis: int = -1) -> npt.NDArray[np.float64]:
        shape = np.broadcast_shapes(*(sample.shape[:-1] for sample in samples))
        pooled = np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in samples], axis=axis)
        trimmed: npt.NDArray[np.float64] = trim_mean(pooled, 0.25, axis=axis)
        return trimmed

    samples = [np.asarray(values, np.float64) for values in strata]
    if not any(map(len, samples)):
        return Estimate(math.nan, UNKNOWN)
    value = float(middle(*samples))
    if min(map(len, samples)) < 2:
        return Estimate(value, UNKNOWN)
    if all(np.ptp(sample) == 0 for sample in samples):
        return Estimate(value, (value, value))
    ends = bootstrap(
        samples, middle, n_resamples=_RESAMPLES, method="percentile", rng=np.random.default_rng(0), vectorized=True
    ).confidence_interval
    return Estimate(value, (float(ends.low), float(ends.high)))


class Moments:
    """Sums of the deals' vectors of totals and of their products; memory does not grow with the number of deals.

    Attributes:
        count: the number of deals added.
        sums: the sums of their totals, (size,), float64.
        products: the sums of products of two totals, (size, size), float64.
    """

    def __init__(self, size: int) -> None:
        self.count = 0
        self.sums = np.zeros(size, np.float64)
        self.products = np.zeros((size, size), np.float64)

    def add(self, totals: npt.NDArray[np.float64]) -> None:
        """Add deals: (deals, size), float64."""
        self.count += len(totals)
        self.sums += totals.sum(axis=0)
        self.products += totals.T @ totals

    def mean(self, weights: npt.NDArray[np.float64]) -> Estimate:
        """The mean over deals of a weighted sum of totals; NaN without any."""
        if not self.count:
            return Estimate(math.nan, UNKNOWN)
        total = float(weights @ self.sums)
        mean = total / self.count
        half = half_width(self.count, total, float(weights @ self.products @ weights))
        return Estimate(mean, (mean - half, mean + half))

    def share(self, part: int, whole: int) -> Estimate:
        """Total number `part` as a share of total number `whole` (the ratio estimator), with an interval in [0, 1].

        The interval is Wilson's, with the effective sample size that the spread between deals implies (Dean and
        Pagano, "Evaluating confidence interval methods for binomial proportions in clustered surveys", 2015).
        A share of 0 or 1 has no spread; the sample size is then the number of deals.
        """
        if self.sums[whole] == 0:
            return Estimate(math.nan, UNKNOWN)
        share = float(self.sums[part] / self.sums[whole])
        if self.count < 2 or not -1e-9 <= share <= 1.0 + 1e-9:  # A game's scores may not be parts of its maximum.
            return Estimate(share, UNKNOWN)
        squares = (
            self.products[part, part]
            - 2.0 * share * self.products[part, whole]
            + share**2 * self.products[whole, whole]
        )
        # Do not take rounding errors for spread where all deals have the same share.
        if squares < 1e-12 * self.products[whole, whole]:
            squares = 0.0
        variance = float(squares) * self.count / (self.count - 1) / float(self.sums[whole]) ** 2
        return Estimate(share, _wilson(share, variance, self.count))


def _wilson(share: float, variance: float, deals: int) -> Interval:
    binomial = max(share * (1.0 - share), 0.0)
    if binomial > 0.0 and variance == 0.0:
        return share, share
    sample_size = binomial / variance if binomial > 0.0 else float(deals)
    pull = Z95**2 / sample_size
    center = (share + pull / 2.0) / (1.0 + pull)
    half = math.sqrt(pull * (binomial + pull / 4.0)) / (1.0 + pull)
    return max(center - half, 0.0), min(center + half, 1.0)
