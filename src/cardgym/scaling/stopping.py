"""Signals that ask a process to end: it stops everything that it has started first."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import NoReturn

SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals by which schedulers and terminals end a process. Windows has no SIGHUP."""
ENDING = (signal.SIGINT, *SIGNALS)
"""The same, and Ctrl-C."""


class Stopped(SystemExit):
    """A signal asked this process to end. Unless it is caught, the exit code is 128 plus the signal's number."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.number = number


def stop(number: int, frame: FrameType | None) -> NoReturn:
    """Handle a signal by raising `Stopped`, so that the process cleans up."""
    raise Stopped(number)


def ask_self() -> None:
    """Send SIGTERM to this process, from any of its threads."""
    if os.name == "nt":
        signal.raise_signal(signal.SIGTERM)  # There `os.kill` would end it without calling the handler.
    else:
        os.kill(os.getpid(), signal.SIGTERM)


@contextlib.contextmanager
def handling(
    handler: Callable[[int, FrameType | None], object], numbers: Sequence[int] = SIGNALS, *, unhandled: bool = False
) -> Iterator[None]:
    """Handle signals in the block, except those that the process ignores, as after `nohup`.

    With `unhandled`, only signals that nobody else handles. Does nothing outside the main thread, which alone may.
    """
    before = {}
    with contextlib.suppress(ValueError):
        for number in numbers:
            found = signal.getsignal(number)
            if found is signal.SIG_DFL or (callable(found) and not unhandled):
                before[number] = found
                signal.signal(number, handler)
    try:
        yield
    finally:
        for number, found in before.items():
            with contextlib.suppress(ValueError):
                signal.signal(number, found)


@contextlib.contextmanager
def resumable(flags: str = "") -> Iterator[None]:
    """Say how to continue the command that is stopped in the block: by the same command with these flags."""
    try:
        yield
    except (KeyboardInterrupt, Stopped):
        again = f"with `{flags}`" if flags else "again"
        print(f"stopped; to continue, run the same command {again}", file=sys.stderr)
        raise


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Hold signals back until the end of the block, so that it does all of its work or none of it."""
    arrived: list[int] = []
    try:
        with handling(lambda number, frame: arrived.append(number), ENDING):
            yield
    finally:
        for number in arrived:
            signal.raise_signal(number)
