"""Mean points of a hand and of a crib, fast enough to compute at every toss.

The mean of a hand over the cuts left is exact: fifteens, pairs and runs depend on the rank of the cut, flush and nobs
on how many cards of a suit are left. The mean of a crib depends on the opponent's tosses too: `crib_table.py` has it
for each pair of ranks, against an opponent who tosses well.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import rule
from cardgym.games.cribbage.cards import JACK
from cardgym.games.cribbage.crib_table import DEALER_CRIB, PONE_CRIB
from cardgym.games.cribbage.scoring import score_ranks, score_ranks_all
from cardgym.games.cribbage.state import CUTS, KEPT, NUM_TOSSES, TOSSES

_SHIFTS = np.concatenate([KEPT, TOSSES], axis=1).astype(np.int8) * 4
"""(15, 6): for each toss, four times the places of the four cards kept and then of the two tossed."""


def _by_ranks(pone: tuple[float, ...], dealer: tuple[float, ...]) -> npt.NDArray[np.float64]:
    means = np.empty((2, 169))
    for row, values in enumerate((pone, dealer)):
        pairs = ((low, high) for low in range(13) for high in range(low, 13))
        for (low, high), mean in zip(pairs, values, strict=True):
            means[row, 13 * low + high] = means[row, 13 * high + low] = mean
    return means


MEAN_CRIB = _by_ranks(PONE_CRIB, DEALER_CRIB)
"""(2, 169): mean crib points, at 13 x rank + rank of the cards tossed; row 1 for the dealer, row 0 for the pone."""


@rule
def hand_totals(cards: npt.NDArray[np.int8], out: npt.NDArray[np.float32], scale: float) -> None:
    """For each toss, the points of the hand kept, summed over the 46 cuts, times `scale`.

    Args:
        cards: six cards.
        out: (15,), filled.
        scale: 1 / 46 for the means.
    """
    # Words with four bits for each card (or suit): shifting a word is faster than dividing card by card.
    ranks = 0
    suits = 0
    for place in range(6):
        card = int(cards[place])
        ranks |= card % 13 << 4 * place
        suits += 1 << 4 * (card // 13)
    nobs = 0
    all_nobs = 0
    for place in range(6):
        if (ranks >> 4 * place & 15) == JACK:
            left = 13 - (suits >> 4 * (int(cards[place]) // 13) & 15)
            nobs |= left << 4 * place
            all_nobs += left
    flush = False
    for suit in range(4):
        flush = flush or suits >> 4 * suit & 15 >= 4
    for toss in range(NUM_TOSSES):
        a = ranks >> int(_SHIFTS[toss, 0]) & 15
        b = ranks >> int(_SHIFTS[toss, 1]) & 15
        c = ranks >> int(_SHIFTS[toss, 2]) & 15
        d = ranks >> int(_SHIFTS[toss, 3]) & 15
        x = int(_SHIFTS[toss, 4])
        y = int(_SHIFTS[toss, 5])
        # Of the 48 cards that are not kept, the two tossed cannot be cut.
        total = score_ranks_all(a, b, c, d)
        total -= score_ranks(a, b, c, d, ranks >> x & 15) + score_ranks(a, b, c, d, ranks >> y & 15)
        total += all_nobs - (nobs >> x & 15) - (nobs >> y & 15)
        if flush:
            total += _flush_total(cards, toss, suits)
        out[toss] = total * scale


@rule
def _flush_total(cards: npt.NDArray[np.int8], toss: int, suits: int) -> int:
    """The points for a flush of four or five over all cuts; `suits` counts the six cards by suit, four bits each."""
    suit = int(cards[KEPT[toss, 0]]) // 13
    for kept in range(1, 4):
        if int(cards[KEPT[toss, kept]]) // 13 != suit:
            return 0
    return 4 * CUTS + 13 - (suits >> 4 * suit & 15)


@rule
def crib_mean(cards: npt.NDArray[np.int8], toss: int, dealer: int) -> float:
    """Mean points of the crib after a toss; `dealer` is 1 for the own crib, 0 for the opponent's."""
    first = int(cards[TOSSES[toss, 0]]) % 13
    second = int(cards[TOSSES[toss, 1]]) % 13
    return float(MEAN_CRIB[dealer, 13 * first + second])
