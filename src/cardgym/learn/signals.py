"""Signals: a training that gets SIGTERM or SIGHUP finishes its step, saves and ends."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that ask a training to end. Windows has no SIGHUP."""
SECONDS = 4.0
"""How long saving may take before the training ends without it; schedulers kill soon after."""


END_SECONDS = 8.0
"""How long a training that lost its parent may take before it is ended without saving."""


class Stopped(BaseException):
    """The training was asked to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


_requested: int | None = None


class Saving:
    """Decides when to save between the regular saves: after some minutes, or when the training is asked to end."""

    def __init__(self, minutes: float) -> None:
        """Save at this interval; 0 for never."""
        self._seconds = 60 * minutes
        self._last = time.monotonic()

    def due(self) -> bool:
        """Whether to save now."""
        return _requested is not None or (self._seconds > 0 and time.monotonic() - self._last >= self._seconds)

    def done(self) -> None:
        """Note that a state was saved.

        Raises:
            Stopped: if the training is asked to end.
        """
        self._last = time.monotonic()
        if _requested is not None:
            raise Stopped(_requested)


def follow_parent() -> None:
    """Ask this process to save and end once its standard input is closed: the process that started it has gone."""

    def wait() -> None:
        os.read(0, 1)  # Nothing is ever written, so this returns at the end of the file.
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(END_SECONDS)
        os._exit(128 + signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


@contextlib.contextmanager
def listening() -> Iterator[None]:
    """Listen to `SIGNALS` inside; `Stopped` is raised once the state is saved, or after `SECONDS`."""
    global _requested

    def ask(number: int, frame: FrameType | None) -> None:
        global _requested
        if _requested is not None:
            give_up(number, frame)
        _requested = number
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, SECONDS)

    def give_up(number: int, frame: FrameType | None) -> NoReturn:
        raise Stopped(_requested or number)

    handlers = dict.fromkeys(SIGNALS, ask)
    if hasattr(signal, "SIGALRM"):
        handlers[signal.SIGALRM] = give_up
    try:
        before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    except ValueError:  # Only the main thread may listen.
        before = {}
    try:
        yield
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
        _requested = None
