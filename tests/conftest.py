"""All processes of a test run share one cache of compiled code: a lock lets each function be compiled once."""

from __future__ import annotations

import os

import pytest

# Results are printed as to a pipe. A worker of pytest-xdist inherits what readline sets in the process that starts it.
os.environ.pop("COLUMNS", None)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave tests marked `slow` to `make test-slow`, which sets CARDGYM_SLOW."""
    if os.environ.get("CARDGYM_SLOW"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in set(slow)]
