"""What a position is worth: the chance to win from it, from deals that were played.

The paper asks how to value positions and thinks of training from the end of the game backwards. Here the deals played
last are kept as the order in which points fell. From any position such a deal either ends the game, and the order says
for whom, or leads to a position with more points; so the chances follow from the last hole backwards, all 29,282 in one
pass. That takes as given that points fall alike everywhere on the board, which is nearly so.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.compilation import compiled
from cardgym.games.cribbage.strategies import HOLES

EVENTS = 32
"""A deal has at most so many scores: 2 heels, 8 cards played and 3 counts, with room to spare."""


@compiled
def value_positions(deals: npt.NDArray[np.int8], values: npt.NDArray[np.float64]) -> None:
    """Fill `values`, (121, 121, 2): the chance to win at (own score, opponent's, 1 if to deal), before a deal.

    Args:
        deals: (deals, 32), the scores of each in order, positive the dealer's and negative the pone's, then zeros.
        values: filled.
    """
    count = deals.shape[0]
    gains = np.zeros((count, 2), np.int64)
    for i in range(count):
        for event in range(EVENTS):
            points = int(deals[i, event])
            if points > 0:
                gains[i, 0] += points
            else:
                gains[i, 1] -= points
    for together in range(2 * HOLES - 2, -1, -1):
        for dealer in range(max(0, together - HOLES + 1), min(together, HOLES - 1) + 1):
            pone = together - dealer
            total = 0.0
            for i in range(count):
                to, at = dealer + gains[i, 0], pone + gains[i, 1]
                if to < HOLES and at < HOLES:
                    # The pone deals next: the chance of who now is not the dealer.
                    total += values[to, at, 0]
                    continue
                to, at = dealer, pone
                for event in range(EVENTS):
                    points = int(deals[i, event])
                    if points > 0:
                        to += points
                    else:
                        at -= points
                    if to >= HOLES:
                        total += 1.0
                        break
                    if at >= HOLES:
                        break
            values[dealer, pone, 1] = total / count
            values[pone, dealer, 0] = 1.0 - total / count
