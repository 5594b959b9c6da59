"""What a toss is worth: the model by which the player `expert` tosses and `advise` ranks tosses.

The worth of a toss is the mean points of the hand kept over the cuts left, plus (for the dealer) or minus (for the
pone) the mean points of the crib against an opponent who tosses well (`crib_table.py`). Near the target a seat can go
out with this hand; then the chance to do so counts too. The pone's hand is counted first, so this always matters to the
pone. To the dealer it matters only if the pone may go out in this deal: otherwise the dealer has time.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import rule
from cardgym.games.cribbage.cards import CARDS
from cardgym.games.cribbage.means import crib_mean, hand_totals
from cardgym.games.cribbage.scoring import HIGHEST_SCORE, score_hand
from cardgym.games.cribbage.state import CUTS, KEPT, NUM_TOSSES

PEGGING = (2.2, 3.4)
"""Points that the pone and the dealer peg in a deal, as `expert` does against itself on average."""
HAND = 8.0
"""Points of a hand that was kept well, on average."""
WIN = 20.0
"""The worth of winning the game, in points, by which a chance to win is compared with points."""
OUT_OF_REACH = 1000.0
"""Returned instead of the points needed to go out where going out does not matter."""


@rule
def points_to_go_out(dealer: int, to_go: int, opponent_to_go: int) -> float:
    """The points that the hand must score to go out, after the usual pegging; `OUT_OF_REACH` where it does not matter.

    Args:
        dealer: 1 for the dealer, 0 for the pone.
        to_go: the points that the seat lacks to the target.
        opponent_to_go: the points that the opponent lacks.
    """
    need = float(to_go) - PEGGING[dealer]
    threat = float(opponent_to_go) <= PEGGING[1 - dealer] + HAND
    if need <= HIGHEST_SCORE and (threat or not dealer):
        return need
    return OUT_OF_REACH


@rule
def toss_worths(cards: npt.NDArray[np.int8], dealer: int, need: float, worths: npt.NDArray[np.float32]) -> None:
    """Fill `worths`, (15,) float32, with the worth of each toss in points.

    Args:
        cards: the six cards, sorted by rank, then suit.
        dealer: 1 for the dealer, 0 for the pone.
        need: what `points_to_go_out` returns.
        worths: filled, in the order of `TOSSES`.
    """
    hand_totals(cards, worths, 1.0 / CUTS)
    for toss in range(NUM_TOSSES):
        mean = crib_mean(cards, toss, dealer)
        worths[toss] = float(worths[toss]) + (mean if dealer else -mean)
        if need <= HIGHEST_SCORE:
            worths[toss] = float(worths[toss]) + WIN * chance_of(cards, toss, need)


@rule
def chance_of(cards: npt.NDArray[np.int8], toss: int, need: float) -> float:
    """The share of the 46 cuts with which the hand kept scores at least `need` points."""
    kept = np.empty(4, np.int8)
    for place in range(4):
        kept[place] = cards[KEPT[toss, place]]
    enough = 0
    for cut in range(CARDS):
        known = False
        for place in range(6):
            known = known or cards[place] == cut
        if not known and score_hand(kept, cut) >= need:
            enough += 1
    return enough / CUTS
