"""Means over training runs, with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

_T95 = (math.nan, math.nan, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""Student's t by the number of runs, up to 10."""


class Estimate(NamedTuple):
    """A mean over runs and the half width of its 95 % interval."""

    mean: float
    half_width: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Estimate:
        """The estimate from one value a run, by Student's t; the half width from a single run is NaN."""
        numbers = np.array(list(values), np.float64)
        count = len(numbers)
        if count < 2:
            return cls(float(numbers.mean()), math.nan)
        t = _T95[count] if count < len(_T95) else 1.96 + 2.4 / (count - 1)
        return cls(float(numbers.mean()), float(t * numbers.std(ddof=1) / math.sqrt(count)))

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.mean + self.half_width

    def text(self, form: str = "+.1f") -> str:
        """The estimate for a table."""
        return f"{self.mean:{form}} ± {self.half_width:{form.lstrip('+')}}"
