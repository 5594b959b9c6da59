"""Functions for workers: they have to be importable there."""

import os
import signal
import time
import weakref
from pathlib import Path

from cardgym import CardgymError
from cardgym.errors import reporting_errors
from cardgym.scaling.stopping import ask_self


def square(number: int) -> int:
    return number * number


def refuse(number: int) -> int:
    raise CardgymError(f"{number} is not allowed")


def break_down(number: int) -> int:
    return 1 // (number - number)


def die_at_first(marker: str) -> str:
    """Kill the worker, but not the second one that tries."""
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def die_always() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def stop_in_a_callback() -> None:
    """Be stopped where Python prints an exception and goes on, then stay a while."""

    def stopped(_: object) -> None:
        ask_self()
        time.sleep(0.01)

    thing = {1}
    callback = weakref.ref(thing, stopped)
    del thing
    time.sleep(60)
    del callback


def interrupt() -> None:
    """Raise KeyboardInterrupt like a bot, not like Ctrl-C, which workers ignore."""
    with reporting_errors("bot", 0):
        raise KeyboardInterrupt


def sleep(folder: str, seconds: float) -> None:
    """Say which process this is, and stay a while."""
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(seconds)


def take_interrupts() -> None:
    """A shell starts what runs in its background with SIGINT ignored, and processes below inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
