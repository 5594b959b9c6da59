"""The arguments of commands that work on an engine."""

from __future__ import annotations

import argparse

from cardgym.console.arguments import Parser, whole
from cardgym.scaling.engine import Engine
from cardgym.scaling.engines import ENGINES, make

MAX_WORKERS = 100_000


def add_engine(parser: Parser) -> None:
    """Add where the work runs, and on how many workers."""
    group = parser.add_argument_group("Where it runs")
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in ENGINES.items())
    group.add_argument("--engine", choices=list(ENGINES), default="local", help=f"{meanings} (local)")
    group.add_argument(
        "--workers", type=whole(1, MAX_WORKERS), metavar="N", help="how many tasks run at once (one a core)"
    )
    group.add_argument(
        "--address", metavar="HOST:PORT", help="the head of the Ray cluster (RAY_ADDRESS, or the one on this machine)"
    )


def open_engine(arguments: argparse.Namespace) -> Engine:
    """The engine that was named; use it in a `with` statement.

    Raises:
        CardgymError: for a missing package, or a cluster that cannot be reached.
    """
    return make(arguments.engine, arguments.workers, arguments.address)
