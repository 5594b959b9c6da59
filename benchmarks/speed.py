"""A game's speed on this machine: envs, the first step of a process, and memory.

    python benchmarks/speed.py CorellianSpike-v0 [--turns 5] [--seconds 2]

Players' decisions count. `compare.py` has training, and the same for the alternatives.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np

from cardgym.engine.batch import LegalSampler
from timing import Spread, machine, print_table

ROWS = 4096

FIRST_STEP = """
import time; start = time.perf_counter()
import gymnasium, cardgym
env = gymnasium.make("{game}")
observation, info = env.reset(seed=0)
env.step(int(info["action_mask"].argmax()))
print(time.perf_counter() - start)
"""

MEMORY = """
import gymnasium, cardgym, os
from cardgym.engine.batch import LegalSampler
sampler = LegalSampler()
def resident_mb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
def use(num_envs):
    env = gymnasium.make_vec("{game}", num_envs=num_envs, seat="all")
    observations, info = env.reset(seed=0)
    for _ in range(20):
        kept = env.step(sampler(info["action_mask"]))
        info = kept[4]
    return env, kept
small = use(1)
before = resident_mb()
large = use({rows})
print(resident_mb() - before)
"""


def vector_env(game: str, seconds: float) -> float:
    """Decisions a second through `step(actions)` of a vector env whose caller plays every seat.

    The actions are random legal ones, and sampling them is part of the time. Every decision gets its mask and full
    observation.
    """
    env: Any = gymnasium.make_vec(game, num_envs=ROWS, seat="all")
    sampler = LegalSampler(0)
    _, info = env.reset(seed=0)
    for _ in range(20):
        info = env.step(sampler(info["action_mask"]))[4]
    decisions = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        acting = info["seat"] >= 0  # In this step the other rows start their next game, which is not a decision.
        info = env.step(sampler(info["action_mask"]))[4]
        decisions += int(np.count_nonzero(acting))
    return decisions / (time.perf_counter() - start)


def single_env(game: str, seconds: float) -> float:
    """Decisions a second through `step(action)` of an env from `gymnasium.make`, with random legal actions."""
    env: Any = gymnasium.make(game, seat="all", illegal_action="random")  # An illegal action becomes a legal one.
    actions = np.random.default_rng(0).integers(0, env.action_space.n, 1 << 14).tolist()
    env.reset(seed=0)
    steps = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        for action in actions:
            if env.step(action)[2]:
                env.reset()
        steps += len(actions)
    return steps / (time.perf_counter() - start)


def first_step(game: str, *, cold: bool) -> float:
    """Seconds from `import cardgym` to the first step in a new process; `cold` means without compiled code on disk."""
    with tempfile.TemporaryDirectory() as folder:
        return in_new_process(FIRST_STEP.format(game=game), {"CARDGYM_CACHE_DIR": folder} if cold else {})


def in_new_process(program: str, environment: dict[str, str] | None = None) -> float:
    """The number that a program prints in its own process."""
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, env=os.environ | (environment or {}), stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def rows(game: str, turns: int, seconds: float) -> Iterator[list[str]]:
    """Measure, and yield a row for each figure."""
    # A process that has compiled a kernel runs it slower than one that loads it, by a fifth on the machines tried, for
    # an unknown reason. Loading is what every process but the first does, so that is what we measure.
    in_new_process(MEMORY.format(game=game, rows=ROWS))
    plan: list[tuple[str, str, Callable[[], float], int, int]] = [
        (f"vector env, {ROWS} rows", "decisions/s", lambda: vector_env(game, seconds), turns, 0),
        ("single env", "decisions/s", lambda: single_env(game, seconds), turns, 0),
        ("new process to first step, warm", "s", lambda: first_step(game, cold=False), turns, 2),
        ("new process to first step, cold", "s", lambda: first_step(game, cold=True), 1, 2),
        (f"memory of a vector env, {ROWS} rows", "MB", lambda: in_new_process(MEMORY.format(game=game, rows=ROWS)),
         turns, 1),
    ]  # fmt: skip
    for name, unit, measure, times, digits in plan:
        yield [name, Spread.of(measure() for _ in range(times)).text(digits), unit]


def main() -> None:
    """Measure one game and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", help="the game's id")
    parser.add_argument("--turns", type=int, default=5, help="measurements of each figure but the cold start")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long to step an env each time")
    arguments = parser.parse_args()
    print(f"{arguments.game} on {machine()}\n")
    header = ("what", "median [lowest, highest]", "unit")
    print_table(header, rows(arguments.game, arguments.turns, arguments.seconds))


if __name__ == "__main__":
    main()
