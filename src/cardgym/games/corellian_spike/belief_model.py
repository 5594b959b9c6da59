"""How a good player acts by its cards: what Bayes' rule takes a bet, a purchase or a placing to say of a hand.

The tables are what an earlier checkpoint `ppo` did in 2,000,000 decisions against itself (seed 1), counted by
`python tests/games/corellian_spike/fit_belief_model.py`; today's buys more and folds less. They look at the
round and at |sum| of the cards held, and at nothing else: credits, the pool, the opponent's spike and its bets are left
out. Each share is between 1 % and 98 %, so that no play refutes a hand.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

SIZES = 21
"""Sizes |sum| that are told apart: 0 to 19, and 20 or more."""

# In percent, a row for each round from 0 to 3, a column for each |sum|. In round 0 the sum is that of two cards.

_OPENS = (
    (2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    (84, 25, 5, 4, 3, 3, 3, 2, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    (95, 54, 12, 4, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    (98, 82, 40, 11, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 1),
)
"""Raises where there is nothing to match; everybody else matches, which is free."""

_RERAISES = (
    (54, 57, 59, 61, 60, 57, 53, 55, 42, 42, 42, 32, 26, 30, 25, 20, 17, 15, 13, 19, 14),
    (84, 36, 16, 14, 13, 11, 11, 10, 8, 5, 6, 4, 4, 2, 2, 1, 1, 1, 1, 1, 1),
    (77, 20, 4, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    (82, 27, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1),
)
"""Raises where a match costs something."""

_FOLDS = (
    (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 9, 12, 14, 17, 23, 30),
    (1, 1, 2, 2, 2, 4, 5, 6, 10, 15, 21, 29, 33, 45, 61, 68, 73, 84, 90, 92, 96),
    (1, 1, 2, 3, 5, 6, 8, 13, 15, 23, 28, 34, 41, 55, 63, 73, 77, 83, 88, 88, 95),
    (1, 1, 7, 11, 14, 18, 23, 27, 34, 37, 46, 48, 60, 62, 72, 73, 77, 79, 86, 89, 93),
)
"""Folds where a match costs something."""

_BUYS = (
    (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    (1, 9, 51, 68, 72, 73, 74, 76, 78, 79, 81, 81, 82, 83, 83, 84, 83, 83, 83, 84, 83),
    (1, 12, 81, 95, 97, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98),
    (1, 16, 90, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98),
)
"""Buys a card."""

PLACE_RATIO = 1 / 3
"""Each of the four sums that a bought card allows has a probability proportional to PLACE_RATIO ** |sum|."""


def _table(percents: tuple[tuple[int, ...], ...]) -> npt.NDArray[np.float64]:
    return np.array(percents, np.float64) / 100.0


_opens, _reraises, _folds, _buys = (_table(percents) for percents in (_OPENS, _RERAISES, _FOLDS, _BUYS))


_calls = 1.0 - _reraises - _folds
BETS = np.stack([1.0 - _opens, _calls, _calls / (_calls + _folds), _opens, _reraises])
"""The probability of each bet from `CHECKED` to `RERAISED`, (5, 4, 21), by round and |sum|."""

BUYS = _buys
"""The probability of buying, (4, 21), by round and |sum|."""

# A product and no power: the same bits on every machine.
PLACES = np.cumprod([1.0] + [PLACE_RATIO] * 30)
"""What a placing that leaves |sum| weighs beside the other three, (31,)."""
