"""Functions for workers: they have to be importable there."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from cardgym import CardgymError


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


def sleep(folder: str, seconds: float) -> None:
    """Say which process this is, and stay a while."""
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(seconds)


def take_interrupts() -> None:
    """A shell starts what runs in its background with SIGINT ignored, and processes below inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
