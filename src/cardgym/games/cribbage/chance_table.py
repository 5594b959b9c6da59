"""The table of chances to win, and the chance to win after a discard.

Near the target the chance to win is not linear in points: it depends on who counts first and whether the hand is
enough. `research/cribbage_chances.py` makes the table.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from cardgym.engine.contract import Float32s, Float64s, Int8s, rule
from cardgym.files.documents import Count, Document, Number
from cardgym.files.tensors import Arrays, Layout, read_tensors, write_tensors
from cardgym.games.cribbage.scoring import MAX_SCORE
from cardgym.games.cribbage.state import CUTS, NUM_TOSSES
from cardgym.games.cribbage.tosses import count_hands

FORMAT = "cardgym-cribbage-chances-1"
PATH = Path(__file__).with_name("chances.safetensors")
"""The table of the player `equilibrium` and the coach."""
HOLES = 121
PHASES = ("deal", "play", "pone's hand", "dealer's hand", "crib")
"""Before the deal, before the lead, and before each part of the show."""
NEAR = 45
"""Discards are chosen by the chance to win if either side needs at most this many points, about three deals."""

_DEAL, _, _, _DEALER_HAND, _CRIB = range(5)
_STEPS = 65535
_MIN_SHARE = 3e-4
"""Outcomes of a deal below this probability are left out."""
_MIN_SLOPE = 0.004
"""Floor on the worth of a point in chance, so that chances can be converted to points."""
_MAX_SHIFTS = 32
"""The largest difference between discards in crib and play, in points."""


class ChanceTable(NamedTuple):
    """Chances to win when both sides play like `equilibrium`, and the outcomes of a deal.

    Attributes:
        chances: (5, 122, 122), float32: the pone's chance, by phase and the points that the pone and the dealer need.
        before: two arrays (outcomes, 3), float64, for the pone and the dealer: the points of the side before its hand
            is counted, the other's until then, and the probability.
        crib: the mean points of the crib.
        play: the mean points of the pone in the play, minus those of the dealer.
        tossed: (2, 169), float64: how often the pone and the dealer discard each pair of ranks, at 13 x the lower
            rank + the higher.
        near: discards are chosen by the chance to win if either side needs at most this many points.
    """

    chances: Float32s
    before: tuple[Float64s, Float64s]
    crib: float
    play: float
    tossed: Float64s
    near: int = NEAR


class ChancesDocument(Document):
    """The metadata in a table's file; `deals` were sampled for it."""

    format: Literal["cardgym-cribbage-chances-1"]
    deals: Count
    seed: Count
    crib: Number
    play: Number


def save_table(path: Path, table: ChanceTable, *, deals: int, seed: int) -> None:
    document = {"format": FORMAT, "deals": deals, "seed": seed, "crib": table.crib, "play": table.play}
    chances = np.rint(table.chances * _STEPS).astype(np.uint16)
    arrays: Arrays = {
        "chances": chances, "before_pone": table.before[0], "before_dealer": table.before[1], "tossed": table.tossed,
    }  # fmt: skip
    write_tensors(path, document, arrays)


def load_table(path: Path = PATH) -> ChanceTable:
    """Read a table that `save_table` wrote; very rare outcomes are left out."""
    outcomes = (np.float64, (None, 3))
    shape = (len(PHASES), HOLES + 1, HOLES + 1)
    layout: Layout = {
        "chances": (np.uint16, shape), "before_pone": outcomes, "before_dealer": outcomes,
        "tossed": (np.float64, (2, 169)),
    }  # fmt: skip
    document, arrays = read_tensors(path, f"chances {path}", ChancesDocument, layout)
    before = _common(arrays["before_pone"]), _common(arrays["before_dealer"])
    chances = arrays["chances"] / np.float32(_STEPS)
    return ChanceTable(chances.astype(np.float32), before, document.crib, document.play, arrays["tossed"])


