"""The value of a position: the chance to win from it, estimated from deals that were played.

The paper asks how to value positions and suggests training backwards from the end of the game. Here the last deals
played are kept as sequences of scores. From any position such a deal either ends the game, and the sequence tells who
wins, or leads to a position with more points. So all 29,282 values follow in one pass from the last hole backwards. The
estimate assumes that deals go the same everywhere on the board, which is nearly true.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.numba.compilation import compiled
from cardgym.games.cribbage.strategies import HOLES

EVENTS = 32
"""Room for the scores of a deal: at most 1 for heels, 8 for cards played and 3 at the show."""


@compiled
def value_positions(deals: npt.NDArray[np.int8], values: npt.NDArray[np.float64]) -> None:
    """Fill `values` with the chance to win before a deal.

    Args:
        deals: (deals, 32), int8: the scores of each deal in order, the dealer's positive and the pone's negative, then
            zeros.
        values: (121, 121, 2), float64, by own score, opponent's score, and 1 for the dealer or 0 for the pone.
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
    for both in range(2 * HOLES - 2, -1, -1):
        for dealer in range(max(0, both - HOLES + 1), min(both, HOLES - 1) + 1):
            pone = both - dealer
            total = 0.0
            for i in range(count):
                dealer_score, pone_score = dealer + gains[i, 0], pone + gains[i, 1]
                if dealer_score < HOLES and pone_score < HOLES:
                    # The pone deals next, so this deal's dealer will be the pone.
                    total += values[dealer_score, pone_score, 0]
                    continue
                dealer_score, pone_score = dealer, pone
                for event in range(EVENTS):
                    points = int(deals[i, event])
                    if points > 0:
                        dealer_score += points
                    else:
                        pone_score -= points
                    if dealer_score >= HOLES:
                        total += 1.0
                        break
                    if pone_score >= HOLES:
                        break
            values[dealer, pone, 1] = total / count
            values[pone, dealer, 0] = 1.0 - total / count
