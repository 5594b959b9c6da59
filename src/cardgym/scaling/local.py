"""The engine `local`: processes on this machine."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import platform
import signal
import sys
import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from cardgym.scaling.engine import Engine, Outcome, Task, ignoring_interrupts, one_line, perform

STOP_SECONDS = 15.0
"""A worker that takes longer to stop its task is killed."""


class LocalEngine(Engine):
    """Worker processes, started when they are first needed. Each performs one task at a time."""

    name = "local"

    def __init__(self, workers: int | None = None) -> None:
        """Set the number of workers; None for one per core that this process may use."""
        self._num_workers = cores() if workers is None else workers
        self._idle: list[_Worker] = []
        self._busy: dict[str, _Worker] = {}

    @property
    def workers(self) -> int:
        return self._num_workers

    def _give(self, task: Task) -> None:
        worker = self._idle.pop() if self._idle else _Worker()
        self._busy[task.key] = worker
        worker.give(task)

    def _collect(self, seconds: float) -> Sequence[Outcome]:
        keys = {worker.pipe: key for key, worker in self._busy.items()}
        ended = []
        for pipe in wait(list(keys), seconds):
            assert isinstance(pipe, Connection)
            key = keys[pipe]
            worker = self._busy.pop(key)
            try:
                value, error = pipe.recv()
            except (EOFError, OSError):
                ended.append(Outcome(key, died=worker.end()))
            else:
                ended.append(Outcome(key, value, error))
                self._idle.append(worker)
        return ended

    def _stop(self) -> None:
        with ignoring_interrupts():
            stopped = list(self._busy.values())
            self._busy.clear()
            _end_all(stopped)

    def close(self) -> None:
        with ignoring_interrupts():
            workers = [*self._busy.values(), *self._idle]
            self._busy.clear()
            self._idle.clear()
            _end_all(workers)


class _Worker:
    """A process at the other end of a pipe."""

    def __init__(self) -> None:
        # Spawned, because a fork of a process with threads can hang. A daemon, so that it ends with this process.
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=work, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def give(self, task: Task) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # It died: `recv` will raise.
            self.pipe.send(task)

    def end(self) -> str:
        """Wait for the process, which has ended or is ending, and say how it ended."""
        self.pipe.close()
        self.process.join(STOP_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        code = self.process.exitcode or 0
        return f"killed by signal {-code}" if code < 0 else f"exit code {code}"


def _end_all(workers: Sequence[_Worker]) -> None:
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.end()


def work(pipe: Connection[Any, Any]) -> None:
    """Perform the tasks that arrive through a pipe until it closes. SIGTERM ends the worker and its task."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent handles Ctrl-C and stops this process.
    signal.signal(signal.SIGTERM, leave)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    threading.Thread(target=follow_parent, daemon=True).start()
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            try:
                result = perform(pipe.recv())
            except (AttributeError, ImportError) as error:  # The worker cannot import the function.
                result = None, one_line(error)
            try:
                pipe.send(result)
            except (AttributeError, TypeError, ValueError) as error:  # A value that cannot be pickled.
                pipe.send((None, one_line(error)))


def leave(number: int, frame: FrameType | None) -> NoReturn:
    """Handle SIGTERM: exit, and ignore further signals while the task cleans up."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def follow_parent() -> None:
    """End this process when its parent has ended for any reason."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_SECONDS)
    os._exit(1)


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def machine() -> str:
    """The processor, the number of cores that this process may use, and the version of Python, for reports."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    return f"{model}, {cores()} cores, Python {platform.python_version()}"
