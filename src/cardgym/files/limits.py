"""Absurd requests are refused before anything is allocated, with an error that says how much memory they would need."""

from __future__ import annotations

import contextlib
import math
import os
import sys
from functools import cache
from pathlib import Path

from cardgym.errors import CardgymError

MAX_GAMES = 10**9
"""The largest number of games of a match or a recording. Their 95 % interval is 0.006 % wide; more games add
nothing."""
MAX_STEPS = 10**12
"""The largest number of steps of a training; the fastest learners take about 10^7 a second."""
_SHARE = 0.9
"""The share of the machine's memory that cardgym may use."""


def check_memory(what: str, needed: int, advice: str) -> None:
    """Refuse what needs more memory than this machine, container or process has."""
    available = memory_limit()
    if available is not None and needed > _SHARE * available:
        raise CardgymError(f"{what} would need {_size(needed)} of memory, of {_size(available)} here; {advice}")


def duration(count: int, per_second: int) -> str:
    """How long `count` things take at that rate, in words, such as `3 years at 10,000 a second`."""
    seconds = count // per_second
    units = (("years", 31_557_600), ("days", 86_400), ("hours", 3600))
    unit, length = next(((unit, length) for unit, length in units if seconds >= 2 * length), ("seconds", 1))
    number = seconds // length
    # A power of ten is more readable for huge numbers, and exact floats end there.
    rounded = f"{number:,}" if number < 10**6 else f"10^{math.floor(math.log10(number))}"
    return f"{rounded} {unit} at {per_second:,} a second"


@cache
def memory_limit() -> int | None:
    """Return the bytes of memory that this process may use; None if the system does not say."""
    if sys.platform == "win32":
        return None
    import resource

    limits = []
    with contextlib.suppress(OSError, ValueError):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY:
        limits.append(limit)
    for name in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):
            limits.append(int(Path(name).read_text(encoding="ascii")))
    return min(limits, default=None)


def _size(count: int) -> str:
    gigabytes = count / 2**30 if count < 2**60 else count >> 30
    return f"{gigabytes:,.1f} GiB" if gigabytes < 10**6 else f"10^{math.floor(math.log10(gigabytes))} GiB"
