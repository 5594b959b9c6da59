"""Rank the 15 ways to keep four of six cards as the player `expert` does, with the reasons.

Hand and crib are exact, over the 46 cuts and over the 45,540 combinations of opponent's discard and cut, all equally
likely. The worth counts the likely crib instead, against an opponent who discards well. Example:
cardgym advise Cribbage-v0 "5H 5D JC QS 2H 9C" --dealer --score 100-96
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cardgym.console.arguments import Parser
from cardgym.engine.numba.compilation import compiled
from cardgym.errors import CardgymError
from cardgym.games.cribbage import PACKAGE
from cardgym.games.cribbage.cards import card_names, parse_cards
from cardgym.games.cribbage.state import NUM_TOSSES, TOSSES
from cardgym.games.cribbage.statistics import Keep, distributions, keeps
from cardgym.games.cribbage.tosses import (
    OUT_OF_REACH,
    PEGGING,
    WIN,
    chance_of,
    crib_mean,
    points_to_go_out,
    toss_worths,
)


@dataclass(frozen=True)
class Advice:
    """One way to keep four of six cards.

    Attributes:
        toss: the number of the toss in `TOSSES`, for the hand sorted by rank, then suit.
        keep: the cards and their exact statistics.
        worth: the worth of the toss in points.
        likely_crib: mean points of the crib against an opponent who tosses well.
        chance: the chance to go out with the hand; None where that does not matter.
        why: reasons in words.
    """

    toss: int
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
        dealer: whether the crib is the player's own.
        scores: the own score and the opponent's; None for 0 to 0.
        target: the points that win.

    Raises:
        CardgymError: if there are not six different cards, or if no deal can begin at these scores.
    """
    own, other = check_scores(scores or (0, 0), target)
    by_cards = {frozenset(keep.tossed): keep for keep in keeps(cards)}
    hand = np.array(sorted(cards, key=lambda card: (card % 13, card)), np.int8)
    worths, cribs, chances = np.empty(NUM_TOSSES, np.float32), np.empty(NUM_TOSSES), np.empty(NUM_TOSSES)
    need = _rate_tosses(hand, int(dealer), target - own, target - other, worths, cribs, chances)
    advice = []
    # In a tie the first toss wins, as for the player `expert`.
    for toss in np.argsort(-worths, kind="stable").tolist():
        keep = by_cards[frozenset(hand[TOSSES[toss]].tolist())]
        chance = float(chances[toss]) if need < OUT_OF_REACH else None
        advice.append(Advice(toss, keep, float(worths[toss]), float(cribs[toss]), chance, ()))
    return [dataclasses.replace(one, why=_reasons(one, advice, dealer, need)) for one in advice]


def check_scores(scores: tuple[int, int], target: int = 121) -> tuple[int, int]:
    """The scores, checked: a deal can begin at them."""
    for score in scores:
        if not 0 <= score < target:
            raise CardgymError(f"score {scores[0]}-{scores[1]}: allowed are two scores from 0 to {target - 1}")
    return scores


@compiled
def _rate_tosses(
    cards: npt.NDArray[np.int8], dealer: int, to_go: int, opponent_to_go: int, worths: npt.NDArray[np.float32],
    cribs: npt.NDArray[np.float64], chances: npt.NDArray[np.float64],
) -> float:  # fmt: skip
    """Fill in the worths, mean cribs and chances to go out of all tosses; return the points needed to go out."""
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
    return tuple(why or ["best sum of hand and crib" if dealer else "best hand minus crib"])


# -- the command ------------------------------------------------------------------------------------------------------

_MIN_WIDTH = 140
"""The table includes the reasons in a terminal of at least this many characters."""
_PICTURES = (".png", ".svg", ".pdf")


def add_arguments(parser: Parser) -> None:
    parser.add_argument("env", metavar="ENV", help="Cribbage-v0")
    parser.add_argument("cards", nargs="+", metavar="CARD", help="six cards, such as 5H 5D JC QS 2H 9C")
    side = parser.add_mutually_exclusive_group(required=True)
    side.add_argument("--dealer", action="store_true", help="the crib is yours")
    side.add_argument("--pone", action="store_true", help="the crib is your opponent's")
    parser.add_argument("--score", metavar="OWN-OTHER", help="your score and your opponent's, such as 100-96")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the best keep's distributions (.png, .svg, .pdf)"
    )


