"""What further threads do for a vector env: `python benchmarks/threads.py [--threads N] [--games ID ...]`.

One thread and N threads step the same games in turns, in one process each, timed by the clock on the wall. The ratio is
the median of the ratios of the turns [lowest, highest]. The machine must be idle.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from old_and_new import COMMON, VECTOR, fill
from timing import Spread, Worker, in_turns, machine, print_table, ratio


def lines(arguments: argparse.Namespace) -> Iterator[tuple[str, ...]]:
    """Measure, a line of the table for each game and number of rows."""
    for game in arguments.games:
        for rows in arguments.rows:
            program = (COMMON + VECTOR).replace("process_time", "perf_counter")
            sides = [
                Worker(fill(program, game=game, rows=rows, seconds=arguments.seconds, more=f", num_threads={threads}"))
                for threads in (1, arguments.threads)
            ]
            one, several = in_turns(sides, arguments.turns)
            for side in sides:
                side.close()
            yield game, f"{rows:,}", Spread.of(one).text(), Spread.of(several).text(), ratio(several, one).text(2)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="how many threads (2)")
    parser.add_argument(
        "--games", nargs="+", default=["CorellianSpike-v0"], metavar="ID", help="the games (CorellianSpike-v0)"
    )
    parser.add_argument(
        "--rows",
        type=int,
        nargs="+",
        default=[256, 1024, 2048, 4096, 16384],
        metavar="N",
        help="rows of the vector env (256 1024 2048 4096 16384)",
    )
    parser.add_argument("--turns", type=int, default=9, metavar="N", help="how often to measure each side (9)")
    parser.add_argument("--seconds", type=float, default=1.0, metavar="S", help="how long to step each time (1)")
    arguments = parser.parse_args()
    print(f"{machine()}; {arguments.turns} turns, median [lowest, highest]\n")
    print_table(
        ("game", "rows", "one thread, decisions/s", f"{arguments.threads} threads, decisions/s", "ratio"),
        lines(arguments),
    )


if __name__ == "__main__":
    main()
