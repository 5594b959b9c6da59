"""How two players act: the shares of their actions by the round and by |sum| of the cards held.

`PPO` is counted from 2,000,000 decisions of the checkpoint `ppo` against itself, and `HEURISTIC` from 20,000 games of
`heuristic` against `ppo`; `python research/spike_belief_model.py` prints the tables. They do not depend on credits, the
pool, the spike or the other's bets. Each share is kept between 1 % and 98 %, so that no action excludes a hand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

SIZES = 21
"""Number of distinct sizes |sum|: 0 to 19, and 20 or more."""


class _ActionModel(NamedTuple):
    """Shares of actions in percent: a row for each round from 0 to 3, a column for each |sum|.

    In round 0 the sum is of two cards.

    Attributes:
        opens: raises with nothing to match; the rest match, which is free.
        reraises: raises when a match costs something.
        folds: folds when a match costs something.
        buys: buys a card.
        place_ratio: each of the four sums that a bought card allows has a probability proportional to
            place_ratio ** |sum|.
    """

    opens: tuple[tuple[int, ...], ...]
    reraises: tuple[tuple[int, ...], ...]
    folds: tuple[tuple[int, ...], ...]
    buys: tuple[tuple[int, ...], ...]
    place_ratio: float

    def shares(self) -> npt.NDArray[np.float64]:
        """The probability of each bet from `CHECKED` to `RERAISED`, then of buying, (6, 4, 21), by round and |sum|."""
        opens, reraises, folds, buys = (np.array(percents, np.float64) / 100.0 for percents in self[:4])
        calls = 1.0 - reraises - folds
        return np.stack([1.0 - opens, calls, calls / (calls + folds), opens, reraises, buys])

    def places(self) -> npt.NDArray[np.float64]:
        """The weight of a placement that leaves |sum|, relative to the other three, (31,)."""
        # A product, not a power: it gives the same bits on every machine.
        ratios: npt.NDArray[np.float64] = np.full(31, self.place_ratio)
        ratios[0] = 1.0
        return ratios.cumprod(dtype=np.float64)


_PPO = _ActionModel(
    opens=(
        (56, 55, 54, 51, 51, 49, 44, 39, 34, 29, 23, 21, 16, 12, 9, 7, 5, 3, 3, 2, 2),
        (87, 64, 31, 18, 14, 13, 10, 8, 6, 5, 4, 4, 3, 2, 2, 2, 1, 2, 1, 1, 1),
        (86, 62, 33, 15, 9, 6, 4, 4, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1),
        (87, 64, 39, 20, 9, 6, 4, 2, 3, 2, 3, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1),
    ),
    reraises=(
        (88, 88, 88, 85, 84, 82, 78, 74, 67, 60, 50, 46, 32, 25, 18, 14, 10, 6, 5, 3, 3),
        (92, 70, 38, 23, 20, 17, 15, 14, 10, 10, 9, 8, 7, 5, 5, 4, 1, 1, 2, 1, 1),
        (82, 40, 13, 5, 3, 2, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
        (70, 16, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    ),
    folds=(
        (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 15, 29, 28, 38, 40),
        (1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 5, 5, 7, 12, 16, 23, 33, 48, 58, 70, 87),
        (1, 1, 1, 1, 1, 2, 2, 2, 3, 4, 6, 10, 13, 17, 24, 27, 39, 44, 61, 69, 86),
        (1, 1, 1, 3, 5, 6, 8, 12, 14, 21, 23, 29, 36, 43, 45, 55, 68, 74, 73, 72, 87),
    ),
    buys=(
        (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
        (1, 40, 82, 91, 94, 95, 95, 96, 96, 96, 95, 96, 95, 94, 93, 90, 87, 81, 73, 66, 37),
        (1, 43, 89, 96, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 97, 96, 93, 88, 82, 63),
        (1, 53, 93, 97, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 96, 94, 90, 82),
    ),
    place_ratio=0.18,
)
_HEURISTIC = _ActionModel(
    opens=(
        (98, 98, 98, 10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
        (98, 98, 98, 94, 73, 31, 13, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
        (97, 95, 89, 73, 47, 25, 11, 5, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
        (97, 96, 87, 74, 52, 28, 11, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 1),
    ),
    reraises=(
        (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
        (83, 77, 63, 40, 19, 6, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
        (75, 68, 53, 33, 13, 5, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
        (68, 60, 46, 29, 15, 7, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 1),
    ),
    folds=(
        (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
        (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4, 6, 17),
        (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4, 5, 16, 63),
        (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 6, 12, 29, 81),
    ),
    buys=(
        (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
        (1, 1, 1, 1, 1, 3, 21, 46, 66, 78, 85, 90, 94, 96, 97, 97, 97, 95, 94, 88, 46),
        (1, 1, 1, 1, 11, 35, 58, 73, 82, 89, 93, 95, 96, 98, 98, 98, 98, 97, 95, 89, 50),
        (1, 1, 1, 8, 43, 66, 78, 86, 90, 93, 96, 97, 98, 98, 98, 98, 98, 98, 96, 92, 57),
    ),
    place_ratio=0.02,
)

PPO, HEURISTIC = range(2)
"""The action models."""
SHARES = np.stack([model.shares() for model in (_PPO, _HEURISTIC)])
"""By model, (2, 6, 4, 21); see `_ActionModel.shares`."""
PLACES = np.stack([model.places() for model in (_PPO, _HEURISTIC)])
"""By model, (2, 31); see `_ActionModel.places`."""
