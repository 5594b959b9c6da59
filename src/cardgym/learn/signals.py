"""Signals: a training that gets SIGTERM, SIGHUP or Ctrl-C finishes its step, saves and ends."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from functools import cache
from types import FrameType

from cardgym.scaling.stopping import ENDING, Stopped, ask_self, handling

SECONDS = 4.0
"""How long saving may take before the training ends without it; schedulers kill soon after."""
INTERRUPT_SECONDS = 30.0
"""That time after Ctrl-C; a second Ctrl-C ends it."""
END_SECONDS = 8.0
"""How long a training that lost its parent may take before it is ended without saving."""


_requested: int | None = None
_can_save = False


class Saving:
    """Decides when to save between the regular saves: after some minutes, or when the training is asked to end."""

    def __init__(self, minutes: float) -> None:
        """Save at this interval; 0 for never. From now on a training that is asked to end is waited for."""
        global _can_save
        _can_save = True
        self._seconds = 60 * minutes
        self._last = time.monotonic()

    def due(self) -> bool:
        """Whether to save now."""
        return _requested is not None or (self._seconds > 0 and time.monotonic() - self._last >= self._seconds)

    def done(self, *, last: bool = False) -> None:
        """Note that a state was saved; after the `last` one a signal ends the training at once.

        Raises:
            Stopped: if the training is asked to end.
        """
        global _can_save
        _can_save = not last
        self._last = time.monotonic()
        if _requested is not None:
            raise Stopped(_requested)


@cache
def follow_parent() -> None:
    """Ask this process to save and end once its standard input is closed: the process that started it has gone."""

    def wait() -> None:
        os.read(0, 1)  # Nothing is ever written, so this returns at the end of the file.
        ask_self()
        time.sleep(END_SECONDS)
        os._exit(128 + signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


@contextlib.contextmanager
def listening() -> Iterator[None]:
    """Listen to SIGTERM, SIGHUP and Ctrl-C inside; `Stopped` is raised once the state is saved.

    It is raised at once if there is nothing to save yet, and without a saved state at a second signal, and after
    `SECONDS` or `INTERRUPT_SECONDS`.
    """
    global _requested, _can_save

    def ask(number: int, frame: FrameType | None) -> None:
        global _requested
        if _requested is not None or not _can_save:
            raise Stopped(_requested or number)
        _requested = number
        if number == signal.SIGINT:
            os.write(2, b"\nstopping: the state is saved first; Ctrl-C again stops at once\n")
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, INTERRUPT_SECONDS if number == signal.SIGINT else SECONDS)

    _can_save = False
    alarm = (signal.SIGALRM,) if hasattr(signal, "SIGALRM") else ()
    with handling(ask, (*ENDING, *alarm)):
        try:
            yield
        finally:
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, 0)
            _requested = None
