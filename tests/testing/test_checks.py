"""Every check of rules and envs can fail."""

import os
import subprocess
import sys
from pathlib import Path

import broken_games
import pytest

from cardgym.engine.contract import Options
from cardgym.engine.jit import JIT_DISABLED
from cardgym.testing import ContractError
from cardgym.testing.kernel_checks import check_interpreted
from cardgym.testing.knowledge_checks import check_observations


def test_every_check_finds_its_fault() -> None:
    """Interpreted, the broken games take seconds."""
    file = Path(__file__).with_name("interpreted_checks.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(file)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(command, env={**environment, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(JIT_DISABLED, reason="NumPy refuses to write beyond an array")
def test_observation_that_writes_beyond_its_array_is_caught() -> None:
    with broken_games.forgotten_afterwards(), pytest.raises(ContractError, match="more numbers"):
        check_observations(broken_games.broken("Long", observations=broken_games.observe_beyond), Options())


@pytest.mark.skipif(JIT_DISABLED, reason="compares interpreted rules with compiled ones")
def test_rules_that_differ_when_interpreted_are_caught() -> None:
    with broken_games.forgotten_afterwards(), pytest.raises(ContractError, match="interpreted"):
        check_interpreted("small_integers:BrokenSmall-v0", [Options()])
