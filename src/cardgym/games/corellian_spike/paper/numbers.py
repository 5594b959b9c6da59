"""Numbers for the page of the Corellian Spike paper: means over training runs, with their intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cardgym.games.corellian_spike.paper.charts import action_shares
from cardgym.games.corellian_spike.paper.estimate import Estimate
from cardgym.games.corellian_spike.paper.experiments import Results
from cardgym.games.corellian_spike.paper.runs import Case, Scale, Score


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
