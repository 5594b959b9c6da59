"""Games, players, tables and exact solutions are the same on every machine, to the bit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cardgym
from cardgym.engine.numba.compilation import config
from reproducibility import differences, games

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="takes minutes where nothing is compiled")


@pytest.mark.parametrize("game_id", games())
def test_this_machine_gives_the_digests_of_the_file(game_id: str) -> None:
    # If a change of rules, players or learners is meant: `python tests/reproducibility.py --write`.
    assert differences([game_id]) == []


@pytest.mark.slow
def test_a_machine_without_this_ones_instructions_gives_them_too() -> None:
    # One game, since all of it is compiled anew: some ten seconds. The script without a game's name checks them all.
    game_id = min(games(), key=lambda one: (cardgym.find(one).parse_options().num_players, one))
    program = [sys.executable, str(Path(__file__).with_name("reproducibility.py")), game_id]
    run = subprocess.run(program, env={**os.environ, "NUMBA_CPU_NAME": "generic"}, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr[-2000:]
    assert "all the same" in run.stdout
