"""Sweeps: one training script with many settings and seeds on an engine, each run in its own folder and resumable."""

from __future__ import annotations

import contextlib
import itertools
import os
import platform
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import Field

from cardgym.console.progress import Progress
from cardgym.errors import MAX_WHOLE, CardgymError, printable, quoted
from cardgym.experiments import launch
from cardgym.experiments.launch import LOG, RESULTS, Run, TrainingScript
from cardgym.files import opened
from cardgym.files.documents import Document, Name, Number, at_most, parse_document
from cardgym.files.json_values import parse_json, read_bytes, sealed, write_json
from cardgym.files.locks import locked
from cardgym.files.paths import pasted
from cardgym.learn.run import numbered_folder
from cardgym.scaling import Engine, Task
from cardgym.scaling.stopping import resumable

SWEEP = "sweep.json"
"""The file in a sweep's folder that says what its runs are."""
EXACT = "exploitability"
"""The metric that is computed exactly, in games that are small enough, and in its results the place of an opponent."""
PLAYED = "played.txt"
"""The file in a run's folder with the digest of its game and players."""

ATTEMPTS = 5
"""The maximum number of times a run is started, if its machine or process is taken away."""
_TAKEN_AWAY = (129, 143)
"""The exit codes of a training after SIGHUP and SIGTERM, which a scheduler sends; see `run_script`."""
_MAX_FILE = 1 << 24
_FROM_LIST = Field(strict=False)
MAX_RUNS = 100_000


# -- plan -------------------------------------------------------------------------------------------------------------


def runs_of(script: TrainingScript, grid: Mapping[str, Sequence[str]], seeds: Sequence[int]) -> list[Run]:
    """All runs of a sweep: each setting of the grid with each seed, the first seed of every setting first."""
    settings = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    if len(settings) * len(seeds) > MAX_RUNS:
        raise CardgymError(f"{len(settings) * len(seeds):,} runs: at most {MAX_RUNS:,} are allowed in one sweep")
    by_setting = [script.runs(setting, seeds) for setting in settings]
    runs = [run for same_seed in zip(*by_setting, strict=True) for run in same_seed]
    name, count = Counter(run.name for run in runs).most_common(1)[0]
    if count > 1:
        raise CardgymError(f"the grid has {name.rpartition('/')[0]} twice; name each value once")
    return runs


def parse_grid(words: Sequence[str]) -> dict[str, list[str]]:
    """Return the values of each key from words such as `learning_rate=1e-3,2e-3`."""
    grid: dict[str, list[str]] = {}
    for word in words:
        key, sign, values = word.partition("=")
        if not sign or not key or not all(value.strip() for value in values.split(",")):
            raise CardgymError(f"--grid {quoted(word)}: write KEY=VALUE,VALUE, such as learning_rate=1e-3,2e-3")
        if key in grid:
            raise CardgymError(f"--grid has {key} twice; name all of its values at once")
        grid[key] = [value.strip() for value in values.split(",")]
    return grid


def parse_seeds(text: str) -> list[int]:
    """Return the seeds from words such as `1-5` or `1,4,7-9`, in ascending order."""
    seeds: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,30})\s*(?:-\s*(\d{1,30})\s*)?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise CardgymError(f"--seeds {quoted(text)}: write a range such as 1-5, or seeds such as 1,4,7-9")
        if last > MAX_WHOLE or last - first >= MAX_RUNS:
            raise CardgymError(
                f"--seeds {quoted(text)}: allowed are seeds from 0 to {MAX_WHOLE:,}, at most {MAX_RUNS:,} of them"
            )
        seeds.update(range(first, last + 1))
    return sorted(seeds)


# -- runs -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunResult:
    """How a run of a sweep ended: with results by opponent and metric, each with its interval, or with a problem."""

    run: Run
    folder: Path
    exit: int | None
    results: dict[str, Any] | None = None
    problem: str | None = None

    def asdict(self) -> dict[str, Any]:
        plain: dict[str, Any] = {
            "folder": str(self.folder),
            "seed": self.run.seed,
            "options": dict(self.run.options),
            "results": self.results,
            "exit": self.exit,
        }
        return plain | ({} if self.problem is None else {"problem": self.problem})


class Program(Protocol):
    """The program that the runs in a folder execute, such as a `TrainingScript`."""

    @property
    def about(self) -> dict[str, Any]: ...

    def joined(self, earlier: dict[str, Any]) -> dict[str, Any] | None:
        """Return the new `about` of a folder about `earlier`, if this program resumes it; None if it must not."""
        ...

    def command(self, run: Run, folder: Path) -> list[str]:
        """Return the arguments of `python` that execute a run in its folder below this one."""
        ...


_Ends = Annotated[tuple[Number | None, Number | None], _FROM_LIST]
_Figure = Annotated[tuple[Number, _Ends | None], _FROM_LIST]


class _Results(Document):
    """The content of `results.json` that a sweep reads."""

    results: Annotated[dict[Name, dict[Name, _Figure]], at_most(1000)]
    """The value and the interval of each metric, by opponent."""
    exploitability: Number | None = None


