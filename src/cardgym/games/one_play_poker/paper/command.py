"""Fill the results table of "One Play Poker" (Bastiaan and Krabben), and draw the optimal policy.

The paper's table of 50,000 simulated games holds only zeros. The page has it for every reading of the rules, simulated
and in exact values.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

from cardgym.console.arguments import Parser, whole

GAMES = 50_000

UNIT = "readings of the rules"
"""What progress counts."""


def add_arguments(parser: Parser) -> None:
    """Add the paper's own arguments."""
    parser.add_argument(
        "--games",
        type=whole(2, 1_000_000),
        default=GAMES,
        metavar="N",
        help=f"games simulated for each policy ({GAMES:,}, as in the paper)",
    )


def run(arguments: argparse.Namespace, progress: Callable[[int, int], None]) -> Iterator[Path]:
    """Simulate, solve, and write the page and the chart below `arguments.out`."""
    from cardgym.games.one_play_poker.game import GAME
    from cardgym.games.one_play_poker.paper.chart import draw_chart
    from cardgym.games.one_play_poker.paper.page import CHART, PAGE, write_results

    page, chart = arguments.out / PAGE, arguments.out / CHART
    write_results(page, arguments.games, arguments.seed, progress)
    yield page
    draw_chart(chart, GAME.parse_options())
    yield chart
