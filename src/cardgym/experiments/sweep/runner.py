"""The runs of a sweep on an engine: each in its own folder, resumed where it was interrupted."""

from __future__ import annotations

import contextlib
import json
import os
import platform
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import Field

from cardgym.errors import CardgymError, printable
from cardgym.experiments import launch
from cardgym.experiments.launch import LOG, RESULTS, STOP, Run
from cardgym.files.atomic import opened, replacing
from cardgym.files.documents import Document, Name, Number, at_most, parse_document
from cardgym.files.json_values import parse_json, read_bytes, sealed
from cardgym.files.locks import locked
from cardgym.scaling import Engine, Outcome, Task

SWEEP = "sweep.json"
"""The file of a sweep's folder that says what its runs are."""

ATTEMPTS = 5
"""How often a run is started at most, if its machine or process is taken away."""
_TAKEN_AWAY = (129, 143)
"""The exit codes of a training after SIGHUP and SIGTERM, which a scheduler sends; see `run_script`."""
_MAX_FILE = 1 << 24
_FROM_LIST = Field(strict=False)


@dataclass(frozen=True)
class RunResult:
    """How a run of a sweep ended.

    Attributes:
        run: the run.
        folder: its folder.
        exit: its exit code; None if its worker died.
        results: the figures of its final evaluation by opponent and metric, each with its interval; None without one.
        problem: why it has no results, in one line; None if it has results.
        stopped: whether early stopping ended it.
    """

    run: Run
    folder: Path
    exit: int | None
    results: dict[str, Any] | None = None
    problem: str | None = None
    stopped: bool = False

    def asdict(self) -> dict[str, Any]:
        """As plain values for JSON."""
        plain: dict[str, Any] = {
            "folder": str(self.folder),
            "seed": self.run.seed,
            "options": dict(self.run.options),
            "results": self.results,
            "exit": self.exit,
        }
        return plain | ({} if self.problem is None else {"problem": self.problem, "stopped": self.stopped})


class Program(Protocol):
    """What the runs in a folder execute, such as a `TrainingScript`."""

    @property
    def about(self) -> dict[str, Any]:
        """Plain values that identify it."""
        ...

    def joined(self, earlier: dict[str, Any]) -> dict[str, Any] | None:
        """What a folder of `earlier` is for once this one resumes it; None if it must not."""
        ...

    def prepare(self, folder: Path) -> None:
        """Write the files that its runs read into a new folder."""
        ...

    def command(self, run: Run, folder: Path) -> list[str]:
        """What follows `python` to execute a run in its folder below this one."""
        ...


_Ends = Annotated[tuple[Number | None, Number | None], _FROM_LIST]
_Figure = Annotated[tuple[Number, _Ends | None], _FROM_LIST]


class _Results(Document):
    """The content of `results.json` that a sweep reads."""

    results: Annotated[dict[Name, dict[Name, _Figure]], at_most(1000)]
    """The value and the interval of each metric, by opponent."""


class SweepFolder:
    """The folder of a sweep, held by one command at a time. Use it as a context manager.

    Attributes:
        path: the folder, absolute.
    """

    def __init__(self, path: Path, script: Program, resume: bool) -> None:
        """Create the folder, or open that of an earlier sweep.

        Raises:
            CardgymError: if it contains a sweep and `resume` is false, or one of another script or config, if it
                cannot be written, or if another command is using it.
        """
        self.path = path.resolve()
        with contextlib.ExitStack() as held:
            held.enter_context(locked(self.path))
            self._open(script, resume)
            self._held = held.pop_all()

    def _open(self, script: Program, resume: bool) -> None:
        if os.path.lexists(self.path / SWEEP):  # A broken link is an error.
            if not resume:
                raise CardgymError(
                    f"{self.path}: has a sweep already; add --resume to resume it, or name another folder"
                )
            earlier = _read(self.path / SWEEP)
            about = script.joined(earlier)
            if about is None:
                raise CardgymError(
                    f"{self.path}: has a sweep of another script or config; name that one, or another folder"
                )
            if about == earlier:
                return
        else:
            script.prepare(self.path)
            about = script.about
        with replacing(self.path / SWEEP) as temporary:
            temporary.write_text(json.dumps(sealed(about), indent=1) + "\n")

    def __enter__(self) -> SweepFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()


