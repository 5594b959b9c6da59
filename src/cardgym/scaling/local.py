"""The engine `local`: processes on this machine."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import platform
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from multiprocessing import connection, resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from cardgym.scaling.engine import Engine, Outcome, Task, one_line, perform
from cardgym.scaling.stopping import Stopped, ask_self, held

STOP_SECONDS = 15.0
"""A worker that takes longer to stop its task is killed."""
_MOST_WORKERS = 60 if sys.platform == "win32" else 1_000_000
"""Windows waits for at most 63 pipes."""


class LocalEngine(Engine):
    """Worker processes, started when they are first needed. Each performs one task at a time."""

    name = "local"

    def __init__(self, workers: int | None = None) -> None:
        """Set the number of workers; None for one per core that this process may use."""
        self._num_workers = min(cores() if workers is None else workers, _MOST_WORKERS)
        self._idle: list[_Worker] = []
        self._busy: dict[Connection, tuple[str, _Worker]] = {}

    @property
    def workers(self) -> int:
        return self._num_workers

    def _give(self, task: Task) -> None:
        payload = pickle.dumps(task)
        with held():  # A worker that is not yet noted could not be stopped.
            worker = self._idle.pop() if self._idle else _Worker()
            self._busy[worker.pipe] = task.key, worker
        with contextlib.suppress(OSError):  # It died while it was idle: `_collect` notices.
            worker.pipe.send_bytes(payload)

    def _collect(self, seconds: float) -> Sequence[Outcome]:
        outcomes = []
        for pipe in connection.wait(list(self._busy), seconds):
            assert isinstance(pipe, Connection)
            key, worker = self._busy.pop(pipe)
            try:
                outcome = Outcome(key, *pickle.loads(pipe.recv_bytes()))
                self._idle.append(worker)
            except (EOFError, OSError):
                outcome = Outcome(key, died=worker.end())
            outcomes.append(outcome)
        return outcomes

    def close(self) -> None:
        with held():
            workers = [*self._idle, *(worker for _, worker in self._busy.values())]
            self._idle.clear()
            self._busy.clear()
            for worker in workers:
                worker.stop()
            for worker in workers:
                worker.end()


class _Worker:
    """A process, and the pipe to it."""

    def __init__(self) -> None:
        # Spawned, because a fork of a process with threads can hang.
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self._process = context.Process(target=work, args=(other,), daemon=True)
        with uninterrupted():
            self._process.start()
        other.close()

    def stop(self) -> None:
        """Ask the process to stop its task and to end."""
        self._process.terminate()

    def end(self) -> str:
        """Wait for the process, which has ended or is ending, and say how it ended."""
        self._process.join(STOP_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.pipe.close()
        code = self._process.exitcode or 0
        return f"killed by signal {-code}" if code < 0 else f"exit code {code}"


def work(pipe: Connection) -> None:
    """Perform the tasks that arrive through a pipe, in a worker, until its process is ended."""
    set_up()
    while True:
        answer = perform(pipe.recv_bytes())
        try:
            reply = pickle.dumps(answer)
        except Exception as error:
            reply = pickle.dumps((None, one_line(error)))
        pipe.send_bytes(reply)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Start a process inside so that Ctrl-C waits for its `ignore_interrupts`: else it would end with a traceback."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # Its start ends the block.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Ignore Ctrl-C, which the process that started this one handles."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def set_up() -> None:
    """Prepare a worker, which SIGTERM or the end of the process that started it ends."""
    ignore_interrupts()
    signal.signal(signal.SIGTERM, leave)
    sys.unraisablehook = ask_again
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    threading.Thread(target=follow_parent, daemon=True).start()


def leave(number: int, frame: FrameType | None) -> NoReturn:
    """Handle SIGTERM: exit, and ignore further signals while the task cleans up."""
    signal.signal(number, signal.SIG_IGN)
    raise Stopped(number)


def ask_again(lost: Any) -> None:
    """Ask again for a stop that was raised in the callback of a library, where Python only prints it."""
    if isinstance(lost.exc_value, Stopped):
        signal.signal(signal.SIGTERM, leave)
        threading.Timer(0.01, ask_self).start()  # After the callback.
    else:
        sys.__unraisablehook__(lost)


def follow_parent() -> None:
    """End this process when its parent has ended for any reason."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    ask_self()
    time.sleep(STOP_SECONDS)
    os._exit(1)


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def machine() -> str:
    """Return the processor, the number of cores that this process may use, and the version of Python, for reports."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    return f"{model}, {cores()} cores, Python {platform.python_version()}"
