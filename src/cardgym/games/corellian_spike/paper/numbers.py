"""Numbers for the page of the Corellian Spike paper: means over training runs, with their intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cardgym.games.corellian_spike.paper.charts import action_shares
from cardgym.games.corellian_spike.paper.experiments import Results
from cardgym.games.corellian_spike.paper.runs import Case, Scale, Score

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


@dataclass(frozen=True)
class Numbers:
    """What the sections of the page read from the results.

    Attributes:
        results: the results of all experiments.
        scale: how much was done.
    """

    results: Results
    scale: Scale

    def of(self, key: tuple[object, ...], read: Callable[[list[Score]], float]) -> Estimate:
        """The estimate of what `read` returns for the scores of a match."""
        return Estimate.of(read(scores) for scores in self.results.scores[key])

    def credits(self, *key: object, player: int = 0) -> Estimate:
        """Credits that a player won a game; the first unless another is named."""
        return self.of(key, lambda scores: scores[player].credits)

    def hands(self, *key: object, player: int = 0) -> Estimate:
        """Percent of the hands that a player won; the first unless another is named."""
        return self.of(key, lambda scores: 100 * scores[player].hands)

    def busts(self, *key: object) -> str:
        """In how many of 2,000 games each of the first two players went bust, as the cell of a table."""
        first, second = (self.of(key, lambda scores, seat=seat: scores[seat].bust) for seat in (0, 1))  # type: ignore[misc]
        return f"{first.text('.0f')} / {second.text('.0f')}"

    def share(self, case: Case, decision: int, action: int, among: str) -> float:
        """Percent of the states in which the final policies take an action; among `all` states, or those `met`."""
        shares = []
        for run in self.results.runs[case]:
            rows = np.ones(len(run.met), np.bool_) if among == "all" else run.met
            shares.append(action_shares(case, run, decision, None, run.last, rows)[action])
        return 100 * float(np.mean(shares))