def _common(outcomes: Float64s) -> Float64s:
    kept = outcomes[outcomes[:, 2] >= _MIN_SHARE]
    kept[:, 2] /= kept[:, 2].sum()
    return np.ascontiguousarray(kept)


# -- compiled ---------------------------------------------------------------------------------------------------------


@rule
def is_near(table: ChanceTable, to_go: int, opponent_to_go: int) -> bool:
    """Whether discards are chosen by the table at this score."""
    return max(to_go, opponent_to_go) <= HOLES and min(to_go, opponent_to_go) <= table.near


@rule
def chance_of_pone(table: ChanceTable, phase: int, pone: int, dealer: int) -> float:
    """Return the pone's chance to win before a phase; a side that needs nothing has won."""
    if pone <= 0:
        return 1.0
    if dealer <= 0:
        return 0.0
    return float(table.chances[phase, min(pone, HOLES), min(dealer, HOLES)])


@rule
def point_worth(table: ChanceTable, dealer: int, to_go: int, opponent_to_go: int) -> float:
    """Return the increase in the chance to win before the deal from one more point."""
    own = min(to_go, HOLES)
    low, high = max(own - 2, 1), min(own + 2, HOLES)
    if dealer:
        slope = chance_of_pone(table, _DEAL, opponent_to_go, high) - chance_of_pone(table, _DEAL, opponent_to_go, low)
    else:
        slope = chance_of_pone(table, _DEAL, low, opponent_to_go) - chance_of_pone(table, _DEAL, high, opponent_to_go)
    slope /= high - own + 2.0
    return max(slope, _MIN_SLOPE)


@rule
def toss_chances(
    table: ChanceTable, cards: Int8s, dealer: int, to_go: int, opponent_to_go: int, gains: Float32s, chances: Float32s
) -> None:
    """Fill `chances`, (15,), with the chance to win after each discard.

    The hand is exact over the cuts, and everything else over the usual outcomes of a deal. Crib and play enter through
    the difference of their means, which is counted with the crib: `gains`, (15,), says by how many points each discard
    beats the usual ones. The six cards are sorted by rank, then suit; both sides need at most 121 points.
    """
    first = int(np.floor(gains.min()))
    shifts = min(int(np.floor(gains.max())) + 2 - first, _MAX_SHIFTS)
    hands = np.zeros((NUM_TOSSES, MAX_SCORE + 1))
    count_hands(cards, hands)
    after = np.zeros((MAX_SCORE + 1, shifts))
    for points in range(MAX_SCORE + 1):
        if hands[:, points].max() > 0.0:
            for shift in range(shifts):
                after[points, shift] = _chance_with(table, dealer, to_go, opponent_to_go, points, first + shift)
    for toss in range(NUM_TOSSES):
        place = int(np.floor(gains[toss])) - first
        part = float(gains[toss]) - float(first + place)
        chance = 0.0
        for points in range(MAX_SCORE + 1):
            if hands[toss, points] > 0.0:
                mean = (1.0 - part) * after[points, place] + part * after[points, place + 1]
                chance += hands[toss, points] * mean
        chances[toss] = chance / CUTS


@rule
def _chance_with(table: ChanceTable, dealer: int, to_go: int, opponent_to_go: int, hand: int, gain: int) -> float:
    """Return the chance to win with `hand` points in hand and `gain` more than usual in crib and play."""
    before = table.before[dealer]
    chance = 0.0
    for outcome in range(before.shape[0]):
        own = to_go - int(before[outcome, 0])
        other = opponent_to_go - int(before[outcome, 1])
        share = before[outcome, 2]
        if own <= 0:  # The dealer wins before the pone counts its hand; in the play either may be first.
            chance += share if dealer or other > 0 else 0.5 * share
        elif other <= 0:
            continue
        elif own - hand <= 0:
            chance += share
        elif dealer:
            chance += share * (1.0 - chance_of_pone(table, _CRIB, other, max(own - hand - gain, 1)))
        else:
            chance += share * chance_of_pone(table, _DEALER_HAND, own - hand, max(other + gain, 1))
    return chance