def run_all(
    script: Program,
    folder: SweepFolder,
    runs: Iterable[Run],
    engine: Engine,
    *,
    begun: Callable[[Run], None] = lambda run: None,
    ended: Callable[[RunResult], None] = lambda result: None,
    wait: Callable[[], None] = lambda: None,
    gives_up: Callable[[Run], bool] = lambda run: False,
) -> list[RunResult]:
    """Run the runs that have no results yet.

    Args:
        script: what the runs execute.
        folder: the sweep's folder.
        runs: the runs; the next one is taken when a worker is free.
        engine: where they run.
        begun: called with each run when a worker takes it.
        ended: called with each result, first those of runs that ended earlier.
        wait: called about twice a second.
        gives_up: whether a run's setting was stopped; called before a worker takes the run.

    Returns:
        The results in the order of the runs.

    Raises:
        CardgymError: where a worker cannot see the folder, or all of the first runs fail.
    """
    order: list[str] = []
    results: dict[str, RunResult] = {}
    by_name: dict[str, Run] = {}

    def tasks() -> Iterator[Task]:
        for run in runs:
            order.append(run.name)
            by_name[run.name] = run
            place = folder.path / run.name
            if gives_up(run) or (place / RESULTS).exists() or (place / STOP).exists():
                results[run.name] = result_of(run, place, 0)
                ended(results[run.name])
                continue
            begun(run)
            arguments = script.command(run, folder.path), str(place), str(folder.path / SWEEP), os.getcwd()
            yield Task(run.name, train, arguments, ATTEMPTS)

    new: list[RunResult] = []
    for outcome in engine.run(tasks(), wait):
        if outcome.error is not None and outcome.error.startswith(_UNSEEN):
            raise CardgymError(outcome.error)
        result = _result(by_name[outcome.key], folder.path, outcome)
        results[outcome.key] = result
        ended(result)
        new.append(result)
        if len(results) == len(new) >= max(3, engine.workers) and all(result.problem for result in new):
            _check_not_all_failed(new)
    found = [results[name] for name in order]
    _check_not_all_failed(found)
    return found


def _check_not_all_failed(results: list[RunResult]) -> None:
    if results and all(result.problem and not result.stopped for result in results):
        first = results[0]
        raise CardgymError(f"{len(results)} of {len(results)} runs failed, {first.run.name} with: {first.problem}")


_UNSEEN = "a worker cannot see the sweep's folder"


def train(command: list[str], folder: str, marker: str, working_folder: str) -> int:
    """Run a training in a worker, and restart it if its process is taken away; its exit code.

    Raises:
        CardgymError: if this machine does not see the sweep's folder.
    """
    if not Path(marker).exists():
        raise CardgymError(
            f"{_UNSEEN}: {platform.node()} has no {Path(marker).parent}; name one with --out on storage that all "
            "machines share"
        )
    for _ in range(ATTEMPTS):
        code = launch.run_program(command, folder, working_folder)
        if (code >= 0 and code not in _TAKEN_AWAY) or (Path(folder) / STOP).exists():
            break
    return code


def _result(run: Run, folder: Path, outcome: Outcome) -> RunResult:
    if outcome.error is not None:
        return RunResult(run, folder / run.name, None, problem=f"{outcome.error} (log: {folder / run.name / LOG})")
    return result_of(run, folder / run.name, int(outcome.value))


def result_of(run: Run, folder: Path, code: int) -> RunResult:
    """How the run in a folder ended."""
    path = folder / RESULTS
    if path.exists() and code == 0:
        try:
            results = parse_document(_Results, read_bytes(path, str(path), _MAX_FILE), str(path)).results
        except CardgymError as error:
            return RunResult(run, folder, code, problem=f"{error}; delete the file to train again")
        return RunResult(run, folder, code, results)
    if (folder / STOP).exists():
        return RunResult(run, folder, code, problem=last_line(folder / STOP), stopped=True)
    line = last_line(folder / LOG) or "no output"
    return RunResult(run, folder, code, problem=f"{line} (exit code {code}, log: {folder / LOG})")


def last_line(log: Path) -> str:
    """The last line of a log; empty if there is none."""
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
