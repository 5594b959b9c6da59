"""Means, shares and their 95 % intervals.

Games on the same deal are not independent: they form a cluster, and only the deals are independent. `Moments` therefore
takes one vector of totals per deal and computes variances between deals (Cochran, "Sampling Techniques", 1977).

All intervals use Student's quantile with one degree of freedom less than there are deals. What a game pays is bounded,
and a few deals may all end alike, so a match's intervals are Wilson's, within those bounds. How often they cover the
true value is in docs/cli.md, measured by tests/paired_games.py.
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
_ROUNDING = 1e-12
"""A spread smaller than this part of the squares is a rounding error."""
UNKNOWN: Interval = (math.nan, math.nan)
"""The interval of a single value."""
FEW_DEALS = 10
"""Below this many deals an interval is rough, and reports say so."""
_STUDENT = (12.706204736, 4.302652730, 3.182446305, 2.776445105, 2.570581836, 2.446911851, 2.364624252, 2.306004135,
            2.262157163)  # fmt: skip
"""The 97.5 % quantiles of Student's t with 1 to 9 degrees of freedom."""


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
        """Return the figure with half the width of its interval, if that is known, such as `+1.5 ± 0.3`."""
        return f"{self.value:{form}}" + (f" ± {self.half_width:{form.lstrip('+')}}" if self.known else "")


def student(count: float) -> float:
    """Return the 97.5 % quantile of Student's t for the mean of `count` values; NaN for fewer than two.

    From 10 degrees of freedom on, by the expansion in Abramowitz and Stegun, "Handbook of Mathematical Functions",
    26.7.5, to 5 digits.
    """
    if count < 2:
        return math.nan
    degrees = count - 1
    if degrees <= len(_STUDENT):
        return _STUDENT[round(degrees) - 1]
    z, square = Z95, Z95**2
    terms = (
        z * (square + 1) / 4,
        z * ((5 * square + 16) * square + 3) / 96,
        z * (((3 * square + 19) * square + 17) * square - 15) / 384,
        z * ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945) / 92160,
    )
    return z + sum(term / degrees**power for power, term in enumerate(terms, 1))


def rough(deals: float) -> str:
    """Return a remark on intervals from `deals` deals; empty if they are enough, or none."""
    if not 0 < deals < FEW_DEALS:
        return ""
    return f"only {deals:,} deal{'s' if deals != 1 else ''}: " + (
        f"intervals of fewer than {FEW_DEALS} deals are rough" if deals > 1 else "too few for intervals"
    )


def mean_of_sums(deals: float, total: float, squares: float, largest: float) -> Estimate:
    """Return the mean of `deals` values in [-`largest`, `largest`], from their sum and sum of squares; NaN without any.

    See `bounded_interval`.
    """
    if not deals:
        return Estimate(math.nan, UNKNOWN)
    mean, squares = total / deals, squares / deals
    spread = squares - mean**2
    variance = spread / (deals - 1) if deals > 1 and spread > _ROUNDING * squares else 0.0
    return Estimate(mean, bounded_interval(mean, variance, deals, largest))


