"""Threads that run compiled calls in parallel; the calls release the GIL."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

Call = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments."""


class Crew:
    """A pool of threads, started when first used; a copy in another process starts its own.

    Handing over a call takes about 10 microseconds on an idle core, a fifth of what an executor of the standard library
    takes. On Linux the threads avoid the caller's core: the scheduler may wake a thread on the core of the thread that
    wakes it and leave it there for seconds, so that the two share one core while another is idle.
    """

    def __init__(self, num_threads: int) -> None:
        self._num_threads = num_threads
        self._workers: list[_Worker] = []
        self._process = 0
        self._core = -1  # The caller's core when the threads were last moved off it.
        self._cores: set[int] = set()  # The cores that threads may use.

    def __reduce__(self) -> tuple[Any, ...]:
        return Crew, (self._num_threads,)

    def run(self, calls: Sequence[Call]) -> Any:
        """Run all calls, at most one more than there are threads; the result of the first, in the caller's thread."""
        if self._process != os.getpid():  # Threads do not survive a fork.
            self._process = os.getpid()
            self._workers = [_Worker() for _ in range(self._num_threads)]
            self._core, self._cores = -1, _allowed_cores()
        self._spread()
        busy = [worker for worker, _ in zip(self._workers, calls[1:], strict=False)]
        for worker, call in zip(busy, calls[1:], strict=True):
            worker.start(call)
        function, arguments = calls[0]
        try:
            result = function(*arguments)
        finally:
            errors = self._wait(busy)
        for error in errors:
            raise error
        return result

    def _spread(self) -> None:
        """Move the threads off the caller's core, if there are other cores."""
        core = _current_core()
        if core == self._core:
            return
        self._core = core
        if others := self._cores - {core}:
            for worker in self._workers:
                os.sched_setaffinity(worker.thread_id, others)

    def _wait(self, busy: list[_Worker]) -> list[BaseException]:
        try:
            return [error for error in [worker.wait() for worker in busy] if error is not None]
        except BaseException:  # Ctrl-C: some workers may still be busy, so the next run starts new ones.
            self._process = 0
            raise


class _Worker:
    """A thread that runs one call at a time and ends when its worker is garbage-collected."""

    def __init__(self) -> None:
        self._job = _Job()
        thread = threading.Thread(target=_work, args=(self._job,), name="cardgym", daemon=True)
        thread.start()
        self.thread_id = thread.native_id or 0  # The operating system's thread id.
        weakref.finalize(self, self._job.give, None)

    def start(self, call: Call) -> None:
        self._job.give(call)

    def wait(self) -> BaseException | None:
        """Wait for the call to end; return the exception it raised, or None."""
        self._job.done.acquire()
        error, self._job.error = self._job.error, None
        return error


class _Job:
    """What a thread shares with its worker: the next call, and the exception it raised."""

    def __init__(self) -> None:
        self.call: Call | None = None
        self.error: BaseException | None = None
        self.given, self.done = threading.Lock(), threading.Lock()
        self.given.acquire()
        self.done.acquire()

    def give(self, call: Call | None) -> None:
        """Give the thread its next call; None ends it."""
        self.call = call
        self.given.release()


def _work(job: _Job) -> None:
    while True:
        job.given.acquire()
        if job.call is None:
            return
        function, arguments = job.call
        try:
            function(*arguments)
        except BaseException as error:  # `run` raises it.
            job.error = error
        job.call = None
        del function, arguments
        job.done.release()


if sys.platform == "linux":
    _current_core: Callable[[], int] = ctypes.CDLL(None).sched_getcpu

    def _allowed_cores() -> set[int]:
        return os.sched_getaffinity(0)

else:  # Other systems do not report the core of a thread.

    def _current_core() -> int:
        return -1

    def _allowed_cores() -> set[int]:
        return set()
