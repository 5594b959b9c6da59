"""All processes of a test run share one cache of compiled code: a lock lets each function be compiled once."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Generator

import pytest

from cardgym.engine import kernel
from cardgym.engine.contract import Game

# Results are printed as to a pipe. A worker of pytest-xdist inherits what readline sets in the process that starts it.
os.environ.pop("COLUMNS", None)

_NEEDED = {"interop": "stable_baselines3", "learn": "torch", "web": "uvicorn"}
"""Folders whose fixtures need a package of an extra."""
collect_ignore = [folder for folder, package in _NEEDED.items() if importlib.util.find_spec(package) is None]


class _Used(set[tuple[Game, str]]):
    """Kernels with a game's players, all counted as used: large games need no second kernel, without players."""

    def __contains__(self, key: object) -> bool:
        return (isinstance(key, tuple) and key[0].state.itemsize > _SMALL) or super().__contains__(key)


_SMALL = 64
"""The states of games of which both kernels are compiled have at most so many bytes."""
if not os.environ.get("CARDGYM_SLOW"):
    kernel._with_players = _Used()


def pytest_report_header() -> list[str]:
    """Say which folders of tests are left out."""
    return [f"tests/{folder} needs the package {_NEEDED[folder]}" for folder in collect_ignore]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave tests marked `slow` to `make test-slow`, which sets CARDGYM_SLOW."""
    if os.environ.get("CARDGYM_SLOW"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in set(slow)]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip modules that need a package which is not installed."""
    report = yield
    _skip_without_extra(report, str(collector.path))
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip tests that need a package which is not installed."""
    report = yield
    _skip_without_extra(report, str(item.path))
    return report


def _skip_without_extra(report: pytest.CollectReport | pytest.TestReport, path: str) -> None:
    """Turn a failure into a skip if its message names a package of an extra that is not installed."""
    if report.outcome != "failed":
        return
    for package in re.findall(r"(?:No module named '|needs the package )(\w+)", str(report.longrepr)):
        if not package.startswith("cardgym") and importlib.util.find_spec(package) is None:
            report.outcome, report.longrepr = "skipped", (path, 0, f"needs the package {package}")
            return
