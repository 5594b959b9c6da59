"""How a good player acts by its cards: what Bayes' rule takes a bet, a purchase or a placing to say of a hand.

The tables are what the checkpoint `ppo` does in 2,000,000 decisions against itself (seed 1), counted by
`python research/spike_belief_model.py`. They look at the round and at |sum| of the cards held, and at
nothing else: credits, the pool, the opponent's spike and its bets are left out. Each share is between 1 % and 98 %, so
that no play refutes a hand.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

SIZES = 21
"""Sizes |sum| that are told apart: 0 to 19, and 20 or more."""

# In percent, a row for each round from 0 to 3, a column for each |sum|. In round 0 the sum is that of two cards.

_OPENS = (
    (55, 53, 52, 50, 49, 46, 43, 37, 32, 29, 24, 19, 15, 10, 7, 5, 4, 3, 2, 1, 1),
    (88, 64, 28, 14, 11, 8, 7, 6, 5, 4, 4, 4, 3, 4, 3, 3, 4, 5, 3, 4, 4),
    (85, 61, 29, 10, 5, 4, 3, 3, 2, 2, 2, 1, 1, 2, 3, 3, 6, 4, 4, 6, 4),
    (84, 62, 33, 16, 8, 6, 4, 4, 3, 3, 2, 3, 3, 3, 2, 6, 6, 10, 9, 10, 11),
)
"""Raises where there is nothing to match; everybody else matches, which is free."""

_RERAISES = (
    (90, 90, 89, 88, 87, 84, 81, 77, 73, 68, 60, 51, 41, 35, 31, 22, 22, 14, 14, 11, 10),
    (95, 72, 43, 32, 24, 22, 18, 19, 15, 15, 13, 12, 12, 9, 9, 8, 6, 4, 4, 2, 1),
    (84, 40, 11, 4, 2, 2, 2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 2, 2, 1, 1, 1),
    (72, 13, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
)
"""Raises where a match costs something."""

_FOLDS = (
    (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 7, 7, 8, 9),
    (1, 1, 1, 1, 1, 1, 1, 2, 3, 5, 8, 10, 16, 20, 27, 36, 43, 55, 68, 74, 86),
    (1, 1, 1, 1, 1, 1, 3, 3, 4, 7, 6, 9, 14, 18, 23, 24, 41, 53, 70, 78, 93),
    (1, 1, 1, 3, 7, 12, 15, 18, 22, 30, 36, 38, 46, 54, 59, 61, 69, 78, 84, 87, 96),
)
"""Folds where a match costs something."""

_BUYS = (
    (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    (1, 29, 72, 87, 90, 93, 95, 96, 96, 96, 96, 96, 95, 94, 93, 89, 86, 81, 70, 59, 25),
    (1, 43, 90, 96, 97, 98, 98, 98, 98, 98, 98, 98, 98, 98, 97, 94, 89, 84, 74, 63, 33),
    (1, 46, 93, 96, 98, 98, 98, 98, 98, 98, 98, 98, 98, 98, 96, 94, 91, 86, 76, 68, 40),
)
"""Buys a card."""

PLACE_RATIO = 0.28
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
