"""Measure a game's speed on this machine: envs, start-up, memory and, with --script, training.

Only players' decisions count. Each figure is the median of its repeats, with the lowest and the highest.
"""

from __future__ import annotations

import argparse
import dataclasses
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

from cardgym.console.arguments import Parser, whole
from cardgym.console.progress import Progress
from cardgym.engine.registry import find
from cardgym.errors import CardgymError

VECTOR_ROWS = 4096
MAX_SECONDS = 3600
TRAINING_STEPS = 400_000

_FIRST_STEP = """
import time; start = time.perf_counter()
import gymnasium, cardgym
env = gymnasium.make("{game}")
observation, info = env.reset(seed=0)
env.step(int(info["action_mask"].argmax()))
print(time.perf_counter() - start)
"""

_MEMORY = """
import gymnasium, cardgym
from cardgym.cli.bench import VECTOR_ROWS, resident_mb
from cardgym.engine.sampling import LegalSampler
sampler = LegalSampler()
def use(num_envs):
    env = gymnasium.make_vec("{game}", num_envs=num_envs, seat="all")
    observations, info = env.reset(seed=0)
    for _ in range(20):
        kept = env.step(sampler(info["action_mask"]))
        info = kept[4]
    return env, kept
small = use(1)
before = resident_mb()
large = use(VECTOR_ROWS)
print(resident_mb() - before)
"""


def add_arguments(parser: Parser) -> None:
    """The command's arguments."""
    parser.add_argument("env", metavar="ENV", help="the game's id, as `cardgym games` lists it")
    parser.add_argument(
        "--repeats", type=whole(1, 1000), default=5, metavar="N", help="measurements of each figure (5)"
    )
    parser.add_argument("--seconds", type=float, default=2.0, metavar="S", help="how long to step an env each time (2)")
    parser.add_argument("--script", type=Path, metavar="FILE", help="measure training too, with train/dqn.py")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> None:
    """Measure the game and print a line for each figure."""
    game = find(arguments.env).id
    if not 0 < arguments.seconds <= MAX_SECONDS:
        raise CardgymError(f"--seconds {arguments.seconds}: give a number above 0, at most {MAX_SECONDS}")
    if arguments.script is not None and not arguments.script.is_file():
        raise CardgymError(f"--script {arguments.script}: no such file")

    def show(figure: Figure) -> None:
        if not arguments.json:
            spread = f"[{figure.low:,.4g}, {figure.high:,.4g}]"
            print(f"{figure.name:<40}{figure.median:>16,.4g} {figure.unit:<12} {spread}", flush=True)

    if not arguments.json:
        print(f"{game} on {machine()}; median of {arguments.repeats} [lowest, highest]")
    figures = measure(game, arguments.repeats, arguments.seconds, arguments.script, show)
    if arguments.json:
        print(
            json.dumps(
                {
                    "env": game,
                    "machine": machine(),
                    "figures": [dataclasses.asdict(figure) for figure in figures],
                }
            )
        )


# -- the figures ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figure:
    """The median, the lowest and the highest of repeated measurements."""

    name: str
    unit: str
    median: float
    low: float
    high: float

    @classmethod
    def of(cls, name: str, unit: str, values: list[float]) -> Figure:
        """The figure for a list of measurements."""
        return cls(name, unit, statistics.median(values), min(values), max(values))


def measure(
    game: str,
    repeats: int,
    seconds: float,
    script: Path | None = None,
    show: Callable[[Figure], None] = lambda figure: None,
) -> list[Figure]:
    """Measure every figure of a game.

    Args:
        game: the game's id.
        repeats: how often to measure each figure; a cold start is measured once.
        seconds: how long to step an env each time.
        script: `train/dqn.py`, or None to skip training.
        show: called with each figure as soon as it is known.
    """
    plan: list[tuple[str, str, Callable[[], float]]] = [
        (f"vector env, {VECTOR_ROWS} rows", "decisions/s", lambda: vector_env(game, seconds)),
        ("single env", "decisions/s", lambda: single_env(game, seconds)),
        ("new process to first step, warm", "s", lambda: first_step(game, cold=False)),
        ("new process to first step, cold", "s", lambda: first_step(game, cold=True)),
        (f"memory of a vector env, {VECTOR_ROWS} rows", "MB", lambda: vector_memory(game)),
    ]
    if script is not None:
        train = lambda: training(game, script, TRAINING_STEPS)  # noqa: E731
        plan.append(("double DQN training, batch 512", "decisions/s", train))
    times = {name: 1 if "cold" in name else repeats for name, _, _ in plan}
    figures = []
    with Progress(f"bench {game}", "measurements", total=sum(times.values())) as progress:
        progress.note("compiling")
        compile_first(game)
        for name, unit, run_once in plan:
            progress.note(name)
            values = []
            for _ in range(times[name]):
                values.append(run_once())
                progress.advance()
            figures.append(Figure.of(name, unit, values))
            show(figures[-1])
    return figures


def machine() -> str:
    """The processor, the number of cores that this process may use, and the version of Python."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{model}, {cores} cores, Python {platform.python_version()}"


def vector_env(game: str, seconds: float) -> float:
    """Decisions a second through `step(actions)` of a vector env whose caller plays every seat.

    The actions are random legal ones, and sampling them is part of the time. Every decision gets its mask and full
    observation.
    """
    import gymnasium

    from cardgym.engine.sampling import LegalSampler

    env: Any = gymnasium.make_vec(game, num_envs=VECTOR_ROWS, seat="all")
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


def compile_first(game: str) -> None:
    """Compile the game in another process if necessary.

    A process that has compiled a kernel runs it slower than one that loads it, by a fifth on the machines tried, for an
    unknown reason. Loading is what every process but the first does, so that is what we measure.
    """
    _in_new_process(f"from cardgym.cli.bench import vector_env; print(vector_env({game!r}, 0.1))", {})


def single_env(game: str, seconds: float) -> float:
    """Decisions a second through `step(action)` of an env from `gymnasium.make`, with random legal actions."""
    import gymnasium

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
        environment = {"CARDGYM_CACHE_DIR": folder} if cold else {}
        return _in_new_process(_FIRST_STEP.format(game=game), environment)


def vector_memory(game: str) -> float:
    """Megabytes (10^6 bytes) that a vector env of `VECTOR_ROWS` rows adds to a process that already has a row."""
    return _in_new_process(_MEMORY.format(game=game), {})


def resident_mb() -> float:
    """Current resident memory of this process in megabytes (10^6 bytes)."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def training(game: str, script: Path, steps: int) -> float:
    """The learner's decisions a second in `train/dqn.py`: double DQN, batch 512, an update every 256 decisions.

    It makes no evaluations or checkpoints, and the start of the process does not count.
    """
    never = str(10 * steps)
    words = [
        *("--env-id", game, "--total-steps", str(steps), "--batch-size", "512", "--train-frequency", "256"),
        *("--eval-every", "0", "--final-games", "0", "--save-every", never, "--log-every", never),
    ]
    with tempfile.TemporaryDirectory() as folder:
        _python([str(script), *words, "--out", folder])
        results = json.loads((Path(folder) / "results.json").read_text())
    return float(results["decisions_per_second"])


def _in_new_process(program: str, environment: dict[str, str]) -> float:
    return float(_python(["-c", program], environment))


def _python(words: list[str], environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [sys.executable, *words], env=os.environ | (environment or {}), capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = done.stderr.strip().splitlines() or ["no message"]
        raise CardgymError(f"a measurement in a new process failed (exit code {done.returncode}): {last[-1]}")
    return done.stdout
