"""What more threads gain for a vector env: `python benchmarks/threads.py [--threads N] [--games ID ...]`.

One thread and N threads step the same games in turns, each side in its own process, on all cores. A figure is
decisions per second of wall-clock time, so run nothing else meanwhile.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from timing import Comparison, Side, compare, report


def side(game: str, rows: int, seconds: float, num_threads: int) -> Side:
    """Our vector env with `num_threads` threads."""
    name = f"{game}, {rows:,} rows, {num_threads} thread{'s' if num_threads > 1 else ''}"
    arguments = {"game": game, "rows": rows, "seconds": seconds, "num_threads": num_threads}
    return Side(name, "vector_env", arguments, compiles=True)


def comparisons(arguments: argparse.Namespace) -> Iterator[Comparison]:
    """Every game with every number of rows."""
    for game in arguments.games:
        for rows in arguments.rows:
            several, one = (side(game, rows, arguments.seconds, number) for number in (arguments.threads, 1))
            yield compare(several, one, arguments.turns)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="how many threads (2)")
    games = ["CorellianSpike-v0", "Cribbage-v0"]
    parser.add_argument("--games", nargs="+", default=games, metavar="ID", help=f"the games ({', '.join(games)})")
    rows = [256, 1024, 2048, 4096, 16384]
    parser.add_argument(
        "--rows", type=int, nargs="+", default=rows, metavar="N", help=f"rows of the env ({', '.join(map(str, rows))})"
    )
    parser.add_argument("--turns", type=int, default=9, metavar="N", help="measurements of each side (9)")
    parser.add_argument("--seconds", type=float, default=1.0, metavar="S", help="how long to step each time (1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    arguments = parser.parse_args()
    header = ("several threads", "decisions/s", "one thread", "decisions/s", "ratio")
    report(header, comparisons(arguments), arguments)


if __name__ == "__main__":
    main()
