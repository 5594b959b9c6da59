"""cardgym compared with its alternatives, on one core: `python benchmarks/compare.py [--pgx PYTHON] ...`.

The two sides of a pair are measured in turns, each in its own process. A figure is decisions per second of processor
time; on both sides only players' decisions count. A library that is not in this environment needs an interpreter of its
own, named by its flag; benchmarks/README.md says how to create one.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import old_and_new
from timing import HERE, Comparison, Side, compare, report

SPIKE, LEDUC, KUHN = "CorellianSpike-v0", "LeducPoker-v0", "KuhnPoker-v0"
ROWS = 4096
PPO = "PPO, 512 envs, one seat"
HEADER = ("cardgym", "decisions/s", "instead", "decisions/s", "ratio")


def vector(game: str, seconds: float) -> Side:
    """Our vector env."""
    arguments = {"game": game, "rows": ROWS, "seconds": seconds}
    return Side(f"{game}, vector env, {ROWS} rows", "vector_env", arguments, compiles=True)


def single(game: str, seconds: float) -> Side:
    """Our single env."""
    return Side(f"{game}, single env", "single_env", {"game": game, "seconds": seconds}, compiles=True)


def pairs(arguments: argparse.Namespace) -> Iterator[tuple[Side, Side]]:
    """Every pair that this machine can measure."""
    seconds = arguments.seconds
    rows: dict[str, Any] = {"rows": ROWS, "seconds": seconds}
    yield (
        vector(SPIKE, seconds),
        Side("Blackjack-v1, 64 envs, sync", "blackjack_vector", {"rows": 64, "seconds": seconds}),
    )
    yield single(SPIKE, seconds), Side("Blackjack-v1", "blackjack_single", {"seconds": seconds})
    for ours, game in ((LEDUC, "leduc_poker"), (KUHN, "kuhn_poker")):
        yield (
            vector(ours, seconds),
            Side(f"OpenSpiel {game}, bare states", "openspiel", {"game": game, "seconds": seconds}),
        )
    if arguments.pgx:
        for ours, game in ((LEDUC, "leduc_holdem"), (KUHN, "kuhn_poker")):
            name = f"Pgx {game}, {ROWS} rows, JAX on the CPU"
            yield vector(ours, seconds), Side(name, "pgx", {"game": game, **rows}, arguments.pgx)
    if arguments.puffer:
        name = f"PufferLib triple triad in C, {ROWS} rows"
        yield vector(SPIKE, seconds), Side(name, "triple_triad", rows, arguments.puffer)
        if arguments.steps:
            ours = Side(PPO, "ppo", {"checkout": str(HERE), "steps": arguments.steps}, compiles=True)
            for game, words in (
                (SPIKE, "same game and sizes, Serial"),
                ("triple_triad", "same sizes, triple triad in C"),
            ):
                given = {"game": game, "steps": arguments.steps}
                yield ours, Side(f"PufferLib's PPO, {words}", "puffer_ppo", given, arguments.puffer)
    if arguments.rlcard:
        given = {"game": "leduc-holdem", "seconds": seconds}
        yield single(LEDUC, seconds), Side("RLCard leduc-holdem", "rlcard", given, arguments.rlcard)
    if arguments.steps:
        for name, side, algorithms in (
            ("double DQN, 64 envs, an update of 512 every 64 decisions", "dqn", ("DQN",)),
            (PPO, "ppo", ("PPO", "MaskablePPO")),
        ):
            for algorithm in algorithms:
                ours = Side(name, side, {"checkout": str(HERE), "steps": arguments.steps}, compiles=True)
                library = "sb3-contrib" if algorithm == "MaskablePPO" else "Stable-Baselines3"
                given = {"algorithm": algorithm, "steps": arguments.steps}
                yield ours, Side(f"{library}'s {algorithm}, same game and sizes, CardVecEnv", "sb3", given)


def comparisons(arguments: argparse.Namespace) -> Iterator[Comparison]:
    """Measure the pairs; with `--old`, also this checkout against another."""
    if arguments.old:
        old, turns, seconds = arguments.old.resolve(), arguments.turns, arguments.seconds
        yield from old_and_new.comparisons(old, old_and_new.GAMES, ROWS, arguments.steps, turns, seconds)
    for side, other in pairs(arguments):
        if arguments.only in other.name:
            yield compare(side, other, arguments.turns)


def main() -> None:
    """Measure the pairs and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--old", type=Path, metavar="PATH", help="also compare another checkout of cardgym")
    for library in ("pgx", "puffer", "rlcard"):
        parser.add_argument(f"--{library}", metavar="PYTHON", help=f"the interpreter of an environment with {library}")
    parser.add_argument("--only", default="", metavar="WORD", help="only pairs whose other side has this in its name")
    parser.add_argument("--turns", type=int, default=5, metavar="N", help="measurements of each side (5)")
    parser.add_argument("--seconds", type=float, default=2.0, metavar="S", help="how long to step an env each time (2)")
    parser.add_argument(
        "--steps", type=int, default=200_000, metavar="N", help="steps of a training, 0 for none (200,000)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    arguments = parser.parse_args()
    report(HEADER, comparisons(arguments), arguments, pinned=True)


if __name__ == "__main__":
    main()
