"""All processes of a test run share one cache of compiled code: a lock lets each function be compiled once."""

import importlib.util
import os
import re
from collections.abc import Callable, Generator

import pytest

from cardgym.cli import main
from cardgym.engine.contract import Game
from cardgym.engine.kernel import kernel_of
from cardgym.engine.registry import find, register, registered
from cardgym.errors import CardgymError

# Results are printed as to a pipe. A worker of pytest-xdist inherits what readline sets in the process that starts it.
os.environ.pop("COLUMNS", None)

_NEEDED = {"interop": "stable_baselines3", "learn": "torch", "web": "uvicorn"}
"""Folders whose fixtures need a package of an extra."""
collect_ignore = [folder for folder, package in _NEEDED.items() if importlib.util.find_spec(package) is None]


def _make_error(self: CardgymError, *_words: object) -> None:
    assert "\n" not in " ".join(map(str, _words)), f"an error of several lines: {_words}"
    ValueError.__init__(self, *_words)


CardgymError.__init__ = _make_error  # type: ignore[method-assign]  # Each error that a test meets is one line.


@pytest.fixture(scope="session")
def tiny() -> Game:
    """The game of tests of learning, registered."""
    from learning_game import TINY

    return register(TINY)


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """A command that has to be refused, word by word: the one line that says why, where nothing else is printed."""

    def run(*words: str) -> str:
        capsys.readouterr()
        assert main(list(words)) == 2
        out, err = capsys.readouterr()
        (line,) = (line for line in err.splitlines() if not line.startswith(("cardgym: compiling", "small game:")))
        assert (out, line.isprintable()) == ("", True)
        assert re.match(r"(cardgym( [\w-]+)*|\w+\.py): ", line)
        return str(line)

    return run


_SMALL = 64
"""Of games whose states have at most so many bytes, both kernels are compiled: with their players, and without."""


def pytest_report_header() -> list[str]:
    """Say which folders of tests are left out."""
    return [f"tests/{folder} needs the package {_NEEDED[folder]}" for folder in collect_ignore]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to `make test-slow`, which sets CARDGYM_SLOW, tests marked `slow` and second kernels of large games."""
    if os.environ.get("CARDGYM_SLOW"):
        return
    for game in filter(lambda game: game.state.itemsize > _SMALL, map(find, registered())):
        for name in game.observations:
            kernel_of(game, name, game.compiled_players)  # It serves those without players, too.
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
