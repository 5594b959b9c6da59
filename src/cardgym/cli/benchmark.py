"""How fast cardgym is here: envs, start-up, memory, and training. Player decisions are counted, and nothing else."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cardgym.errors import CardgymError

GAME = "CorellianSpike-v0"
VECTOR_ROWS = 4096

_FIRST_STEP = f"""
import time; start = time.perf_counter()
import gymnasium, cardgym
env = gymnasium.make("{GAME}")
observation, info = env.reset(seed=0)
env.step(int(info["action_mask"].argmax()))
print(time.perf_counter() - start)
"""

_MEMORY = f"""
import gymnasium, cardgym
from cardgym.cli.benchmark import resident_mb
from cardgym.engine.sampling import LegalSampler
sampler = LegalSampler()
def use(num_envs):
    env = gymnasium.make_vec("{GAME}", num_envs=num_envs, seat="all")
    observations, info = env.reset(seed=0)
    for _ in range(20):
        kept = env.step(sampler(info["action_mask"]))
        info = kept[4]
    return env, kept
small = use(1)
before = resident_mb()
large = use({VECTOR_ROWS})
print(resident_mb() - before)
"""


@dataclass(frozen=True)
class Figure:
    """Something measured several times: the median, and the least and the greatest."""

    name: str
    unit: str
    median: float
    low: float
    high: float

    @classmethod
    def of(cls, name: str, unit: str, values: list[float]) -> Figure:
        """From the values measured."""
        return cls(name, unit, statistics.median(values), min(values), max(values))


def machine() -> str:
    """The machine's processor and the number of cores that this process may use, in words."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{model}, {cores} cores, Python {platform.python_version()}"


def vector_env(seconds: float) -> float:
    """Decisions a second through `step(actions)` of a vector env whose every seat is played by the caller.

    Random legal actions, drawn in the time measured too; mask and full observation are made for every decision.
    """
    import gymnasium

    import cardgym  # noqa: F401  (registers the games)
    from cardgym.engine.sampling import LegalSampler

    env: Any = gymnasium.make_vec(GAME, num_envs=VECTOR_ROWS, seat="all")
    sampler = LegalSampler(0)
    _, info = env.reset(seed=0)
    for _ in range(20):
        info = env.step(sampler(info["action_mask"]))[4]
    decisions = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        acting = info["seat"] >= 0  # The others start their next game in this step; that is no decision.
        info = env.step(sampler(info["action_mask"]))[4]
        decisions += int(np.count_nonzero(acting))
    return decisions / (time.perf_counter() - start)


def compile_first() -> None:
    """Compile what is measured, if need be, in another process: in one that has compiled a kernel it runs slower.

    By a fifth on the machines tried; why is not known. What is measured is what every process but the first has.
    """
    _in_new_process("from cardgym.cli.benchmark import vector_env; print(vector_env(0.1))", {})


def single_env(seconds: float) -> float:
    """Decisions a second through `step(action)` of an env from `gymnasium.make`, all seats random legal."""
    import gymnasium

    import cardgym  # noqa: F401  (registers the games)

    env = gymnasium.make(GAME, seat="all", illegal_action="random")
    actions = np.random.default_rng(0).integers(0, 9, 1 << 14).tolist()  # Where illegal, a random legal one is played.
    env.reset(seed=0)
    steps = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        for action in actions:
            if env.step(action)[2]:
                env.reset()
        steps += len(actions)
    return steps / (time.perf_counter() - start)


def first_step(*, cold: bool) -> float:
    """Seconds from a new process's start of `import cardgym` to its first step, with or without compiled code."""
    with tempfile.TemporaryDirectory() as folder:
        extra = {"CARDGYM_CACHE_DIR": folder} if cold else {}
        return _in_new_process(_FIRST_STEP, extra)


def vector_memory() -> float:
    """Megabytes (10^6 bytes) that a vector env of 4096 rows adds to a process that already has one of a single row."""
    return _in_new_process(_MEMORY, {})


def resident_mb() -> float:
    """Memory resident in this process now, in megabytes (10^6 bytes)."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def training(script: Path, decisions: int) -> float:
    """The learner's decisions a second in `train/dqn.py`: double DQN, batch 512, an update for 256 decisions.

    Evaluation and checkpoints on the way are off; the start of the process is not counted.
    """
    never = str(10 * decisions)
    words = [
        *("--env", GAME, "--decisions", str(decisions), "--batch-size", "512", "--train-every", "256"),
        *("--eval-every", "0", "--final-games", "0", "--save-every", never, "--log-every", never),
    ]
    with tempfile.TemporaryDirectory() as folder:
        _run([str(script), *words, "--out", folder])
        results = json.loads((Path(folder) / "results.json").read_text())
    return float(results["decisions_per_second"])


def measure(
    repeats: int, seconds: float, script: Path | None, tell: Callable[[Figure], None] = lambda figure: None
) -> list[Figure]:
    """Measure the project's own figures, each several times.

    Args:
        repeats: how many times; a cold start is measured once.
        seconds: how long an env is stepped each time.
        script: `train/dqn.py`, or None to leave out training.
        tell: hears of each figure as it is known.
    """
    compile_first()
    plan: list[tuple[str, str, Callable[[], float]]] = [
        (f"vector env, {VECTOR_ROWS} rows", "decisions/s", lambda: vector_env(seconds)),
        ("single env", "decisions/s", lambda: single_env(seconds)),
        ("new process to first step, warm", "s", lambda: first_step(cold=False)),
        ("new process to first step, cold", "s", lambda: first_step(cold=True)),
        (f"memory of a vector env, {VECTOR_ROWS} rows", "MB", vector_memory),
    ]
    if script is not None:
        plan.append(("double DQN training, batch 512", "decisions/s", lambda: training(script, 400_000)))
    figures = []
    for name, unit, run in plan:
        times = 1 if "cold" in name else repeats
        figures.append(Figure.of(name, unit, [run() for _ in range(times)]))
        tell(figures[-1])
    return figures


def _in_new_process(program: str, environment: dict[str, str]) -> float:
    return float(_run(["-c", program], environment))


def _run(words: list[str], environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [sys.executable, *words], env=os.environ | (environment or {}), capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["nothing"]
        raise CardgymError(f"a measurement in a process of its own failed (code {done.returncode}): {said[-1]}")
    return done.stdout
