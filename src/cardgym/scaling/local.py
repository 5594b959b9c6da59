"""The engine `local`: processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import platform
import signal
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection
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
        self._busy: dict[Future[Any], tuple[str, _Worker]] = {}

    @property
    def workers(self) -> int:
        return self._num_workers

    def _give(self, task: Task) -> None:
        worker = self._idle.pop() if self._idle else _Worker()
        try:
            future = worker.pool.submit(perform, pickle.dumps(task))
        except BrokenProcessPool as error:  # It died while it was idle.
            (future := Future[Any]()).set_exception(error)
        self._busy[future] = task.key, worker

    def _collect(self, seconds: float) -> Sequence[Outcome]:
        outcomes = []
        for future in wait(self._busy, seconds, FIRST_COMPLETED).done:
            key, worker = self._busy.pop(future)
            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                outcomes.append(Outcome(key, died=worker.end()))
                continue
            self._idle.append(worker)
            outcomes.append(Outcome(key, error=one_line(error)) if error else Outcome(key, *future.result()))
        return outcomes

    def close(self) -> None:
        with ignoring_interrupts():
            workers = [*self._idle, *(worker for _, worker in self._busy.values())]
            self._idle.clear()
            self._busy.clear()
            for worker in workers:
                worker.stop()
            for worker in workers:
                worker.end()


class _Worker:
    """A pool of one process, so that the death of a process breaks no task but its own."""

    def __init__(self) -> None:
        others = multiprocessing.active_children()
        # Spawned, because a fork of a process with threads can hang.
        self.pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), set_up)
        self.pool.submit(os.getpid)  # Starts the process.
        (self._process,) = set(multiprocessing.active_children()) - set(others)

    def stop(self) -> None:
        """Ask the process to stop its task and to end."""
        self.pool.shutdown(wait=False, cancel_futures=True)
        self._process.terminate()

    def end(self) -> str:
        """Wait for the process, which has ended or is ending, and say how it ended."""
        self._process.join(STOP_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.pool.shutdown()
        code = self._process.exitcode or 0
        return f"killed by signal {-code}" if code < 0 else f"exit code {code}"


def set_up() -> None:
    """Prepare a worker: the process that started it handles Ctrl-C; SIGTERM, or that process's end, ends the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, leave)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    threading.Thread(target=follow_parent, daemon=True).start()


def leave(number: int, frame: FrameType | None) -> NoReturn:
    """Handle SIGTERM: exit, and ignore further signals while the task cleans up."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def follow_parent() -> None:
    """End this process when its parent has ended for any reason."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
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
