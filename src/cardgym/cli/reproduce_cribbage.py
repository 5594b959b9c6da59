"""The page of the expert learner at cribbage."""

from __future__ import annotations

import argparse


def run(arguments: argparse.Namespace) -> None:
    """Train, and write the page and its picture."""
    from cardgym.cli.progress import progress_bar
    from cardgym.tabular.experts.paper import GAMES, write_results

    with progress_bar("runs") as progress:
        paths = write_results(arguments.out, arguments.games or GAMES, arguments.seed, progress)
    for path in paths:
        print(path)
