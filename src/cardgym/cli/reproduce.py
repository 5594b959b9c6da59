"""Make a paper's results anew, as pages for people.

one-play-poker: the table of results that the paper leaves at zero, and a chart of the optimal policy.
cribbage: win rates of the expert learner, where its starts end up, and what changes near the end of the board.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from cardgym.cli.parser import Parser, whole
from cardgym.errors import unknown

PAPERS = ("one-play-poker", "cribbage")


def add_arguments(parser: Parser) -> None:
    """The command's arguments."""
    parser.add_argument("paper", metavar="PAPER", help=", ".join(PAPERS))
    parser.add_argument("--games", type=whole(2, 1_000_000), metavar="N", help="how many games (as in the paper)")
    parser.add_argument("--seed", type=whole(0), default=0, metavar="S", help="what the games are dealt from (0)")
    parser.add_argument(
        "--out", type=Path, default=Path("docs/results"), metavar="FOLDER", help="where to (docs/results)"
    )


def run(arguments: argparse.Namespace) -> None:
    """Make the pages."""
    if arguments.paper not in PAPERS:
        raise unknown("paper", arguments.paper, PAPERS)
    if arguments.paper == "cribbage":
        from cardgym.cli.reproduce_cribbage import run as reproduce_cribbage

        return reproduce_cribbage(arguments)
    _one_play_poker(arguments)


def _one_play_poker(arguments: argparse.Namespace) -> None:
    from cardgym.cli.progress import progress_bar
    from cardgym.registry import find, parse_options
    from cardgym.tabular.chart_poker import draw_chart
    from cardgym.tabular.paper_poker import CHART, ENV, GAMES, write_results

    page, chart = arguments.out / "one_play_poker.md", arguments.out / CHART
    with progress_bar("readings of the rules") as progress:
        write_results(page, arguments.games or GAMES, arguments.seed, progress)
    print(page)
    draw_chart(chart, parse_options(find(ENV), {}))
    print(chart)
