"""Denormal numbers: moments that fade out become so small that a CPU computes with them slowly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def flushing_denormals() -> Iterator[None]:
    """Count denormal numbers as 0 inside, in this thread; it decorates functions, too."""
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)  # Other code of this process may need them.
