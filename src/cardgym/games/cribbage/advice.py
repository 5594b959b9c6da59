"""What to toss from a hand of six, and why: the 15 keeps ranked by their exact statistics.

The worth of a keep is its mean hand plus its mean crib for the dealer, less the mean crib for the pone. Near the end
of the board points beyond the target are worth nothing, and going out is worth the game: there the chance that the
hand reaches the target counts too. The opponent's toss is taken as uniform over the unseen cards.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cardgym.errors import CardgymError
from cardgym.games.cribbage.scoring import HIGHEST_SCORE
from cardgym.games.cribbage.statistics import Keep, distributions, keeps
from cardgym.games.cribbage.statistics_tables import HAND_CUTS

GOING_OUT = 20.0
"""What the game is worth in points; the scale on which a chance to win it is set against a mean."""
PEGGING = (2, 3)
"""Points that the pone and the dealer may expect to peg before the show."""


@dataclass(frozen=True)
class Advice:
    """One keep with its worth, the chance that its hand goes out (None far from the end), and reasons in words."""

    keep: Keep
    worth: float
    out: float | None
    why: tuple[str, ...]


def advise(
    cards: Sequence[int], dealer: bool, scores: tuple[int, int] | None = None, target: int = 121
) -> list[Advice]:
    """The 15 keeps of six cards, the best first.

    Args:
        cards: six different cards 0 .. 51.
        dealer: whether the crib is the own.
        scores: the own score and the opponent's; None where they do not matter.
        target: the points that win.

    Raises:
        CardgymError: for cards that are not six different ones, or a score from which no game goes on.
    """
    need = _points_needed(dealer, scores, target)
    sign = 1.0 if dealer else -1.0
    found = []
    for keep in keeps(cards):
        worth = keep.hand_mean + sign * keep.crib_mean
        out = None
        if need is not None:
            hand, _ = distributions(keep.kept, keep.tossed)
            out = float(np.asarray(hand)[max(need, 0) :].sum()) / HAND_CUTS
            worth += GOING_OUT * out
        found.append(Advice(keep, worth, out, ()))
    found.sort(key=lambda advice: (-advice.worth, advice.keep.toss))
    return [dataclasses.replace(one, why=_reasons(one, found, dealer, need)) for one in found]


def check_scores(scores: tuple[int, int], target: int = 121) -> tuple[int, int]:
    """The scores, after checking that a deal can begin at them."""
    for score in scores:
        if not 0 <= score < target:
            raise CardgymError(f"score {scores[0]}-{scores[1]}: allowed are two scores from 0 to {target - 1}")
    return scores


def _points_needed(dealer: bool, scores: tuple[int, int] | None, target: int) -> int | None:
    """The points the hand must have to go out, where that can matter: the pone counts first; the dealer only in need.

    A dealer plays for the hand alone only when the pone may go out first.
    """
    if scores is None:
        return None
    own, other = check_scores(scores, target)
    need = target - own - PEGGING[dealer]
    threat = target - other <= PEGGING[not dealer] + 8
    return need if need <= HIGHEST_SCORE and (threat or not dealer) else None


def _reasons(one: Advice, ranked: list[Advice], dealer: bool, need: int | None) -> tuple[str, ...]:
    keep, all_keeps = one.keep, [advice.keep for advice in ranked]
    why = []
    if one.out is not None and need is not None and one.out > 0:
        most = one.out == max(advice.out or 0.0 for advice in ranked)
        first = f"{PEGGING[dealer]} pegged" + (" and the pone not out before" if dealer else "")
        chance = f"{'best chance' if most else 'chance'} of {one.out:.0%} to go out"
        why.append(f"{chance}: {max(need, 0)} in hand, {first}")
    if keep.hand_mean == max(k.hand_mean for k in all_keeps):
        why.append("best mean hand")
    if keep.hand_min == max(k.hand_min for k in all_keeps) > 0:
        why.append(f"sure of {keep.hand_min}, the most")
    if keep.hand_max == max(k.hand_max for k in all_keeps):
        why.append(f"may reach {keep.hand_max}, the most")
    if dealer and keep.crib_mean == max(k.crib_mean for k in all_keeps):
        why.append("best own crib")
    if not dealer and keep.crib_mean == min(k.crib_mean for k in all_keeps):
        why.append("gives the least to the crib")
    best = ranked[0].keep
    if keep is not best:
        hand, crib = keep.hand_mean - best.hand_mean, keep.crib_mean - best.crib_mean
        why.append(f"hand {hand:+.2f}, {'own' if dealer else 'their'} crib {crib:+.2f} beside the first")
    return tuple(why or ["best sum of hand and crib" if dealer else "best hand less crib"])
