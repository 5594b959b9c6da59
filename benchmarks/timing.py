"""What the benchmarks share: measuring sides in turns on one core, medians with their spread, and ratios.

The sides of a comparison take turns, so that other load on the machine slows both equally, and a ratio is the median of
the turns' ratios. Each side runs in its own process on one core.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from cardgym.console.tables import markdown_row, markdown_table
from cardgym.scaling.local import machine

__all__ = [
    "HERE",
    "Comparison",
    "Side",
    "Spread",
    "checkout_python",
    "compare",
    "in_turns",
    "machine",
    "one_core",
    "print_table",
    "ratio",
    "report",
]

HERE = Path(__file__).parents[1]
"""This checkout of cardgym."""


@dataclass(frozen=True)
class Spread:
    """The median, the lowest and the highest of repeated measurements."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Self:
        """The spread of a list of measurements."""
        values = list(values)
        return cls(statistics.median(values), min(values), max(values))

    def text(self, digits: int = 0) -> str:
        """`median [lowest, highest]`, with `digits` digits after the point."""
        return f"{self.median:,.{digits}f} [{self.low:,.{digits}f}, {self.high:,.{digits}f}]"


def in_turns(sides: Sequence[Callable[[], float]], turns: int) -> list[list[float]]:
    """Call every side once per turn, in a different order each turn.

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
    """The ratios of `values` to `others`, turn by turn."""
    return Spread.of(one / other for one, other in zip(values, others, strict=True))


def one_core() -> None:
    """Bind this process and its children to one core, if the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]], json_file: Path | None = None) -> None:
    """Print a Markdown table, each row as soon as it is known, and write the rows as JSON if a file is given."""
    print(*markdown_table(header, []), sep="\n", flush=True)
    done = []
    for row in rows:
        done.append(dict(zip(header, row, strict=True)))
        print(markdown_row(row), flush=True)
    if json_file is not None:
        json_file.write_text(json.dumps({"machine": machine(), "rows": done}, indent=1) + "\n")


def checkout_python(checkout: Path) -> tuple[str, dict[str, str]]:
    """The interpreter for a checkout of cardgym, its own or this one, and the environment variables to run its code."""
    own = checkout / ".venv" / "bin" / "python"
    path = os.pathsep.join([str(checkout / "src"), os.environ.get("PYTHONPATH", "")])
    return str(own) if own.exists() else sys.executable, {"PYTHONPATH": path}


class Worker:
    """A process that measures each time it is called.

    Raises:
        RuntimeError: from a call, when the process has ended; its errors are on stderr.
    """

    def __init__(self, program: str, python: str, environment: Mapping[str, str]) -> None:
        """Start Python on a program that defines `measure() -> float`, with extra environment variables."""
        loop = "\nimport sys\nfor _ in sys.stdin:\n    value = measure()\n    print(value, flush=True)\n"
        self._process = subprocess.Popen(
            [python, "-c", program + loop],
            env={**os.environ, **environment},
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


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a function of `sides.py` with its arguments, and where it runs.

    Attributes:
        name: its name in the table.
        function: the name of the function.
        arguments: its arguments.
        python: the interpreter.
        environment: environment variables to set.
        compiles: measure in a second process: one that has compiled a kernel runs it slower than one that loaded it.
    """

    name: str
    function: str
    arguments: Mapping[str, Any]
    python: str = sys.executable
    environment: Mapping[str, str] = field(default_factory=dict)
    compiles: bool = False

    def worker(self) -> Worker:
        """A process that measures this side."""
        folder = str(Path(__file__).parent)
        program = f"import sys\nsys.path.append({folder!r})\nimport sides\n"
        program += f"measure = sides.{self.function}(**{dict(self.arguments)!r})\n"
        if self.compiles:
            first = Worker(program, self.python, self.environment)
            first()
            first.close()
        return Worker(program, self.python, self.environment)


@dataclass(frozen=True)
class Comparison:
    """Two sides with their figures, and the ratio of the first to the second."""

    name: str
    values: Spread
    other: str
    other_values: Spread
    ratio: Spread

    def cells(self) -> list[str]:
        """A row of the table."""
        return [self.name, self.values.text(), self.other, self.other_values.text(), self.ratio.text(2)]


def compare(side: Side, other: Side, turns: int) -> Comparison:
    """Measure two sides in turns, each in its own process."""
    workers = [side.worker(), other.worker()]
    values, other_values = in_turns(workers, turns)
    for worker in workers:
        worker.close()
    return Comparison(side.name, Spread.of(values), other.name, Spread.of(other_values), ratio(values, other_values))


def report(
    header: Sequence[str],
    comparisons: Iterable[Comparison],
    arguments: argparse.Namespace,
    *,
    pinned: bool = False,
) -> None:
    """Print the machine, then comparisons as they are measured, on one core if `pinned` says so.

    `arguments` has the number of `turns`, and in `json` the file, or None, that also gets the comparisons as JSON.
    """
    described = machine()  # Before this process is bound to one core.
    if pinned:
        one_core()
    used = ", one of them used" if pinned else ""
    print(f"{described}{used}; {arguments.turns} turns, median [lowest, highest]\n")
    done: list[Comparison] = []

    def rows() -> Iterator[list[str]]:
        for comparison in comparisons:
            done.append(comparison)
            yield comparison.cells()

    print_table(header, rows())
    if arguments.json is not None:
        document = {"machine": described, "comparisons": [asdict(comparison) for comparison in done]}
        arguments.json.write_text(json.dumps(document, indent=1) + "\n")
