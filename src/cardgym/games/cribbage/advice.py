"""What to toss from a hand of six, and why: the 15 tosses ranked as the player `expert` ranks them.

The worth of a toss is that of `toss_model`. Beside it stand the exact statistics of the hand kept, and of the crib
against an opponent who tosses any two unseen cards with equal probability.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cardgym.engine.numba.compilation import compiled
from cardgym.errors import CardgymError
from cardgym.games.cribbage.means import crib_mean
from cardgym.games.cribbage.state import NUM_TOSSES, TOSSES
from cardgym.games.cribbage.statistics import Keep, keeps
from cardgym.games.cribbage.toss_model import OUT_OF_REACH, PEGGING, chance_of, points_to_go_out, toss_worths


@dataclass(frozen=True)
class Advice:
    """One way to keep four of six cards.

    Attributes:
        keep: the cards and their exact statistics. Its `toss` counts the cards in ascending order.
        worth: the worth of the toss in points.
        likely_crib: mean points of the crib against an opponent who tosses well.
        chance: the chance to go out with the hand; None where that does not matter.
        why: reasons in words.
    """

    keep: Keep
    worth: float
    likely_crib: float
    chance: float | None
    why: tuple[str, ...]


def advise(
    cards: Sequence[int], dealer: bool, scores: tuple[int, int] | None = None, target: int = 121
) -> list[Advice]:
    """The 15 ways to keep four of six cards, best first.

    Args:
        cards: six different cards 0 .. 51.
        dealer: whether the crib is one's own.
        scores: the own score and the opponent's; None for 0 to 0.
        target: the points that win.

    Raises:
        CardgymError: if there are not six different cards, or for scores at which no deal can begin.
    """
    own, other = check_scores(scores or (0, 0), target)
    by_cards = {frozenset(keep.tossed): keep for keep in keeps(cards)}
    hand = np.array(sorted(cards, key=lambda card: (card % 13, card)), np.int8)
    worths, cribs, chances = np.empty(NUM_TOSSES, np.float32), np.empty(NUM_TOSSES), np.empty(NUM_TOSSES)
    need = _rate_tosses(hand, int(dealer), target - own, target - other, worths, cribs, chances)
    advice = []
    # The best toss first, and the first of equals, as the player `expert` chooses.
    for toss in np.argsort(-worths, kind="stable").tolist():
        keep = by_cards[frozenset(hand[TOSSES[toss]].tolist())]
        chance = float(chances[toss]) if need < OUT_OF_REACH else None
        advice.append(Advice(keep, float(worths[toss]), float(cribs[toss]), chance, ()))
    return [dataclasses.replace(one, why=_reasons(one, advice, dealer, need)) for one in advice]


def check_scores(scores: tuple[int, int], target: int = 121) -> tuple[int, int]:
    """The scores, checked to be scores at which a deal can begin."""
    for score in scores:
        if not 0 <= score < target:
            raise CardgymError(f"score {scores[0]}-{scores[1]}: allowed are two scores from 0 to {target - 1}")
    return scores


@compiled
def _rate_tosses(
    cards: npt.NDArray[np.int8], dealer: int, to_go: int, opponent_to_go: int, worths: npt.NDArray[np.float32],
    cribs: npt.NDArray[np.float64], chances: npt.NDArray[np.float64],
) -> float:  # fmt: skip
    """Fill in the worths, mean cribs and chances to go out of all tosses. Returns the points needed to go out."""
    need = points_to_go_out(dealer, to_go, opponent_to_go)
    toss_worths(cards, dealer, need, worths)
    for toss in range(NUM_TOSSES):
        cribs[toss] = crib_mean(cards, toss, dealer)
        chances[toss] = chance_of(cards, toss, need)
    return need


def _reasons(one: Advice, ranked: list[Advice], dealer: bool, need: float) -> tuple[str, ...]:
    keep, all_keeps, cribs = one.keep, [advice.keep for advice in ranked], [advice.likely_crib for advice in ranked]
    why = []
    if one.chance:
        best_chance = one.chance == max(advice.chance or 0.0 for advice in ranked)
        chance = f"{'best chance' if best_chance else 'chance'} of {one.chance:.0%} to go out"
        condition = ", if the pone is not out first" if dealer else ""
        why.append(f"{chance}: {max(math.ceil(need), 0)} in hand after {PEGGING[dealer]:g} pegged{condition}")
    if keep.hand_mean == max(k.hand_mean for k in all_keeps):
        why.append("best mean hand")
    if keep.hand_min == max(k.hand_min for k in all_keeps) > 0:
        why.append(f"sure of {keep.hand_min}, the most")
    if keep.hand_max == max(k.hand_max for k in all_keeps):
        why.append(f"may reach {keep.hand_max}, the most")
    if dealer and one.likely_crib == max(cribs):
        why.append("best own crib")
    if not dealer and one.likely_crib == min(cribs):
        why.append("gives the least to the crib")
    best = ranked[0]
    if one is not best:
        hand, crib = keep.hand_mean - best.keep.hand_mean, one.likely_crib - best.likely_crib
        why.append(f"hand {hand:+.2f}, {'own' if dealer else 'their'} crib {crib:+.2f} compared with the first")
    return tuple(why or ["best sum of hand and crib" if dealer else "best hand less crib"])
