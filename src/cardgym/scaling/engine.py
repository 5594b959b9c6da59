"""What every engine does: give tasks to free workers, begin again those whose worker died, leave nothing running."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from cardgym.errors import CardgymError, printable

POLL_SECONDS = 0.5
"""How long an engine waits for outcomes before it lets its caller do something else."""


@dataclass(frozen=True)
class Task:
    """A call of a function in another process, perhaps on another machine.

    Attributes:
        key: the task's name, its own within one `run`.
        function: a function at the top level of a module that workers can import.
        arguments: plain values that can be pickled. Paths are absolute, below a folder that all workers see.
        attempts: how often the task is begun at most: it is begun again where its worker dies.
    """

    key: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    attempts: int = 3


@dataclass(frozen=True)
class Outcome:
    """How a task ended.

    Attributes:
        key: the task's.
        value: what the function returned; None after an error.
        error: what went wrong, in one line; None if nothing did.
        worker: where it ran, for people.
        attempts: how often it was begun.
    """

    key: str
    value: Any
    error: str | None
    worker: str
    attempts: int


@dataclass(frozen=True)
class Ended:
    """What an engine learns of a task: its value, its error, or that its worker died.

    Attributes:
        key: the task's.
        worker: where it ran.
        value: what the function returned.
        error: what the function raised, in one line.
        died: how the worker died, such as `killed by signal 9`; None if it did not.
    """

    key: str
    worker: str
    value: Any = None
    error: str | None = None
    died: str | None = None


class Engine(ABC):
    """Where tasks run. Use it as a context manager: at its end nothing that it started is running, after Ctrl-C too.

    Attributes:
        name: `local`, `ray` or `slurm`.
    """

    name: str

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many tasks run at once."""

    def run(self, tasks: Iterable[Task], wait: Callable[[], None] | None = None) -> Iterator[Outcome]:
        """Run tasks; their outcomes as they come, in any order.

        The next task is taken from `tasks` when a worker is free and not before, so that a generator can decide by the
        outcomes so far. Whoever closes this iterator early stops the tasks under way.

        Args:
            tasks: the tasks, each with a key of its own.
            wait: called about twice a second while tasks are under way.
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
                    times = begun[task.key]
                    error = ended.error
                    if ended.died is not None:
                        error = f"its worker died {times} times ({ended.died})"
                    yield Outcome(ended.key, ended.value, error, ended.worker, times)
                if wait is not None:
                    wait()
        finally:
            if under_way:
                self._stop()

    def close(self) -> None:
        """Stop the tasks under way and end the workers."""
        self._stop()

    @abstractmethod
    def _give(self, task: Task) -> None:
        """Begin a task; fewer than `workers` are under way."""

    @abstractmethod
    def _collect(self, seconds: float) -> Sequence[Ended]:
        """The tasks that ended, after so many seconds at most."""

    @abstractmethod
    def _stop(self) -> None:
        """Stop all tasks under way and wait until they are gone."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def perform(task: Task) -> tuple[Any, str | None]:
    """Call a task's function, in a worker; its value, or its error in one line."""
    try:
        return task.function(*task.arguments), None
    except CardgymError as error:
        return None, str(error)
    except Exception as error:
        return None, one_line(error)


def one_line(error: BaseException) -> str:
    """What an unexpected exception says, in one line."""
    words = " ".join(str(error).split())
    return printable(f"{type(error).__name__}: {words}" if words else type(error).__name__, 300)


def signal_name(exit_code: int | None) -> str:
    """How a process ended, in words."""
    if exit_code is None:
        return "lost"
    return f"killed by signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"


@contextlib.contextmanager
def ignoring_interrupts() -> Iterator[None]:
    """Let a second Ctrl-C wait until the block has stopped what is running; only the main thread can."""
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
