"""Reproduce the paper on Corellian Spike: tables 2, 3 and 4, the figures of the appendix, and which claims hold."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from cardgym.console.arguments import Parser, whole

CHECKPOINTS = "checkpoints/corellian_spike/double_dqn*.safetensors"
"""The deep agents of the page unless others are named."""

UNIT = "tasks"
"""What progress counts."""


def add_arguments(parser: Parser) -> None:
    """Add the paper's own arguments."""
    parser.add_argument(
        "--games", type=whole(2, 1_000_000), default=10_000, metavar="N", help="games of each match (10,000)"
    )
    parser.add_argument(
        "--deep",
        type=Path,
        action="append",
        metavar="PATH",
        help=f"a checkpoint to match with everyone, for two players; may be repeated ({CHECKPOINTS})",
    )
    parser.add_argument("--log", type=Path, metavar="FILE", help="exported games of a person (your record)")
    parser.add_argument("--processes", type=whole(1, 64), default=2, metavar="N", help="processes to use (2)")


def run(arguments: argparse.Namespace, progress: Callable[[int, int], None]) -> Iterable[Path]:
    """Train and play everything, and write the page and its figures into `arguments.out`.

    Args:
        arguments: the parsed arguments, with `seed` and `out`.
        progress: called with the tasks done and the tasks in all.

    Returns:
        The files written.

    Raises:
        CardgymError: for a bad checkpoint or log, or where a file cannot be written.
    """
    from cardgym.games.corellian_spike.paper.page import write_results
    from cardgym.games.corellian_spike.paper.runs import Scale

    scale = Scale(games=arguments.games, base_seed=arguments.seed, processes=arguments.processes)
    deep = sorted(Path().glob(CHECKPOINTS)) if arguments.deep is None else arguments.deep
    return write_results(arguments.out, scale, deep, arguments.log, progress)
