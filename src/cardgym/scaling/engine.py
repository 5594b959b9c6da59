"""The base class of engines: it gives tasks to free workers, restarts tasks whose worker died, and cleans up."""

from __future__ import annotations

import contextlib
import pickle
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from cardgym.errors import CardgymError, printable
from cardgym.scaling.stopping import handling, held, stop

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
    """Where tasks run. Use it as a context manager: on exit it stops everything that it started.

    That includes an exit by Ctrl-C and by SIGTERM or SIGHUP, which raise `Stopped` in the block unless the caller
    handles them itself.
    """

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
        new, again = iter(tasks), deque[Task]()
        running: dict[str, Task] = {}
        starts = Counter[str]()
        try:
            while True:
                while len(running) < self.workers and (task := again.popleft() if again else next(new, None)):
                    running[task.key] = task
                    starts[task.key] += 1
                    self._give(task)
                if not running:
                    return
                for outcome in self._collect(POLL_SECONDS):
                    task = running.pop(outcome.key)
                    if outcome.died is None:
                        yield outcome
                    elif starts[task.key] < task.attempts:
                        again.append(task)
                    else:
                        error = f"its worker died {task.attempts} times ({outcome.died})"
                        yield Outcome(task.key, error=error, died=outcome.died)
        finally:
            if running:
                self.close()

    @abstractmethod
    def _give(self, task: Task) -> None:
        """Start a task; fewer than `workers` are running."""

    @abstractmethod
    def _collect(self, seconds: float) -> Sequence[Outcome]:
        """Return the tasks that have ended; waits for one for at most `seconds`."""

    @abstractmethod
    def close(self) -> None:
        """Stop all running tasks and workers, and wait until they have ended; a later task starts new ones."""

    def __enter__(self) -> Self:
        self._handlers = contextlib.ExitStack()
        self._handlers.enter_context(handling(stop, unhandled=True))
        return self

    def __exit__(self, *_: object) -> None:
        with self._handlers, held():
            self.close()


def in_process(tasks: Iterable[Task]) -> Iterator[Outcome]:
    """Run tasks in this process, one after another, without an engine; what they raise is raised."""
    return (Outcome(task.key, task.function(*task.arguments)) for task in tasks)


def perform(payload: bytes) -> tuple[Any, str | None]:
    """Unpickle a task and call its function, in a worker. Returns its value and its error; one of them is None."""
    try:
        task: Task = pickle.loads(payload)
        return task.function(*task.arguments), None
    except CardgymError as error:
        return None, str(error)
    except Exception as error:
        return None, one_line(error)


def one_line(error: BaseException) -> str:
    words = " ".join(str(error).split())
    return printable(f"{type(error).__name__}: {words}" if words else type(error).__name__, 300)
