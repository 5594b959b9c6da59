"""Train for an hour and create 10,000 envs: memory, open files and threads must stay flat. Linux only.

    python tests/endurance.py [--minutes 60] [--envs 10000] [--out TABLE.csv] [--only training envs]

Prints a row of figures now and then, writes all of them as CSV, and fails where the last quarter needs more than the
second: the first fills buffers and imports what is imported late.
"""

from __future__ import annotations

import argparse
import csv
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

import cardgym
from cardgym.testing.cases import option_cases
from reproducibility import games

ROOT = Path(__file__).parents[1]
TRAINING = [
    str(ROOT / "train" / "dqn.py"), "--config", str(ROOT / "configs" / "corellian_spike" / "double_dqn.toml"),
    "--opponents", "heuristic=0.3", "initial=0.2", "random=0.1", "self=0.2", "snapshot=0.2",
    "--total-steps", "1000000000", "--buffer-size", "20000", "--snapshot-every", "50000",
    "--eval-every", "100000", "--save-every", "100000", "--save-every-minutes", "2", "--log-every", "10000",
]  # fmt: skip
"""All that a long run does again and again: evaluations, snapshots, saves, entries in TensorBoard. A small buffer is
full early: it takes memory as it fills."""
LOOKS = 60
"""Number of rows in each table."""
TOLERANCE = 0.02
"""Allowed memory growth from the second to the last quarter; allocators fluctuate a little."""


@dataclass(frozen=True)
class Use:
    """The resources of a process at one moment."""

    done: float  # Minutes of training, or envs made.
    cpu_seconds: float
    memory_mb: float
    files: int
    threads: int


def use_of(process: int, done: float) -> Use:
    """The current resources of a process."""
    folder = Path("/proc") / str(process)
    status = dict(line.split(":", 1) for line in (folder / "status").read_text(encoding="ascii").splitlines())
    ticks = (folder / "stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return Use(
        round(done, 2),
        (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK"),
        round(int(status["VmRSS"].split()[0]) / 1024, 1),
        len(os.listdir(folder / "fd")),
        int(status["Threads"]),
    )


def training(arguments: argparse.Namespace) -> Iterator[Use]:
    """Run a training for `minutes`, then stop it with SIGTERM."""
    with tempfile.TemporaryDirectory() as temporary, open(Path(temporary) / "log", "wb") as log:
        run = subprocess.Popen(
            [sys.executable, *TRAINING, "--out", str(Path(temporary) / "run")], stdout=log, stderr=log
        )
        try:
            start = time.monotonic()
            for number in range(1, LOOKS + 1):
                time.sleep(max(start + 60 * arguments.minutes * number / LOOKS - time.monotonic(), 0))
                assert run.poll() is None, Path(log.name).read_text(encoding="utf-8")[-2000:]
                yield use_of(run.pid, (time.monotonic() - start) / 60)
            run.send_signal(signal.SIGTERM)
            assert run.wait() == 128 + signal.SIGTERM, run.returncode
        finally:
            run.kill()
        print(Path(log.name).read_text(encoding="utf-8").strip().splitlines()[-2:], flush=True)


def envs(arguments: argparse.Namespace) -> Iterator[Use]:
    """Create, step, render and close envs with all ids, options, opponents and render modes."""
    generator = np.random.default_rng(1)
    kinds: list[tuple[str, dict[str, Any]]] = [
        (game_id, {**options.asdict(), **({"opponent": opponent} if opponent else {})})
        for game_id in games()
        for options in option_cases(cardgym.find(game_id))
        for opponent in (("random", cardgym.find(game_id).opponent) if options.num_players > 1 else ("",))
    ]
    for number in range(1, arguments.envs + 1):
        game_id, words = kinds[number % len(kinds)]
        if number % 4 == 0:
            vector = gym.make_vec(game_id, 8, **words)
            _, infos = vector.reset(seed=number)
            for _ in range(5):
                masks = infos["action_mask"]
                _, _, _, _, infos = vector.step(np.argmax(masks * generator.random(masks.shape), axis=1))
            vector.close()
        else:
            mode = (None, "ansi", "rgb_array")[number % 3] if number % 40 < 3 else None  # Drawing takes long.
            env = gym.make(game_id, render_mode=mode, **words)
            _, info = env.reset(seed=number)
            for _ in range(5):
                mask = info["action_mask"]
                _, _, over, _, info = env.step(int(np.argmax(mask * generator.random(mask.shape))))
                if mode:
                    env.render()
                if over:
                    break
            env.close()
        if number % max(arguments.envs // LOOKS, 1) == 0:
            yield use_of(os.getpid(), number)


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[Use]]] = {"training": training, "envs": envs}


def flat(uses: list[Use]) -> bool:
    """Whether the last quarter uses no more than the second."""
    quarter = len(uses) // 4
    early, late = uses[quarter : 2 * quarter], uses[-quarter:]
    memory = [statistics.mean(use.memory_mb for use in part) for part in (early, late)]
    print(f"memory {memory[0]:.1f} to {memory[1]:.1f} MB, files {_median(early, 'files')} to {_median(late, 'files')}, "
          f"threads {_median(early, 'threads')} to {_median(late, 'threads')}", flush=True)  # fmt: skip
    return (
        memory[1] <= memory[0] * (1 + TOLERANCE)
        and _median(late, "files") <= _median(early, "files")
        and _median(late, "threads") <= _median(early, "threads")
    )


def _median(uses: list[Use], name: str) -> int:
    """The median, because saving briefly opens one more file."""
    return int(statistics.median(getattr(use, name) for use in uses))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--envs", type=int, default=10_000)
    parser.add_argument("--out", type=Path, default=Path("endurance.csv"))
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    arguments = parser.parse_args()
    failed = []
    with open(arguments.out, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["part", *(field.name for field in fields(Use))])
        writer.writeheader()
        for name in arguments.only:
            uses = []
            for use in PARTS[name](arguments):
                uses.append(use)
                writer.writerow({"part": name, **asdict(use)})
                file.flush()
                print(name, use, flush=True)
            print(f"{name}: ", end="")
            if not flat(uses):
                failed.append(name)
    print("not flat: " + ", ".join(failed) if failed else "all flat")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
