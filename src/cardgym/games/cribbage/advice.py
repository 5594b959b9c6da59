"""Rank the 15 ways to keep four of six cards as the player `equilibrium` does, with the reasons.

Far from the target a discard is worth the mean points of the hand, plus or minus those of the crib, plus those of the
play; close to it, the share of games won. Hands are exact, over the 46 cuts; cribs are also listed against any discard
of the opponent, over 45,540 cases. The likely crib is against an opponent who discards well. Example:
cardgym advise Cribbage-v0 "5H 5D JC QS 2H 9C" --dealer --score 100-96
"""

from __future__ import annotations

import argparse
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
from cardgym.games.cribbage.chance_table import ChanceTable
from cardgym.games.cribbage.pegging.player import Buffers, new_buffers, rate_tosses, shipped
from cardgym.games.cribbage.pegging.policy import PeggingPolicy
from cardgym.games.cribbage.state import NUM_TOSSES, TOSSES
from cardgym.games.cribbage.statistics import Keep, distributions, keeps
from cardgym.games.cribbage.tosses import crib_mean, kept_set
from cardgym.table.advice import compared

POINTS, GAMES = "points", "% of games"


@dataclass(frozen=True)
class RatedToss:
    """One way to keep four of six cards.

    Attributes:
        toss: the number of the toss in `TOSSES`, for the hand sorted by rank, then suit.
        keep: the cards and their exact statistics.
        value: its value in `unit`.
        unit: `POINTS`, or `GAMES` close to the target: the share of games won, in percent.
        crib: mean points of the crib against an opponent who tosses well.
        play: points won in the play minus the opponent's, on average, compared with an average hand.
    """

    toss: int
    keep: Keep
    value: float
    unit: str
    crib: float
    play: float


def rated_tosses(
    cards: Sequence[int], dealer: bool, scores: tuple[int, int] | None = None, target: int = 121
) -> list[RatedToss]:
    """The 15 ways to keep four of six cards, best first, as `equilibrium` rates them.

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
    buffers, cribs, plays = new_buffers(), np.empty(NUM_TOSSES), np.empty(NUM_TOSSES)
    near = _rate(hand, int(dealer), target - own, target - other, *shipped(), buffers, cribs, plays)
    values, unit = (100.0 * buffers.chances, GAMES) if near else (buffers.worths, POINTS)
    return [
        RatedToss(
            toss,
            by_cards[frozenset(hand[TOSSES[toss]].tolist())],
            float(values[toss]),
            unit,
            float(cribs[toss]),
            float(plays[toss]),
        )
        # In a tie the first toss wins, as for the player.
        for toss in np.argsort(-buffers.worths, kind="stable").tolist()
    ]


def check_scores(scores: tuple[int, int], target: int = 121) -> tuple[int, int]:
    """The scores, checked: a deal can begin at them."""
    for score in scores:
        if not 0 <= score < target:
            raise CardgymError(f"score {scores[0]}-{scores[1]}: allowed are two scores from 0 to {target - 1}")
    return scores


@compiled
def _rate(
    cards: npt.NDArray[np.int8], dealer: int, to_go: int, opponent_to_go: int, policy: PeggingPolicy,
    table: ChanceTable, buffers: Buffers, cribs: npt.NDArray[np.float64], plays: npt.NDArray[np.float64],
) -> bool:  # fmt: skip
    """Rate the tosses; fill in the mean crib and play of each, and return whether the target is near."""
    for toss in range(NUM_TOSSES):
        cribs[toss] = crib_mean(cards, toss, dealer)
        plays[toss] = policy.worths[dealer, kept_set(cards, toss)]
    return rate_tosses(cards, dealer, to_go, opponent_to_go, policy, table, buffers)


def reasons(ranked: Sequence[RatedToss], dealer: bool) -> list[str]:
    """Why each toss is where it is: what it gains over the next best one or loses against the best one."""
    texts = []
    for place, one in enumerate(ranked):
        against = ranked[0] if place else ranked[1]
        keep = one.keep
        parts = (
            (keep.hand_mean - against.keep.hand_mean, "hand"),
            (one.crib - against.crib, "own crib" if dealer else "their crib"),
            (one.play - against.play, "play"),
        )
        why = ", ".join(f"{name} {points:+.2f}" for points, name in parts if abs(points) >= 0.005) or "the same points"
        worst = f"the hand has {keep.hand_min} to {keep.hand_max}, {keep.hand_mean:.2f} on average"
        texts.append(f"{compared(one.value, against.value, one.unit, best=place == 0)}: {why}; {worst}")
    return texts


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
    ranked = rated_tosses(parse_cards(" ".join(arguments.cards)), arguments.dealer, scores)
    _print_table(ranked, arguments.dealer)
    if arguments.plot is not None:
        _draw(ranked[0], arguments.dealer, arguments.plot)
        print(arguments.plot)


def _print_table(ranked: list[RatedToss], dealer: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    from cardgym.console.tables import fitting_tables, results_console

    console = results_console()
    wide = console.width >= _MIN_WIDTH
    worth = "worth" if ranked[0].unit == POINTS else "wins %"
    head = ("", "keep", "discard", "hand", "crib", "likely\ncrib", "play", worth)
    table = Table()
    for name in head:
        table.add_column(name, justify="left" if name in ("keep", "discard", "hand", "crib") else "right", no_wrap=True)
    table.add_column("why", overflow="fold")
    rows = []
    texts = reasons(ranked, dealer)
    for place, (one, why) in enumerate(zip(ranked, texts, strict=True), 1):
        keep = one.keep
        hand = f"{keep.hand_min:>2} {keep.hand_mean:5.2f} {keep.hand_median:4.1f} {keep.hand_max:>2}"
        crib = f"{keep.crib_min:>2} {keep.crib_mean:5.2f} {keep.crib_median:4.1f} {keep.crib_max:>2}"
        figures = (hand, crib, f"{one.crib:.2f}", f"{one.play:+.2f}", f"{one.value:.2f}")
        rows.append((str(place), _by_rank(keep.kept), _by_rank(keep.tossed), *figures))
        table.add_row(*map(Text, rows[-1]), Text(why))
    if wide:
        console.print(table)
    else:
        console.print(*fitting_tables(["", *head[1:5], "likely crib", *head[6:]], rows, console.width), sep="\n")
        for place, (one, why) in enumerate(zip(ranked, texts, strict=True), 1):
            console.print(Text(f"{place:>2}  {_by_rank(one.keep.kept)}: {why}"))
    console.print(Text(f"{_formula(ranked[0].unit, dealer)}. Hand and crib: minimum, mean, median, maximum.", "dim"))


def _formula(unit: str, dealer: bool) -> str:
    if unit == GAMES:
        return "wins %: the share of games won if both then play like equilibrium"
    return f"{'dealer' if dealer else 'pone'}: worth = mean hand {'+' if dealer else '-'} likely crib + play"


def _by_rank(cards: tuple[int, ...]) -> str:
    return card_names(sorted(cards, key=lambda card: (card % 13, card)))


def _draw(best: RatedToss, dealer: bool, path: Path) -> None:
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
