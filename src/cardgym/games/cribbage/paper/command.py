"""Reproduce the paper on cribbage: how well weighted strategies learn to toss, from which start, and near the end."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from cardgym.cli.parser import whole
from cardgym.console.arguments import Parser

UNIT = "games"
"""What progress counts."""


def add_arguments(parser: Parser) -> None:
    """Add the paper's own arguments."""
    parser.add_argument(
        "--games", type=whole(2, 1_000_000), default=160_000, metavar="N", help="games of each training (160,000)"
    )


def run(arguments: argparse.Namespace, progress: Callable[[int, int], None]) -> Iterable[Path]:
    """Train, evaluate, and write the page and its picture below `arguments.out`."""
    from cardgym.games.cribbage.paper.page import write_results

    return write_results(arguments.out, arguments.games, arguments.seed, progress)
