"""Train and play the methods of Ma, Zeng and Zhang, "CS238: Reinforcement Learning for solving Coda Game" (2019), anew.

Writes the paper's two tables and figures 6 and 7 beside the highest win rate that is possible, and what the paper's
win rates of 0.839 and 0.963 come from.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from cardgym.errors import CardgymError

CHECKPOINTS = "checkpoints/coda/d*.safetensors"
"""The checkpoints that play by default: those for the paper's preset, which are not named `official_...`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments beside those of every paper."""
    parser.add_argument(
        "--games", type=int, default=100_000, metavar="N", help="games of an evaluation, 2 to 1,000,000 (100,000)"
    )
    parser.add_argument(
        "--deep",
        type=Path,
        action="append",
        metavar="PATH",
        help=f"a checkpoint to evaluate too; may be repeated ({CHECKPOINTS})",
    )


def run(arguments: argparse.Namespace, progress: Callable[[int, int], None]) -> Iterable[Path]:
    """Run the experiments and write the page and its pictures into `arguments.out`.

    Args:
        arguments: the parsed arguments, with `seed` and `out`.
        progress: called with how many experiments are done and how many there are.

    Returns:
        The files written.

    Raises:
        CardgymError: for a bad number of games or a bad checkpoint, or if a file cannot be written.
    """
    from cardgym.games.coda.paper.page import write_results
    from cardgym.games.coda.paper.runs import Scale

    if not 2 <= arguments.games <= 1_000_000:
        raise CardgymError(f"--games {arguments.games}: allowed are whole numbers from 2 to 1000000")
    checkpoints = sorted(Path().glob(CHECKPOINTS)) if arguments.deep is None else arguments.deep
    return write_results(arguments.out, Scale(games=arguments.games), arguments.seed, checkpoints, progress)
