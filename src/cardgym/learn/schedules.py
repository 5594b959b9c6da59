"""Steps and time: values that change during a training, intervals in steps, and speed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


def linear(step: float, start: float, end: float, steps: float) -> float:
    """Return a straight line from `start` at step 0 to `end` at step `steps`, and `end` from there on."""
    return end if step >= steps else start + (end - start) * step / steps


def crossed(every: int, before: int, now: int) -> bool:
    """Whether a multiple of `every` is in (before, now]; never if `every` is 0."""
    return every > 0 and now // every > before // every


class Stopwatch:
    """Measures the time and the speed of training, without its pauses."""

    def __init__(self, step: int = 0) -> None:
        self.first_step = step
        self._start = self._lap_start = time.perf_counter()
        self._cpu_start = time.process_time()
        self._lap_step = step

    @property
    def seconds(self) -> float:
        """Seconds of training so far."""
        return time.perf_counter() - self._start

    @property
    def cpu_seconds(self) -> float:
        """Processor seconds of training so far, of all threads."""
        return time.process_time() - self._cpu_start

    def rate(self, step: int) -> float:
        """Return steps a second since the start."""
        return (step - self.first_step) / self.seconds

    def lap_rate(self, step: int) -> float:
        """Return steps a second since the last call."""
        now = time.perf_counter()
        rate = (step - self._lap_step) / (now - self._lap_start)
        self._lap_start, self._lap_step = now, step
        return rate

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave out the time spent inside."""
        paused_at, cpu_paused_at = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            pause = time.perf_counter() - paused_at
            self._start += pause
            self._lap_start += pause
            self._cpu_start += time.process_time() - cpu_paused_at
