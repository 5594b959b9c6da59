"""How often each hand of four ranks is kept, by `expert`'s tosses: what chance deals to the play of the cards."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.numba.compilation import compiled
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.pegging.hands import CHOOSE, COPIES, HANDS
from cardgym.games.cribbage.ranks import sort_six
from cardgym.games.cribbage.state import NUM_TOSSES
from cardgym.games.cribbage.strategies import kept_set
from cardgym.games.cribbage.toss_model import OUT_OF_REACH, toss_worths

_OTHER_TOSSES = 0.02
"""The share of tosses that are any of the 15: near the target, and of other players, every hand is met."""


def kept_shares() -> npt.NDArray[np.float64]:
    """How often the pone, row 0, and the dealer, row 1, keep each hand, (2, 1820): exact over all 20,358,520 hands."""
    counts = np.zeros((2, 2, HANDS))
    for first in range(CARDS - 5):
        _count_kept(first, counts)
    shares = counts / counts.sum(2, keepdims=True)
    kept: npt.NDArray[np.float64] = (1.0 - _OTHER_TOSSES) * shares[:, 0] + _OTHER_TOSSES * shares[:, 1]
    return kept


def pair_weights(kept: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """The probability of each pair of hands of the pone and the dealer, (1820, 1820), summing to 1.

    The shares of both, times how much rarer the dealer's hand is once the pone's four cards are out of the pack.
    """
    weights = kept[0][:, None] * kept[1][None]
    for rank in range(13):
        ratio = np.array([[CHOOSE[4 - a, b] / CHOOSE[4, b] for b in range(5)] for a in range(5)])
        weights *= ratio[COPIES[:, rank][:, None], COPIES[:, rank][None]]
    weights /= weights.sum()
    shares: npt.NDArray[np.float32] = weights.astype(np.float32)
    return shares


@compiled
def _count_kept(first: int, counts: npt.NDArray[np.float64]) -> None:
    """Add the hands kept from all six cards of which `first` is the lowest number.

    Args:
        first: a card.
        counts: (2, 2, 1820): by side; tosses of `expert` at the start of a game, and all tosses.
    """
    cards = np.empty(6, np.int8)
    worths = np.empty(NUM_TOSSES, np.float32)
    for b in range(first + 1, CARDS - 4):
        for c in range(b + 1, CARDS - 3):
            for d in range(c + 1, CARDS - 2):
                for e in range(d + 1, CARDS - 1):
                    for f in range(e + 1, CARDS):
                        cards[0] = first
                        cards[1] = b
                        cards[2] = c
                        cards[3] = d
                        cards[4] = e
                        cards[5] = f
                        sort_six(cards)
                        for dealer in range(2):
                            toss_worths(cards, dealer, OUT_OF_REACH, worths)
                            best = 0
                            for toss in range(NUM_TOSSES):
                                if worths[toss] > worths[best]:
                                    best = toss
                                counts[dealer, 1, kept_set(cards, toss)] += 1.0
                            counts[dealer, 0, kept_set(cards, best)] += 1.0