def run(arguments: argparse.Namespace) -> None:
    """Rank the discards and print them.

    Raises:
        CardgymError: for another game, and for bad cards, scores or file names.
    """
    from cardgym.engine.registry import find

    game = find(arguments.env)
    if game.id not in PACKAGE.games:
        raise CardgymError(f"advise is for {', '.join(PACKAGE.games)} only, not {game.id}")
    scores = None
    if arguments.score is not None:
        if not re.fullmatch(r"[0-9]{1,3}-[0-9]{1,3}", arguments.score):
            raise CardgymError(f"--score {arguments.score!r}: write yours, a dash and your opponent's, such as 100-96")
        own, other = map(int, arguments.score.split("-"))
        scores = check_scores((own, other))
    if arguments.plot is not None and arguments.plot.suffix not in _PICTURES:
        raise CardgymError(f"--plot {arguments.plot}: allowed are files ending in {', '.join(_PICTURES)}")
    ranked = advise(parse_cards(" ".join(arguments.cards)), arguments.dealer, scores)
    _print_table(ranked, arguments.dealer, arguments.score)
    if arguments.plot is not None:
        _draw(ranked[0], arguments.dealer, arguments.plot)
        print(arguments.plot)


def _print_table(ranked: list[Advice], dealer: bool, score: str | None) -> None:
    from rich.table import Table
    from rich.text import Text

    from cardgym.console.tables import fitting_tables, results_console

    console = results_console()
    wide = console.width >= _MIN_WIDTH
    head = ("", "keep", "discard", "hand", "crib", "likely\ncrib", "worth")
    table = Table()
    for name in head:
        table.add_column(name, justify="left" if name in ("keep", "discard", "hand", "crib") else "right", no_wrap=True)
    table.add_column("why", overflow="fold")
    rows = []
    for place, one in enumerate(ranked, 1):
        keep = one.keep
        hand = f"{keep.hand_min:>2} {keep.hand_mean:5.2f} {keep.hand_median:4.1f} {keep.hand_max:>2}"
        crib = f"{keep.crib_min:>2} {keep.crib_mean:5.2f} {keep.crib_median:4.1f} {keep.crib_max:>2}"
        figures = (hand, crib, f"{one.likely_crib:.2f}", f"{one.worth:.2f}")
        rows.append((str(place), _by_rank(keep.kept), _by_rank(keep.tossed), *figures))
        table.add_row(*map(Text, rows[-1]), Text("; ".join(one.why)))
    if wide:
        console.print(table)
    else:
        console.print(*fitting_tables(["", *head[1:5], "likely crib", "worth"], rows, console.width), sep="\n")
        for place, one in enumerate(ranked, 1):
            console.print(Text(f"{place:>2}  {_by_rank(one.keep.kept)}: {'; '.join(one.why)}"))
    console.print(Text(f"{_formula(ranked[0], dealer, score)}. Hand and crib: minimum, mean, median, maximum.", "dim"))


def _formula(best: Advice, dealer: bool, score: str | None) -> str:
    formula = "dealer: worth = mean hand + likely crib" if dealer else "pone: worth = mean hand - likely crib"
    if best.chance is not None:
        return f"{formula} + {WIN:g} x the chance that the hand goes out"
    return f"{formula}; a score of {score} does not change that" if score else formula


def _by_rank(cards: tuple[int, ...]) -> str:
    return card_names(sorted(cards, key=lambda card: (card % 13, card)))


def _draw(best: Advice, dealer: bool, path: Path) -> None:
    from cardgym.console.figures import COLORS, new_figure
    from cardgym.files.atomic import replacing

    counts = distributions(best.keep.kept, best.keep.tossed)
    figure = new_figure(9, 3.6, dpi=120)
    panels = figure.subplots(1, 2)
    whose = "own" if dealer else "their"
    titles = (f"Hand: {_by_rank(best.keep.kept)}", f"Crib ({whose}): {_by_rank(best.keep.tossed)}")
    means = (best.keep.hand_mean, best.keep.crib_mean)
    for axes, count, title, mean, colour in zip(panels, counts, titles, means, COLORS[:2], strict=True):
        share = 100.0 * np.asarray(count) / np.asarray(count).sum()
        axes.bar(np.arange(len(share)), share, color=colour)
        axes.axvline(mean, color="black", linestyle="--", label=f"mean {mean:.2f}")
        axes.set(title=title, xlabel="points", ylabel="share of cases, %", xlim=(-0.5, 29.5))
        axes.legend()
    with replacing(path) as temporary:
        figure.savefig(temporary, format=path.suffix[1:])