@contextlib.contextmanager
def sweep_folder(path: Path, script: Program, resume: bool) -> Iterator[Path]:
    """Create the folder of a sweep, or open an earlier sweep's, and keep other commands out of it."""
    folder = path.resolve()
    with locked(folder):
        _prepare(folder, script, resume)
        with resumable(f"--resume --out {pasted(path)}"):
            yield folder


def _prepare(folder: Path, script: Program, resume: bool) -> None:
    about = script.about
    if os.path.lexists(folder / SWEEP):  # A broken link is an error, too.
        if not resume:
            raise CardgymError(f"{folder}: has a sweep already; add --resume to resume it, or name another folder")
        earlier = _read(folder / SWEEP)
        joined = script.joined(earlier)
        if joined is None:
            raise CardgymError(f"{folder}: has a sweep of another script or config; name that one, or another folder")
        if joined == earlier:
            return
        about = joined
    write_json(folder / SWEEP, sealed(about))


def run_all(
    script: Program,
    folder: Path,
    runs: Sequence[Run],
    engine: Engine,
    ended: Callable[[RunResult], None] = lambda result: None,
) -> list[RunResult]:
    """Run the runs that have no results yet; return all results in the order of the runs, and pass each to `ended` as
    it comes."""
    by_name = {run.name: run for run in runs}
    results: dict[str, RunResult] = {}
    tasks: list[Task] = []
    for run in runs:
        place = folder / run.name
        _put_aside_if_changed(run, place)
        if (place / RESULTS).exists():
            results[run.name] = result_of(run, place, 0)
            ended(results[run.name])
        else:
            arguments = script.command(run, folder), str(place), str(folder / SWEEP), os.getcwd()
            tasks.append(Task(run.name, train, arguments, ATTEMPTS))
    new: list[RunResult] = []
    for outcome in engine.run(tasks):
        if outcome.error is not None and outcome.error.startswith(_UNSEEN):
            raise CardgymError(outcome.error)
        run, place = by_name[outcome.key], folder / outcome.key
        if outcome.error is None:
            result = result_of(run, place, int(outcome.value))
        else:
            result = RunResult(run, place, None, problem=f"{outcome.error} (log: {place / LOG})")
        results[outcome.key] = result
        ended(result)
        new.append(result)
        if len(results) == len(new) >= max(3, engine.workers):
            _check_not_all_failed(new)
    found = [results[run.name] for run in runs]
    _check_not_all_failed(found)
    return found


def _put_aside_if_changed(run: Run, place: Path) -> None:
    """Rename the folder of a run whose rules or players have changed since, so that it is trained anew."""
    note = place / PLAYED
    if note.exists() and run.played != note.read_text(encoding="utf-8"):
        aside = numbered_folder(place.parent, place.name, latest=False)
        place.rename(aside)
        print(f"{run.name}: its game's rules or its players changed: trained anew; before: {aside}", file=sys.stderr)
    if not place.exists():
        place.mkdir(parents=True)
        note.write_text(run.played, encoding="utf-8")


def note_end(progress: Progress, result: RunResult) -> None:
    """Count a run that ended; one that failed gets its own line, with the path of its log."""
    progress.advance()
    if result.problem is None:
        progress.note(f"{result.run.name}: done")
    else:
        print(f"{result.run.name}: failed: {result.problem}", file=sys.stderr)


def _check_not_all_failed(results: list[RunResult]) -> None:
    if results and all(result.problem for result in results):
        first = results[0]
        raise CardgymError(f"{len(results)} of {len(results)} runs failed, {first.run.name} with: {first.problem}")


_UNSEEN = "a worker cannot see the sweep's folder"


def train(command: list[str], folder: str, marker: str, working_folder: str) -> int:
    """Run a training in a worker, and restart it if its process is taken away; its exit code."""
    if not Path(marker).exists():
        raise CardgymError(
            f"{_UNSEEN}: {platform.node()} has no {Path(marker).parent}; name one with --out on storage that all "
            "machines share"
        )
    for _ in range(ATTEMPTS):
        code = launch.run_program(command, folder, working_folder)
        if code >= 0 and code not in _TAKEN_AWAY:
            break
    return code


def result_of(run: Run, folder: Path, code: int) -> RunResult:
    path = folder / RESULTS
    if path.exists() and code == 0:
        try:
            document = parse_document(_Results, read_bytes(path, str(path), _MAX_FILE), str(path))
        except CardgymError as error:
            return RunResult(run, folder, code, problem=f"{error}; delete the file to train again")
        exact = {} if document.exploitability is None else {EXACT: {EXACT: (document.exploitability, None)}}
        return RunResult(run, folder, code, document.results | exact)
    line = last_line(folder / LOG) or "no output"
    return RunResult(run, folder, code, problem=f"{line} (exit code {code}, log: {folder / LOG})")


def last_line(log: Path) -> str:
    try:
        with opened(log, str(log)) as file:
            file.seek(max(os.fstat(file.fileno()).st_size - 2000, 0))
            lines = file.read(2000).decode(errors="replace").splitlines()
    except (OSError, CardgymError):
        return ""
    return next((printable(line.strip(), 300) for line in reversed(lines) if line.strip()), "")


def _read(path: Path) -> dict[str, Any]:
    value = parse_json(read_bytes(path, str(path), _MAX_FILE), str(path), constants=True)
    if not isinstance(value, dict):
        raise CardgymError(f"{path}: not written by cardgym; name another folder")
    return value
