"""Estimates and their 95 % intervals from clusters of games.

Games on the same deal are not independent: they form a cluster, and only the deals are independent. So each deal gives
one vector of totals, and variances are taken between deals (Cochran, "Sampling Techniques", 3rd ed., ch. 6 and 9).
Intervals use the normal approximation, which needs dozens of deals.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Interval = tuple[float, float]

Z95 = 1.959963984540054
UNKNOWN: Interval = (math.nan, math.nan)
"""The interval from a single deal."""


class Moments:
    """Sums of the deals' vectors of totals, and of their products; memory does not grow with the number of deals.

    Attributes:
        count: how many deals were added.
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

    def mean(self, weights: npt.NDArray[np.float64]) -> tuple[float, Interval]:
        """The mean over deals of a weighted sum of totals, and its interval."""
        centre = float(weights @ self.sums) / self.count
        if self.count < 2:
            return centre, UNKNOWN
        spread = float(weights @ self.products @ weights) / self.count - centre**2
        half = Z95 * math.sqrt(max(spread, 0.0) / (self.count - 1))
        return centre, (centre - half, centre + half)

    def share(self, part: int, whole: int) -> tuple[float, Interval]:
        """Total number `part` as a share of total number `whole` (the ratio estimator), and its interval in [0, 1].

        The interval is Wilson's, with the effective sample size that the spread between deals implies (Dean and
        Pagano, "Evaluating confidence interval methods for binomial proportions in clustered surveys", 2015).
        A share of 0 or 1 has no spread; the sample size is then the number of deals.
        """
        if self.sums[whole] == 0:
            return math.nan, UNKNOWN
        share = float(self.sums[part] / self.sums[whole])
        if self.count < 2:
            return share, UNKNOWN
        squares = (
            self.products[part, part]
            - 2.0 * share * self.products[part, whole]
            + share**2 * self.products[whole, whole]
        )
        # Rounding errors must not pass for spread where all deals have the same share.
        if squares < 1e-12 * self.products[whole, whole]:
            squares = 0.0
        variance = float(squares) * self.count / (self.count - 1) / float(self.sums[whole]) ** 2
        return share, _wilson(share, variance, self.count)


def _wilson(share: float, variance: float, deals: int) -> Interval:
    binomial = share * (1.0 - share)
    if binomial > 0.0 and variance == 0.0:
        return share, share
    sample_size = binomial / variance if binomial > 0.0 else float(deals)
    pull = Z95**2 / sample_size
    centre = (share + pull / 2.0) / (1.0 + pull)
    half = math.sqrt(pull * (binomial + pull / 4.0)) / (1.0 + pull)
    return max(centre - half, 0.0), min(centre + half, 1.0)