def half_widths(samples: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Half Student's 95 % interval of the mean of each column: (values, columns) gives (columns,), from at least 2."""
    count = len(samples)
    widths: npt.NDArray[np.float64] = student(count) * samples.std(axis=0, ddof=1) / math.sqrt(count)
    return widths


def bounded_interval(mean: float, variance: float, deals: float, largest: float) -> Interval:
    """Return the 95 % interval of a mean of values in [-`largest`, `largest`]; `UNKNOWN` for fewer than two deals.

    It is Wilson's for the mean as a share of that range, with the effective sample size that the mean's variance
    implies (Dean and Pagano, "Evaluating confidence interval methods for binomial proportions in clustered surveys",
    2015) and Student's quantile. With many deals, or without bounds (infinity), it is Student's; with fewer than
    `FEW_DEALS`, the wider of both ends, within the bounds.

    Args:
        variance: of the mean, estimated from the spread between deals.
        deals: the number of deals.
    """
    if deals < 2:
        return UNKNOWN
    if largest**2 == 0.0:  # The values are 0, or so small that their squares are.
        return mean, mean
    half = student(deals) * math.sqrt(variance)
    if math.isinf(largest):
        return mean - half, mean + half
    low, high = _wilson((mean / largest + 1.0) / 2.0, variance / (2.0 * largest) ** 2, deals)
    low, high = (2.0 * low - 1.0) * largest, (2.0 * high - 1.0) * largest
    if deals < FEW_DEALS:  # They may be far from the most that a game pays, and from each other by chance.
        low, high = max(min(low, mean - half), -largest), min(max(high, mean + half), largest)
    return low, high


def mean_estimate(values: npt.ArrayLike, low: float = -math.inf, high: float = math.inf) -> Estimate:
    """Return the mean of independent values, with Student's interval, clipped to [`low`, `high`]; NaN without any."""
    samples = np.asarray(values, np.float64)
    if not len(samples):
        return Estimate(math.nan, UNKNOWN)
    mean = float(samples.mean())
    half = float(half_widths(samples)) if len(samples) > 1 else math.nan
    return Estimate(mean, (max(mean - half, low), min(mean + half, high)))


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


def interquartile_mean(strata: Sequence[Sequence[float]]) -> Estimate:
    """Return the mean of the middle half of all values, with the interval of the stratified percentile bootstrap.

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
        largest: no total of a deal can be larger in size, as far as known, (size,), float64; infinity if unknown.
    """

    def __init__(self, size: int) -> None:
        self.count = 0
        self.sums = np.zeros(size, np.float64)
        self.products = np.zeros((size, size), np.float64)
        self.largest = np.zeros(size, np.float64)

    def add(self, totals: npt.NDArray[np.float64], largest: npt.NDArray[np.float64] | None = None) -> None:
        """Add deals: (deals, size), float64.

        Args:
            largest: how large each total could be had all games of the deal ended like the largest, (size,). Without
                it, means have Student's interval.
        """
        self.count += len(totals)
        self.sums += totals.sum(axis=0)
        self.products += totals.T @ totals
        self.largest = np.maximum(self.largest, math.inf if largest is None else largest)

    def mean(self, weights: npt.NDArray[np.float64]) -> Estimate:
        """Return the mean over deals of a weighted sum of totals; NaN without any. See `bounded_interval`."""
        total, squares = float(weights @ self.sums), float(weights @ self.products @ weights)
        largest = float(np.abs(weights[weights != 0.0]) @ self.largest[weights != 0.0])
        return mean_of_sums(self.count, total, squares, largest)

    def share(self, part: int, whole: int) -> Estimate:
        """Total number `part` as a share of total number `whole` (the ratio estimator), with an interval in [0, 1].

        The interval is `bounded_interval`'s in [0, 1].
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
        if squares < _ROUNDING * self.products[whole, whole]:
            squares = 0.0
        variance = float(squares) * self.count / (self.count - 1) / float(self.sums[whole]) ** 2
        return Estimate(share, _wilson(share, variance, self.count))


def _wilson(share: float, variance: float, deals: float) -> Interval:
    """Return the interval of a share in [0, 1]; `variance` is that of the estimated share."""
    binomial = share * (1.0 - share)
    square = student(deals) ** 2
    if variance <= 0.0 or binomial <= 0.0:
        # All deals ended alike. How many deals can end otherwise, none of which was drawn: Wilson's for 0 of them.
        unseen = square / (deals + square)
        return max(share * (1.0 - unseen), 0.0), min(share + (1.0 - share) * unseen, 1.0)
    pull = square * variance / binomial
    center = (share + pull / 2.0) / (1.0 + pull)
    half = math.sqrt(pull * (binomial + pull / 4.0)) / (1.0 + pull)
    return max(center - half, 0.0), min(center + half, 1.0)


def even_steps(weights: npt.NDArray[np.float64], count: int, start: float) -> npt.NDArray[np.intp]:
    """Take `count` places by their weights in even steps (systematic resampling), from `start`, 0 to 1, in order."""
    ends = weights.cumsum()
    steps = (np.arange(count) + start) / count * ends[-1]
    places: npt.NDArray[np.intp] = np.minimum(np.searchsorted(ends, steps, side="right"), len(ends) - 1)
    return places


def evenly(weights: npt.NDArray[np.float64], count: int, generator: np.random.Generator) -> npt.NDArray[np.intp]:
    """Draw `count` places by their weights in even steps, in random order."""
    return generator.permutation(even_steps(weights, count, generator.random()))
