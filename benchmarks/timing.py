"""What the benchmarks share: measuring sides in turns, medians with their spread, ratios, and one core for all of it.

Other load on a machine comes and goes. So the sides of a comparison are measured in turns, which slows both alike, and
a ratio is the median of the ratios of the turns. A `Worker` measures in a process of its own.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from cardgym.cli.bench import machine

__all__ = ["Spread", "Worker", "checkout_python", "in_turns", "machine", "one_core", "print_table", "ratio"]


@dataclass(frozen=True)
class Spread:
    """Something measured several times: the median, the lowest and the highest."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Self:
        """The spread of the values measured."""
        values = list(values)
        return cls(statistics.median(values), min(values), max(values))

    def text(self, digits: int = 0) -> str:
        """`median [lowest, highest]`, with so many digits after the point."""
        return f"{self.median:,.{digits}f} [{self.low:,.{digits}f}, {self.high:,.{digits}f}]"


def in_turns(sides: Sequence[Callable[[], float]], turns: int) -> list[list[float]]:
    """Call every side once a turn, each turn in another order.

    Returns:
        For each side its values, one a turn.
    """
    values: list[list[float]] = [[0.0] * turns for _ in sides]
    for turn in range(turns):
        for step in range(len(sides)):
            side = (turn + step) % len(sides)
            values[side][turn] = sides[side]()
    return values


def ratio(values: Sequence[float], others: Sequence[float]) -> Spread:
    """How many times as large as `others` the `values` of the same turns are."""
    return Spread.of(one / other for one, other in zip(values, others, strict=True))


def one_core() -> None:
    """Bind this process, and those it starts, to one core, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a Markdown table, each row as soon as it is there."""
    print(f"| {' | '.join(header)} |\n|{'---|' * len(header)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def checkout_python(checkout: Path) -> tuple[str, dict[str, str]]:
    """The interpreter of a checkout of cardgym, its own or this one, and the variables with which it runs its code."""
    own = checkout / ".venv" / "bin" / "python"
    path = os.pathsep.join([str(checkout / "src"), os.environ.get("PYTHONPATH", "")])
    return str(own) if own.exists() else sys.executable, {"PYTHONPATH": path}


class Worker:
    """A process that measures whenever it is called: what its program's `measure()` returns.

    Args:
        program: Python code that prepares the measurement and defines `measure() -> float`.
        python: the interpreter; this one by default.
        environment: variables to set on top of this process's own.

    Raises:
        RuntimeError: from a call, when the process has ended; its errors are on stderr.
    """

    def __init__(
        self, program: str, *, python: str = sys.executable, environment: Mapping[str, str] | None = None
    ) -> None:
        loop = "\nimport sys\nfor _ in sys.stdin:\n    print(measure(), flush=True)\n"
        self._process = subprocess.Popen(
            [python, "-c", program + loop],
            env={**os.environ, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self) -> float:
        """Measure once."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"a measuring process ended with exit code {self._process.wait()}")
        return float(line)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()
