"""Numbers for the page of the Corellian Spike paper: means over training runs, with their intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from cardgym.games.corellian_spike.paper.charts import shares
from cardgym.games.corellian_spike.paper.runs import Case, Plan, Results, Score

_T95 = (math.nan, math.nan, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""Student's t by the number of runs, up to 10."""

Estimate = tuple[float, float]
"""A mean and the half width of its 95 % interval."""


def estimate(values: Iterable[float]) -> Estimate:
    """The mean over runs and the half width of its 95 % interval (Student's t over the runs)."""
    numbers = np.array(list(values), np.float64)
    count = len(numbers)
    if count < 2:
        return float(numbers.mean()), math.nan
    t = _T95[count] if count < len(_T95) else 1.96 + 2.4 / (count - 1)
    return float(numbers.mean()), float(t * numbers.std(ddof=1) / math.sqrt(count))


def words(value: Estimate, form: str = "+.1f") -> str:
    """An estimate for a table."""
    mean, half = value
    return f"{mean:{form}} ± {half:{form.lstrip('+')}}"


@dataclass(frozen=True)
class Numbers:
    """What the sections of the page read from the results.

    Attributes:
        results: all that was found.
        plan: how much was done.
    """

    results: Results
    plan: Plan

    def of(self, key: tuple[object, ...], read: Callable[[list[Score]], float]) -> Estimate:
        """An estimate of what `read` makes of the scores of a match."""
        return estimate(read(scores) for scores in self.results.scores[key])

    def credits(self, *key: object) -> Estimate:
        """Credits that the first player won a game."""
        return self.of(key, lambda scores: scores[0].credits)

    def hands(self, *key: object) -> Estimate:
        """Percent of the hands that the first player won."""
        return self.of(key, lambda scores: 100 * scores[0].hands)

    def share(self, case: Case, decision: int, action: int, among: str) -> float:
        """Percent of states in which the final policies take an action; among `all` states, or those `met`."""
        found = []
        for run in self.results.runs[case]:
            rows = np.ones(len(run.met), np.bool_) if among == "all" else run.met
            found.append(shares(case, run, decision, None, run.last, rows)[action])
        return 100 * float(np.mean(found))
