"""The worth of a discard: mean points of hand and crib, and the model by which the player `expert` discards.

The mean of a hand over the cuts left is exact: fifteens, pairs and runs depend on the rank of the cut, flush and nobs
on how many cards of a suit are left. The mean of a crib depends on the opponent's discard too: `PONE_CRIB` and
`DEALER_CRIB` have it for each pair of ranks, against an opponent who discards well.

The worth of a discard is the mean hand, plus (for the dealer) or minus (for the pone) the mean crib. Near the target a
seat can go out with this hand, so the chance to do so counts too. The pone's hand is counted first, so this always
matters to the pone. It matters to the dealer only if the pone may go out in this deal.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import rule
from cardgym.games.cribbage import state as s
from cardgym.games.cribbage.cards import CARDS, EMPTY, JACK
from cardgym.games.cribbage.scoring import MAX_SCORE, score_crib, score_hand, score_ranks, score_ranks_all

# Mean crib points by the two ranks discarded; research/cribbage_crib_table.py computes them.
# fmt: off
PONE_CRIB = (
    6.048, 5.072, 5.171, 5.777, 6.065, 4.860, 4.839, 4.827, 4.632, 4.486, 4.746, 4.439, 4.370,  # A with A .. K
    6.436, 7.374, 5.456, 6.163, 5.008, 5.022, 4.943, 4.782, 4.664, 4.923, 4.616, 4.537,  # 2 with 2 .. K
    6.763, 6.136, 6.835, 4.845, 5.079, 4.991, 4.777, 4.704, 4.979, 4.679, 4.601,  # 3 with 3 .. K
    6.581, 7.361, 5.457, 4.802, 4.927, 4.735, 4.565, 4.824, 4.510, 4.453,  # 4 with 4 .. K
    9.340, 7.533, 6.951, 6.272, 6.163, 7.450, 7.732, 7.450, 7.346,  # 5 with 5 .. K
    7.037, 6.486, 5.831, 6.194, 4.349, 4.572, 4.241, 4.183,  # 6 with 6 .. K
    7.117, 7.721, 5.286, 4.352, 4.642, 4.343, 4.275,  # 7 with 7 .. K
    6.557, 5.745, 4.947, 4.564, 4.293, 4.223,  # 8 with 8 .. K
    6.331, 5.492, 4.976, 4.117, 4.088,  # 9 with 9 .. K
    6.116, 5.623, 4.695, 3.986,  # T with T .. K
    6.542, 5.570, 4.951,  # J with J .. K
    5.897, 4.612,  # Q with Q .. K
    5.702,  # K with K .. K
)
"""For a discard to the opponent's crib: 91 pairs of ranks, the lower rank first."""
DEALER_CRIB = (
    5.250, 4.175, 4.442, 5.434, 5.478, 3.810, 3.736, 3.735, 3.358, 3.412, 3.679, 3.412, 3.424,  # A with A .. K
    5.659, 6.933, 4.486, 5.430, 3.850, 3.816, 3.593, 3.660, 3.533, 3.788, 3.521, 3.530,  # 2 with 2 .. K
    5.880, 4.848, 6.004, 3.738, 3.685, 3.850, 3.664, 3.602, 3.882, 3.627, 3.638,  # 3 with 3 .. K
    5.628, 6.507, 3.850, 3.748, 3.853, 3.704, 3.618, 3.886, 3.610, 3.634,  # 4 with 4 .. K
    8.901, 6.618, 6.036, 5.475, 5.459, 6.667, 7.008, 6.690, 6.663,  # 5 with 5 .. K
    5.738, 4.908, 4.696, 5.102, 3.142, 3.389, 3.100, 3.112,  # 6 with 6 .. K
    5.961, 6.593, 4.070, 3.131, 3.436, 3.180, 3.206,  # 7 with 7 .. K
    5.433, 4.725, 3.838, 3.406, 3.176, 3.191,  # 8 with 8 .. K
    5.097, 4.243, 3.975, 3.006, 3.051,  # 9 with 9 .. K
    4.724, 4.586, 3.403, 2.839,  # T with T .. K
    5.345, 4.856, 4.049,  # J with J .. K
    4.656, 3.490,  # Q with Q .. K
    4.598,  # K with K .. K
)
"""For a discard to one's own crib, in the same order."""
# fmt: on


