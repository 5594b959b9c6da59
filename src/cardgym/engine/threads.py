"""Threads that run compiled calls in parallel; the calls release the GIL."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

Call = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments."""


class ThreadPool:
    """Threads, started when first used; a copy in another process starts its own.

    On Linux the threads avoid the caller's core: the scheduler may wake a thread on the core of the thread that wakes
    it and leave it there for seconds, so that the two share one core while another is idle.
    """

    def __init__(self, num_threads: int) -> None:
        self._num_threads = num_threads
        self._process = 0  # The process that started the threads: they do not survive a fork.

    def __reduce__(self) -> tuple[Any, ...]:
        return ThreadPool, (self._num_threads,)

    def _start(self) -> None:
        self._process = os.getpid()
        self._core, self._cores = -1, _allowed_cores()
        self._calls: SimpleQueue[Call | None] = SimpleQueue()
        self._errors: SimpleQueue[BaseException | None] = SimpleQueue()
        queues = self._calls, self._errors
        self._threads = [
            threading.Thread(target=_work, args=queues, name="cardgym", daemon=True) for _ in range(self._num_threads)
        ]
        for thread in self._threads:
            thread.start()
            weakref.finalize(self, self._calls.put, None)

    def run(self, calls: Sequence[Call]) -> Any:
        """Run all calls, the first in the caller's thread; returns its result."""
        if self._process != os.getpid():
            self._start()
        self._spread()
        for call in calls[1:]:
            self._calls.put(call)
        function, arguments = calls[0]
        try:
            result = function(*arguments)
        finally:
            try:
                errors = [self._errors.get() for _ in calls[1:]]
            except BaseException:  # Ctrl-C: some threads may still be busy, so the next run starts new ones.
                self._process = 0
                raise
        for error in errors:
            if error is not None:
                raise error
        return result

    def _spread(self) -> None:
        """Move the threads off the caller's core, if there are other cores."""
        core = _current_core()
        if core == self._core:
            return
        self._core = core
        if others := self._cores - {core}:
            for thread in self._threads:
                os.sched_setaffinity(thread.native_id or 0, others)


def _work(calls: SimpleQueue[Call | None], errors: SimpleQueue[BaseException | None]) -> None:
    """Run calls until None, and answer each with the exception that it raised, or None."""
    while (call := calls.get()) is not None:
        error: BaseException | None = None
        try:
            call[0](*call[1])
        except BaseException as raised:  # `run` raises it.
            error = raised
        errors.put(error)
        del call, error  # Their arrays would live until the next call.


if sys.platform == "linux":
    _current_core: Callable[[], int] = ctypes.CDLL(None).sched_getcpu

    def _allowed_cores() -> set[int]:
        return os.sched_getaffinity(0)

else:  # Other systems do not report the core of a thread.

    def _current_core() -> int:
        return -1

    def _allowed_cores() -> set[int]:
        return set()
