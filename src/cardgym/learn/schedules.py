"""Values that change as training goes on."""

from __future__ import annotations


def linear(step: int, start: float, end: float, steps: int) -> float:
    """From `start` at step 0 to `end` at step `steps`, in a straight line; `end` from there on."""
    if steps <= 0 or step >= steps:
        return end
    return start + (end - start) * step / steps


def crossed(every: int, before: int, now: int) -> bool:
    """Whether a multiple of `every` lies in (before, now]; never if `every` is 0."""
    return every > 0 and now // every > before // every
