"""Count the exact statistics of every hand of six cards, every toss, and every cut or opponent's toss and cut.

Any two of the 46 unseen cards are equally likely to be the opponent's toss. Nothing is sampled.
"""

from __future__ import annotations

import argparse
import json

from cardgym.console.arguments import Parser


def add_arguments(parser: Parser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> None:
    """Count and print."""
    from cardgym.console.output import Progress
    from cardgym.games.cribbage.statistics import totals

    with Progress("counting", "hands of six cards") as progress:
        statistics = totals(progress)
    if arguments.json:
        print(json.dumps(statistics, indent=2, allow_nan=False))
        return
    width = max(map(len, statistics))
    for name, value in statistics.items():
        values = value if isinstance(value, list) else [value]
        figures = " to ".join(f"{number:,}" if isinstance(number, int) else f"{number:.6g}" for number in values)
        print(f"{name.replace('_', ' '):<{width}}  {figures}")