_SHIFTS = np.concatenate([s.KEPT, s.TOSSES], axis=1).astype(np.int8) * 4
"""(15, 6): for each discard, four times the places of the four cards kept and then of the two discarded."""


def _by_ranks(pone: tuple[float, ...], dealer: tuple[float, ...]) -> npt.NDArray[np.float64]:
    means = np.empty((2, 169))
    for row, values in enumerate((pone, dealer)):
        pairs = ((low, high) for low in range(13) for high in range(low, 13))
        for (low, high), mean in zip(pairs, values, strict=True):
            means[row, 13 * low + high] = means[row, 13 * high + low] = mean
    return means


MEAN_CRIB = _by_ranks(PONE_CRIB, DEALER_CRIB)
"""(2, 169): mean crib points, at 13 x rank + rank of the cards discarded; row 1 for the dealer, row 0 for the pone."""


@rule
def hand_totals(cards: npt.NDArray[np.int8], out: npt.NDArray[np.float32], scale: float) -> None:
    """For each discard, the points of the hand kept, summed over the 46 cuts, times `scale`.

    Args:
        cards: six cards.
        out: (15,), filled.
        scale: 1 / 46 for the means.
    """
    # Words with four bits for each card or suit: shifting a word is faster than dividing card by card.
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
    for toss in range(s.NUM_TOSSES):
        a = ranks >> int(_SHIFTS[toss, 0]) & 15
        b = ranks >> int(_SHIFTS[toss, 1]) & 15
        c = ranks >> int(_SHIFTS[toss, 2]) & 15
        d = ranks >> int(_SHIFTS[toss, 3]) & 15
        x = int(_SHIFTS[toss, 4])
        y = int(_SHIFTS[toss, 5])
        # Of the 48 cards that are not kept, the two discarded cannot be cut.
        total = score_ranks_all(a, b, c, d)
        total -= score_ranks(a, b, c, d, ranks >> x & 15) + score_ranks(a, b, c, d, ranks >> y & 15)
        total += all_nobs - (nobs >> x & 15) - (nobs >> y & 15)
        if flush:
            total += _flush_total(cards, toss, suits)
        out[toss] = total * scale


@rule
def _flush_total(cards: npt.NDArray[np.int8], toss: int, suits: int) -> int:
    """The points for a flush of four or five over all cuts; `suits` counts the six cards by suit, four bits each."""
    suit = int(cards[s.KEPT[toss, 0]]) // 13
    for kept in range(1, 4):
        if int(cards[s.KEPT[toss, kept]]) // 13 != suit:
            return 0
    return 4 * s.CUTS + 13 - (suits >> 4 * suit & 15)


@rule
def crib_mean(cards: npt.NDArray[np.int8], toss: int, dealer: int) -> float:
    """Mean points of the crib after a discard; `dealer` is 1 for the own crib, 0 for the opponent's."""
    first = int(cards[s.TOSSES[toss, 0]]) % 13
    second = int(cards[s.TOSSES[toss, 1]]) % 13
    return float(MEAN_CRIB[dealer, 13 * first + second])


PEGGING = (2.2, 3.4)
"""Points that the pone and the dealer peg in a deal, on average, when `expert` plays itself."""
HAND = 8.0
"""Points of a well-kept hand, on average."""
WIN = 20.0
"""The worth of winning the game in points, to compare a chance to win with points."""
OUT_OF_REACH = 1000.0
"""Stands for the points needed to go out where going out does not matter."""


@rule
def points_to_go_out(dealer: int, to_go: int, opponent_to_go: int) -> float:
    """The points that the hand must score to go out after the usual pegging, or `OUT_OF_REACH`.

    Args:
        dealer: 1 for the dealer, 0 for the pone.
        to_go: the points that the seat needs.
        opponent_to_go: the points that the opponent needs.
    """
    need = float(to_go) - PEGGING[dealer]
    threat = float(opponent_to_go) <= PEGGING[1 - dealer] + HAND
    if need <= MAX_SCORE and (threat or not dealer):
        return need
    return OUT_OF_REACH


