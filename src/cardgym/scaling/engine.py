"""The base class of engines: it gives tasks to free workers, restarts tasks whose worker died, and cleans up."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from cardgym.errors import CardgymError, printable

POLL_SECONDS = 0.5
"""Longest wait for outcomes before the caller gets a turn."""


@dataclass(frozen=True)
class Task:
    """A call of a function in another process, perhaps on another machine.

    Attributes:
        key: the task's name, unique within one `run`.
        function: a function at the top level of a module that workers can import.
        arguments: plain values that can be pickled. Paths are absolute, in a folder that all workers can read.
        attempts: how many times the task may be started: it is restarted if its worker dies.
    """

    key: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    attempts: int = 3


@dataclass(frozen=True)
class Outcome:
    """How a task or an attempt at it ended: with a value, an error in one line, or the death of its worker."""

    key: str
    value: Any = None
    error: str | None = None
    died: str | None = None


class Engine(ABC):
    """Where tasks run. Use it as a context manager: on exit it stops everything that it started, even after Ctrl-C."""

    name: str

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many tasks run at once."""

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """Run tasks, and yield their outcomes in the order in which they finish.

        A task is taken from `tasks` only when a worker is free, so a generator can choose it based on the outcomes so
        far. Closing this iterator early stops the running tasks.
        """
        rest, again = iter(tasks), deque[Task]()
        under_way: dict[str, Task] = {}
        begun: dict[str, int] = {}
        more = True
        try:
            while True:
                while len(under_way) < self.workers and (more or again):
                    task = again.popleft() if again else next(rest, None)
                    if task is None:
                        more = False
                        break
                    if task.key in under_way or (task.key in begun and begun[task.key] >= task.attempts):
                        raise ValueError(f"two tasks have the key {task.key!r}")
                    begun[task.key] = begun.get(task.key, 0) + 1
                    under_way[task.key] = task
                    self._give(task)
                if not under_way:
                    return
                for ended in self._collect(POLL_SECONDS):
                    task = under_way.pop(ended.key)
                    if ended.died is not None and begun[task.key] < task.attempts:
                        again.append(task)
                        continue
                    if ended.died is not None:
                        ended = Outcome(task.key, error=f"its worker died {task.attempts} times ({ended.died})")
                    yield ended
        finally:
            if under_way:
                self._stop()

    def close(self) -> None:
        self._stop()

    @abstractmethod
    def _give(self, task: Task) -> None:
        """Start a task; fewer than `workers` are running."""

    @abstractmethod
    def _collect(self, seconds: float) -> Sequence[Outcome]:
        """The tasks that have ended; waits for one for at most `seconds`."""

    @abstractmethod
    def _stop(self) -> None:
        """Stop all running tasks and wait until they have ended."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def in_process(tasks: Iterable[Task]) -> Iterator[Outcome]:
    """Run tasks in this process, one after another, without an engine; what they raise is raised."""
    return (Outcome(task.key, task.function(*task.arguments)) for task in tasks)


def perform(task: Task) -> tuple[Any, str | None]:
    """Call a task's function, in a worker. Returns its value and its error in one line; one of them is None."""
    try:
        return task.function(*task.arguments), None
    except CardgymError as error:
        return None, str(error)
    except Exception as error:
        return None, one_line(error)


def one_line(error: BaseException) -> str:
    words = " ".join(str(error).split())
    return printable(f"{type(error).__name__}: {words}" if words else type(error).__name__, 300)


@contextlib.contextmanager
def ignoring_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C in the block, so that it does not interrupt the cleanup. Only works in the main thread."""
    import signal

    try:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
