"""Rank the 15 ways to keep four of six cards as the player `expert` does: hand, crib, worth, and why.

Hand and crib are exact: over the 46 cuts, and over the 45,540 opponent's tosses and cuts, all equally likely. The worth
counts the likely crib instead, against an opponent who tosses well. Example:
cardgym advise Cribbage-v0 "5H 5D JC QS 2H 9C" --dealer --score 100-96
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from cardgym.console.arguments import Parser
from cardgym.errors import CardgymError
from cardgym.games.cribbage import PACKAGE

if TYPE_CHECKING:
    from cardgym.games.cribbage.advice import Advice

_WIDE = 140
"""The least width of a terminal, in characters, at which the table includes the reasons."""
_PICTURES = (".png", ".svg", ".pdf")


def add_arguments(parser: Parser) -> None:
    """Add the command's arguments."""
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
    """Rank the tosses and print them.

    Raises:
        CardgymError: for another game, and for bad cards, scores or file names.
    """
    from cardgym.engine.registry import find
    from cardgym.games.cribbage.advice import advise, check_scores
    from cardgym.games.cribbage.cards import parse_cards

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

    from cardgym.console.output import fitting_tables, results_console

    console = results_console()
    wide = console.width >= _WIDE
    head = ("", "keep", "toss", "hand", "crib", "likely\ncrib", "worth")
    table = Table()
    for name in head:
        table.add_column(name, justify="left" if name in ("keep", "toss", "hand", "crib") else "right", no_wrap=True)
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
    from cardgym.games.cribbage.toss_model import WIN

    formula = "dealer: worth = mean hand + likely crib" if dealer else "pone: worth = mean hand - likely crib"
    if best.chance is not None:
        return f"{formula} + {WIN:g} x the chance that the hand goes out"
    return f"{formula}; a score of {score} does not change that" if score else formula


def _by_rank(cards: tuple[int, ...]) -> str:
    from cardgym.games.cribbage.cards import card_names

    return card_names(sorted(cards, key=lambda card: (card % 13, card)))


def _draw(best: Advice, dealer: bool, path: Path) -> None:
    import numpy as np

    from cardgym.console.figures import COLOURS, new_figure
    from cardgym.files.atomic import replacing
    from cardgym.games.cribbage.statistics import distributions

    counts = distributions(best.keep.kept, best.keep.tossed)
    figure = new_figure(9, 3.6, dpi=120)
    panels = figure.subplots(1, 2)
    whose = "own" if dealer else "their"
    titles = (f"Hand: {_by_rank(best.keep.kept)}", f"Crib ({whose}): {_by_rank(best.keep.tossed)}")
    means = (best.keep.hand_mean, best.keep.crib_mean)
    for axes, count, title, mean, colour in zip(panels, counts, titles, means, COLOURS[:2], strict=True):
        share = 100.0 * np.asarray(count) / np.asarray(count).sum()
        axes.bar(np.arange(len(share)), share, color=colour)
        axes.axvline(mean, color="black", linestyle="--", label=f"mean {mean:.2f}")
        axes.set(title=title, xlabel="points", ylabel="share of cases, %", xlim=(-0.5, 29.5))
        axes.legend()
    with replacing(path) as temporary:
        figure.savefig(temporary, format=path.suffix[1:])