@rule
def toss_worths(cards: npt.NDArray[np.int8], dealer: int, need: float, worths: npt.NDArray[np.float32]) -> None:
    """Fill `worths`, (15,) float32, with the worth of each discard in points, in the order of `TOSSES`.

    The six cards are sorted by rank, then suit; `dealer` is 1 for the dealer, 0 for the pone; `need` is what
    `points_to_go_out` returns.
    """
    hand_totals(cards, worths, 1.0 / s.CUTS)
    for toss in range(s.NUM_TOSSES):
        mean = crib_mean(cards, toss, dealer)
        worths[toss] = float(worths[toss]) + (mean if dealer else -mean)
    if need <= MAX_SCORE:
        hands = np.zeros((s.NUM_TOSSES, MAX_SCORE + 1))
        count_hands(cards, hands)
        for toss in range(s.NUM_TOSSES):
            enough = 0.0
            for points in range(MAX_SCORE + 1):
                enough += hands[toss, points] if points >= need else 0.0
            worths[toss] = float(worths[toss]) + WIN * (enough / s.CUTS)


@rule
def count_hands(cards: npt.NDArray[np.int8], hands: npt.NDArray[np.float64]) -> None:
    """Add to `hands`, (15, 30), the number of cuts with which each discard's hand scores each number of points."""
    kept = np.empty(4, np.int8)
    for cut in range(CARDS):
        known = False
        for place in range(6):
            known = known or cards[place] == cut
        if not known:
            for toss in range(s.NUM_TOSSES):
                for place in range(4):
                    kept[place] = cards[s.KEPT[toss, place]]
                hands[toss, score_hand(kept, cut)] += 1.0


@rule
def small_means(
    cards: npt.NDArray[np.int8], pack: int, dealer: int, scale: float, hands: npt.NDArray[np.float32],
    cribs: npt.NDArray[np.float32],
) -> None:  # fmt: skip
    """Fill in the mean points by discard in a small pack, times `scale`, each (15,) float32; 0 where it has no discard.

    All cards that the seat does not hold are equally likely as the starter, and as the opponent's discard of one card.
    `cards`, (6,), has EMPTY behind the cards dealt; `dealer` is 0 for the opponent's crib, whose points are negative.
    """
    size = int(s.PACK_SIZE[pack])
    unseen = np.empty(size, np.int8)
    left = 0
    for place in range(size):
        known = False
        for mine in cards:
            known = known or mine == s.PACK_CARDS[pack, place]
        if not known:
            unseen[left] = s.PACK_CARDS[pack, place]
            left += 1
    kept = np.empty(4, np.int8)
    crib = np.full(4, EMPTY, np.int8)
    for toss in range(s.NUM_TOSSES):
        hands[toss] = cribs[toss] = 0.0
        if toss < s.PACK_TOSSES[pack]:
            hand_points = crib_points = 0
            for place in range(4):
                kept[place] = cards[s.TOSS_PLACES[pack, toss, 2 + place]]
            crib[0] = cards[s.TOSS_PLACES[pack, toss, 0]]
            for cut in range(left):
                hand_points += score_hand(kept, unseen[cut])
                for other in range(left):
                    if other != cut:
                        crib[2] = unseen[other]
                        crib_points += score_crib(crib, unseen[cut])
            hands[toss] = scale * hand_points / left
            cribs[toss] = (scale if dealer else -scale) * crib_points / (left * (left - 1))


@rule
def first_best(values: npt.NDArray[np.float32]) -> int:
    """The place of the greatest value, the first in a tie."""
    best = 0
    for place in range(1, len(values)):
        if values[place] > values[best]:
            best = place
    return best


@rule
def rank_set(a: int, b: int, c: int, d: int) -> int:
    """The number 0 .. 1819 of four ranks, given in ascending order."""
    return a + b * (b + 1) // 2 + c * (c + 1) * (c + 2) // 6 + d * (d + 1) * (d + 2) * (d + 3) // 24


@rule
def kept_set(cards: npt.NDArray[np.int8], toss: int) -> int:
    """The rank set of the four cards that a discard keeps of six cards, which are sorted by rank."""
    return rank_set(
        int(cards[s.KEPT[toss, 0]]) % 13,
        int(cards[s.KEPT[toss, 1]]) % 13,
        int(cards[s.KEPT[toss, 2]]) % 13,
        int(cards[s.KEPT[toss, 3]]) % 13,
    )
