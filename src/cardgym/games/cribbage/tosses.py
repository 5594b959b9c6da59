"""The worth of a discard: mean points of hand and crib, and the model by which the player `expert` discards.

The mean of a hand over the cuts left is exact: fifteens, pairs and runs depend on the rank of the cut, flush and nobs
on how many cards of a suit are left. The mean of a crib depends on the opponent's discard too: `MEAN_CRIB` has it
for each pair of ranks, against an opponent who discards well.

The worth of a discard is the mean hand, plus (for the dealer) or minus (for the pone) the mean crib. Near the target a
seat can go out with this hand, so the chance of doing so counts too. The pone's hand is counted first, so this always
matters to the pone. It matters to the dealer only if the pone may go out in this deal.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np

from cardgym.engine.contract import Float32s, Float64s, Int8s, rule
from cardgym.games.cribbage import state as cribbage
from cardgym.games.cribbage.cards import CARDS, EMPTY, JACK, holds
from cardgym.games.cribbage.scoring import MAX_SCORE, score_crib, score_hand, score_ranks, score_ranks_all

_SHIFTS = np.concatenate([cribbage.KEPT, cribbage.TOSSES], axis=1).astype(np.int8) * 4
"""(15, 6): for each discard, four times the places of the four cards kept, then of the two discarded."""


def _mean_crib() -> Float64s:
    tables = tomllib.loads(Path(__file__).with_name("crib_means.toml").read_text(encoding="utf-8"))
    means = np.empty((2, 169))
    for dealer, name in enumerate(("pone", "dealer")):
        for low, row in enumerate(tables[name]):
            for high, mean in enumerate(row, low):
                means[dealer, 13 * low + high] = means[dealer, 13 * high + low] = mean
    return means


MEAN_CRIB = _mean_crib()
"""(2, 169): mean crib points, at 13 x rank + rank of the cards discarded; row 1 for the dealer, row 0 for the pone."""


@rule
def hand_totals(cards: Int8s, out: Float32s, scale: float) -> None:
    """Write the points of the hand that each discard keeps, summed over the 46 cuts, times `scale`.

    Args:
        cards: six cards.
        out: (15,), filled.
        scale: 1 / 46 for the means.
    """
    # Words with four bits for each card or suit: shifting a word is faster than a division for each card.
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
    for toss in range(cribbage.NUM_TOSSES):
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
def _flush_total(cards: Int8s, toss: int, suits: int) -> int:
    """Return a flush's points over all cuts; `suits` counts the six cards by suit, four bits each."""
    suit = int(cards[cribbage.KEPT[toss, 0]]) // 13
    for kept in range(1, 4):
        if int(cards[cribbage.KEPT[toss, kept]]) // 13 != suit:
            return 0
    return 4 * cribbage.CUTS + 13 - (suits >> 4 * suit & 15)


@rule
def crib_mean(cards: Int8s, toss: int, dealer: int) -> float:
    """Mean points of the crib after a discard; `dealer` is 1 for the own crib, 0 for the opponent's."""
    first = int(cards[cribbage.TOSSES[toss, 0]]) % 13
    second = int(cards[cribbage.TOSSES[toss, 1]]) % 13
    return float(MEAN_CRIB[dealer, 13 * first + second])


PEGGING = (2.2, 3.4)
"""Points that the pone and the dealer peg in a deal, on average, when `expert` plays itself."""
HAND = 8.0
"""Points of a well-kept hand, on average."""
WIN = 20.0
"""The worth of winning the game in points, to compare a chance to win with points."""
OUT_OF_REACH = 1000.0
"""The points needed to go out if going out does not matter."""


