"""Reproduce the paper on Coda: both tables and the losses of figures 6 and 7, beside the highest win rate possible.

Ma, Zeng and Zhang, "CS238: Reinforcement Learning for solving Coda Game" (2019). The page also shows what the paper's
win rates of 0.839 and 0.963 come from.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from cardgym.console.arguments import Parser, whole

CHECKPOINTS = "checkpoints/coda/d*.safetensors"
"""The checkpoints evaluated unless others are named: those for the paper's preset, not `official_...`."""

UNIT = "experiments"
"""What progress counts."""


def add_arguments(parser: Parser) -> None:
    """Add the paper's own arguments."""
    parser.add_argument(
        "--games", type=whole(2, 1_000_000), default=100_000, metavar="N", help="games of each evaluation (100,000)"
    )
    parser.add_argument(
        "--deep",
        type=Path,
        action="append",
        metavar="PATH",
        help=f"a checkpoint to evaluate too; may be repeated ({CHECKPOINTS})",
    )


def run(arguments: argparse.Namespace, progress: Callable[[int, int], None]) -> Iterable[Path]:
    """Train and evaluate everything, and write the page and its pictures into `arguments.out`.

    Args:
        arguments: the parsed arguments, with `seed` and `out`.
        progress: called with how many experiments are done and how many there are.

    Returns:
        The files written.

    Raises:
        CardgymError: for a bad checkpoint, or if a file cannot be written.
    """
    from cardgym.games.coda.paper.page import write_results
    from cardgym.games.coda.paper.runs import Scale

    checkpoints = sorted(Path().glob(CHECKPOINTS)) if arguments.deep is None else arguments.deep
    return write_results(arguments.out, Scale(games=arguments.games), arguments.seed, checkpoints, progress)
