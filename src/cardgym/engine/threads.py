"""Threads that run compiled calls beside the caller's own; the calls release the GIL."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

Call = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments."""


class Crew:
    """So many threads, started when they are first needed; a copy in another process starts its own.

    Handing a call over takes some 10 microseconds on an idle core: a fifth of what an executor of the standard library
    takes.
    """

    def __init__(self, num_threads: int) -> None:
        self._num_threads = num_threads
        self._workers: list[_Worker] = []
        self._process = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return Crew, (self._num_threads,)

    def run(self, calls: Sequence[Call]) -> Any:
        """Make all calls, at most one more than there are threads; the first in the caller's thread.

        Returns:
            What the first call returns.
        """
        if self._process != os.getpid():  # Threads do not survive a fork.
            self._process = os.getpid()
            self._workers = [_Worker() for _ in range(self._num_threads)]
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

    def _wait(self, busy: list[_Worker]) -> list[BaseException]:
        try:
            return [error for error in [worker.wait() for worker in busy] if error is not None]
        except BaseException:  # Ctrl-C: some may still be at work, and their next call is for others.
            self._process = 0
            raise


class _Worker:
    """A thread that makes one call at a time, and ends when nobody refers to its worker any more."""

    def __init__(self) -> None:
        self._job = _Job()
        threading.Thread(target=_work, args=(self._job,), name="cardgym", daemon=True).start()
        weakref.finalize(self, self._job.give, None)

    def start(self, call: Call) -> None:
        self._job.give(call)

    def wait(self) -> BaseException | None:
        """Wait for the end of the call.

        Returns:
            What it raised, if anything.
        """
        self._job.done.acquire()
        error, self._job.error = self._job.error, None
        return error


class _Job:
    """What a thread shares with its worker: a call to make, and how it ended."""

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