@rule
def points_to_go_out(dealer: int, to_go: int, opponent_to_go: int) -> float:
    """Return the points that the hand must score to go out after the usual pegging, or `OUT_OF_REACH`.

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
def toss_worths(cards: Int8s, dealer: int, need: float, worths: Float32s) -> None:
    """Fill `worths`, (15,) float32, with the worth of each discard in points, in the order of `TOSSES`.

    The six cards are sorted by rank, then suit; `dealer` is 1 for the dealer, 0 for the pone; `need` is what
    `points_to_go_out` returns.
    """
    hand_totals(cards, worths, 1.0 / cribbage.CUTS)
    for toss in range(cribbage.NUM_TOSSES):
        mean = crib_mean(cards, toss, dealer)
        worths[toss] = float(worths[toss]) + (mean if dealer else -mean)
    if need <= MAX_SCORE:
        hands = np.zeros((cribbage.NUM_TOSSES, MAX_SCORE + 1))
        count_hands(cards, hands)
        for toss in range(cribbage.NUM_TOSSES):
            enough = 0.0
            for points in range(MAX_SCORE + 1):
                enough += hands[toss, points] if points >= need else 0.0
            worths[toss] = float(worths[toss]) + WIN * (enough / cribbage.CUTS)


@rule
def count_hands(cards: Int8s, hands: Float64s) -> None:
    """Add to `hands`, (15, 30), the number of cuts with which each discard's hand scores each number of points."""
    kept = np.empty(4, np.int8)
    for cut in range(CARDS):
        if not holds(cards, cut):
            for toss in range(cribbage.NUM_TOSSES):
                for place in range(4):
                    kept[place] = cards[cribbage.KEPT[toss, place]]
                hands[toss, score_hand(kept, cut)] += 1.0


@rule
def small_means(cards: Int8s, pack: int, dealer: int, scale: float, hands: Float32s, cribs: Float32s) -> None:
    """Fill in the mean points of each discard in a small pack, times `scale`; 0 for discards that do not exist.

    All cards that the seat does not hold are equally likely as the starter and as the opponent's discard of one card.
    `cards`, (6,), has EMPTY after the cards dealt; `dealer` is 0 for the opponent's crib, whose points are negative;
    `hands` and `cribs` are (15,) float32.
    """
    size = int(cribbage.PACK_SIZE[pack])
    unseen = np.empty(size, np.int8)
    left = 0
    for card in cribbage.PACK_CARDS[pack, :size]:
        if not holds(cards, card):
            unseen[left] = card
            left += 1
    kept = np.empty(4, np.int8)
    crib = np.full(4, EMPTY, np.int8)
    for toss in range(cribbage.NUM_TOSSES):
        hands[toss] = cribs[toss] = 0.0
        if toss < cribbage.PACK_TOSSES[pack]:
            hand_points = crib_points = 0
            for place in range(4):
                kept[place] = cards[cribbage.TOSS_PLACES[pack, toss, 2 + place]]
            crib[0] = cards[cribbage.TOSS_PLACES[pack, toss, 0]]
            for cut in range(left):
                hand_points += score_hand(kept, unseen[cut])
                for other in range(left):
                    if other != cut:
                        crib[2] = unseen[other]
                        crib_points += score_crib(crib, unseen[cut])
            hands[toss] = scale * hand_points / left
            cribs[toss] = (scale if dealer else -scale) * crib_points / (left * (left - 1))


@rule
def first_best(values: Float32s) -> int:
    """Return the place of the greatest value, the first in a tie."""
    return int(values.argmax())


@rule
def rank_set(a: int, b: int, c: int, d: int) -> int:
    """Return the number 0 .. 1819 of four ranks, given in ascending order."""
    return a + b * (b + 1) // 2 + c * (c + 1) * (c + 2) // 6 + d * (d + 1) * (d + 2) * (d + 3) // 24


@rule
def kept_set(cards: Int8s, toss: int) -> int:
    """Return the rank set of the four cards that a discard keeps of six cards, which are sorted by rank."""
    return rank_set(
        int(cards[cribbage.KEPT[toss, 0]]) % 13,
        int(cards[cribbage.KEPT[toss, 1]]) % 13,
        int(cards[cribbage.KEPT[toss, 2]]) % 13,
        int(cards[cribbage.KEPT[toss, 3]]) % 13,
    )
