"""A program of its own as a task: a training script, unchanged, in its own process and folder."""

from __future__ import annotations

import os
import runpy
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from filelock import FileLock, Timeout

LOG, STOP, LOCK = "log.txt", "stop", ".lock"
"""Files of a program's folder: what it printed, what asks it to end, and what keeps a second one out."""

_POLL_SECONDS = 0.5
_SAVE_SECONDS = 8.0
"""How long a program that was asked to end may take to save; see `cardgym.learn.signals.SECONDS`."""
_LOCK_SECONDS = 600.0


def run_program(
    words: Sequence[str], folder: str, working_folder: str | None = None, *, asked: Callable[[], bool] = lambda: False
) -> int:
    """Run Python with these words, such as a script and its flags, in a process of its own; its exit code.

    What it prints is appended to `log.txt` in its folder. It never outlives the worker that runs it: where the worker
    dies, it gets SIGTERM, and a training saves its state. A file `stop` in the folder asks for the same. Whoever begins
    the program anew waits until the last one in the folder is gone.

    Args:
        words: what follows `python` on the command line.
        folder: the program's folder, absolute, made if it does not exist.
        working_folder: where relative paths begin, if this machine has it; None for the worker's own.
        asked: whether the program is asked to end; called every half second.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    with open(place / LOG, "ab") as log:
        # A session of its own: Ctrl-C in the terminal is for the command, which stops its workers.
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, folder, *words],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=working_folder if working_folder and Path(working_folder).is_dir() else None,
            env={"OMP_NUM_THREADS": "1", **os.environ},
        )
    try:
        while not (place / STOP).exists() and not asked():
            try:
                return process.wait(_POLL_SECONDS)
            except subprocess.TimeoutExpired:
                pass
        return _end(process)
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> int:
    """Ask a program to end by closing its standard input, and kill it where it does not; its exit code."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        return process.wait(_SAVE_SECONDS + 4)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


# -- inside the program's process -------------------------------------------------------------------------------------


def main(folder: str, words: Sequence[str]) -> None:
    """Run a script or a module here, as Python would, until the process that started this one is gone."""
    threading.Thread(target=_follow_parent, daemon=True).start()
    lock = FileLock(Path(folder) / LOCK, timeout=_LOCK_SECONDS)
    try:
        lock.acquire()
    except Timeout:
        print(f"{folder}: another process has worked here for {_LOCK_SECONDS:.0f} s", file=sys.stderr)
        sys.exit(2)
    if words[0] == "-m":
        sys.argv = list(words[1:])
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = list(words)
        sys.path[0] = str(Path(words[0]).parent)
        runpy.run_path(words[0], run_name="__main__")


def _follow_parent() -> None:
    """Wait until standard input is closed, by the other end or with it; then ask this process to save and end."""
    os.read(0, 1)  # Nothing is ever written: this is the end of the file.
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_SAVE_SECONDS)
    os._exit(128 + signal.SIGTERM)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
