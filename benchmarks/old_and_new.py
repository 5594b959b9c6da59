"""Another checkout of cardgym against this one: `python benchmarks/old_and_new.py --old PATH [--json FILE]`.

A figure is decisions per second of processor time: the median of all turns [lowest, highest]. The ratio is the median
of the turns' ratios. PATH is a checkout with its own `.venv`, or one that this interpreter can run.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from timing import HERE, Comparison, Side, checkout_python, compare, report

GAMES = ("CorellianSpike-v0", "Cribbage-v0", "CribbageDeal-v0", "OnePlayPoker-v0", "Coda-v0", "CodaOfficial-v0")
HEADER = ("this checkout", "decisions/s", "the other", "decisions/s", "ratio")


def comparisons(
    old: Path, games: Sequence[str], rows: int, steps: int, turns: int, seconds: float
) -> Iterator[Comparison]:
    """Every game's vector env and single env, and training by double DQN unless `steps` is 0."""
    for game in games:
        vector: dict[str, Any] = {"game": game, "rows": rows, "seconds": seconds}
        yield _both(f"{game}, vector env, {rows} rows", "vector_env", [vector, vector], old, turns)
        single: dict[str, Any] = {"game": game, "seconds": seconds}
        yield _both(f"{game}, single env", "single_env", [single, single], old, turns)
    if steps:
        trainings = [{"checkout": str(checkout), "steps": steps} for checkout in (HERE, old)]
        yield _both("CorellianSpike-v0, training double DQN", "training", trainings, old, turns)


def _both(name: str, function: str, arguments: Sequence[dict[str, Any]], old: Path, turns: int) -> Comparison:
    sides = []
    for checkout, given in zip((HERE, old), arguments, strict=True):
        python, environment = checkout_python(checkout)
        label = name if checkout == HERE else "the same"
        sides.append(Side(label, function, given, python, environment, compiles=True))
    return compare(sides[0], sides[1], turns)


def main() -> None:
    """Measure both sides and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--old", type=Path, required=True, metavar="PATH", help="the other checkout")
    parser.add_argument("--games", nargs="*", default=GAMES, metavar="ID", help=f"the games ({', '.join(GAMES)})")
    parser.add_argument("--rows", type=int, default=4096, metavar="N", help="rows of the vector env (4096)")
    parser.add_argument(
        "--steps", type=int, default=200_000, metavar="N", help="steps of a training, 0 for none (200,000)"
    )
    parser.add_argument("--turns", type=int, default=9, metavar="N", help="measurements of each side (9)")
    parser.add_argument("--seconds", type=float, default=1.0, metavar="S", help="how long to step each time (1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    arguments = parser.parse_args()
    measured = comparisons(
        arguments.old.resolve(), arguments.games, arguments.rows, arguments.steps, arguments.turns, arguments.seconds
    )
    report(HEADER, measured, arguments, pinned=True)


if __name__ == "__main__":
    main()
