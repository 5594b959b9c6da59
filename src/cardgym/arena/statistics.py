"""Estimates and their 95 % intervals from clusters of games.

Games on the same deal are not independent: they form a cluster, and only deals are drawn independently. So
each deal gives one vector of totals, and every variance is taken between deals (Cochran, "Sampling
Techniques", 3rd ed., ch. 6 and 9). Intervals use the normal approximation, which asks for dozens of deals.
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
    """Sums of vectors of totals, one a deal, and of their products: memory does not grow with the deals."""

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
        """Total `part` as a share of total `whole` (the ratio estimator), and an interval within [0, 1].

        The interval is Wilson's, with the effective number of contests that their spread implies (Dean and
        Pagano, "Evaluating confidence interval methods for binomial proportions in clustered surveys", 2015).
        A share of 0 or 1 shows no spread; the deals are then taken as the number of contests.
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
        # Rounding leaves a speck where there is no spread, as when every deal is shared alike.
        if squares < 1e-12 * self.products[whole, whole]:
            squares = 0.0
        variance = float(squares) * self.count / (self.count - 1) / float(self.sums[whole]) ** 2
        return share, _wilson(share, variance, self.count)


def _wilson(share: float, variance: float, deals: int) -> Interval:
    binomial = share * (1.0 - share)
    if binomial > 0.0 and variance == 0.0:
        return share, share
    contests = binomial / variance if binomial > 0.0 else float(deals)
    pull = Z95**2 / contests
    centre = (share + pull / 2.0) / (1.0 + pull)
    half = math.sqrt(pull * (binomial + pull / 4.0)) / (1.0 + pull)
    return max(centre - half, 0.0), min(centre + half, 1.0)
