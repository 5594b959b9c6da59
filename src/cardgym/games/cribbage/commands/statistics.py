"""Count the points of every hand of six cards, every toss, and every cut or opponent's toss and cut, exactly.

The opponent's toss is uniform over the 46 unseen cards. Nothing is sampled: sums are of whole numbers.
"""

from __future__ import annotations

import argparse
import json

from cardgym.cli.parser import Parser


def add_arguments(parser: Parser) -> None:
    """The command's arguments."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> None:
    """Count and print."""
    from cardgym.console import Progress
    from cardgym.games.cribbage.statistics import totals

    with Progress("hands of six cards") as progress:
        found = totals(progress)
    if arguments.json:
        print(json.dumps(found, indent=2, allow_nan=False))
        return
    width = max(map(len, found))
    for name, value in found.items():
        values = value if isinstance(value, list) else [value]
        words = " to ".join(f"{number:,}" if isinstance(number, int) else f"{number:.6g}" for number in values)
        print(f"{name.replace('_', ' '):<{width}}  {words}")
