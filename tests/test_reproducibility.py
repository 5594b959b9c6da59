"""Games, players, tables and exact solutions are bit-identical on every machine."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cardgym
from cardgym.engine.jit import JIT_DISABLED
from reproducibility import differences, games

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="takes minutes where nothing is compiled")

QUICK = "OnePlayPoker-v0"
"""Learning in it is compiled in a second."""


@pytest.mark.parametrize(
    ("game_id", "learned"),
    [
        *((game_id, game_id == QUICK) for game_id in games()),
        *(pytest.param(game_id, True, marks=pytest.mark.slow) for game_id in games() if game_id != QUICK),
    ],
)
def test_digests_match_this_machine(game_id: str, learned: bool) -> None:
    # After an intended change of rules, players or learners: `python tests/reproducibility.py --write`.
    assert differences([game_id], learned) == []


@pytest.mark.slow
def test_digests_match_a_generic_processor() -> None:
    # One game only, because everything is recompiled (about ten seconds). The script checks all games.
    game_id = min(games(), key=lambda one: (cardgym.find(one).parse_options().num_players, one))
    program = [sys.executable, str(Path(__file__).with_name("reproducibility.py")), game_id]
    run = subprocess.run(program, env={**os.environ, "NUMBA_CPU_NAME": "generic"}, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr[-2000:]
    assert "all the same" in run.stdout
