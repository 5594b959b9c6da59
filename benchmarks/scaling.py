"""How much faster two workers are than one: a sweep and a tournament, one after the other on an idle machine.

    python benchmarks/scaling.py [--workers 2] [--repeats 3]

One and two workers take turns; the script prints the ratio of medians. The sweep trains double DQN for Corellian Spike
with two seeds per worker. The tournament has compiled players and a network.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SWEEP = "sweep corellian_spike/double_dqn --grid total_steps=300000"
TOURNAMENT = "tournament CorellianSpike-v0 --players random heuristic initial double_dqn --games 40000 --json"


def seconds(words: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-m", "cardgym", *words], check=True, capture_output=True)
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    seconds([*TOURNAMENT.split(), "--workers", "1"])  # Compiles.
    for name in ("tournament", "sweep"):
        times: dict[int, list[float]] = {1: [], arguments.workers: []}
        for _ in range(arguments.repeats):
            for workers, measured in times.items():
                words = [*(TOURNAMENT if name == "tournament" else SWEEP).split(), "--workers", str(workers)]
                with tempfile.TemporaryDirectory() as folder:
                    if name == "sweep":
                        words += ["--seeds", f"1-{2 * arguments.workers}", "--out", str(Path(folder) / "out")]
                    measured.append(seconds(words))
        one, several = (statistics.median(measured) for measured in times.values())
        shown = ", ".join(f"{workers}: {[round(one, 1) for one in measured]}" for workers, measured in times.items())
        print(
            f"{name}: {one / several:.2f} x with {arguments.workers} workers (seconds by workers: {shown})", flush=True
        )


if __name__ == "__main__":
    main()
