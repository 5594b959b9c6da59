"""train/tabular.py, killed for real and resumed, ends with the same bits as a run left alone."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from learning_game import ROOT

from cardgym.engine.contract import Game
from killing import check_killed_run_ends_with_the_same_bits

WORDS = [
    "--env-id", "register_tiny:Tiny-v0", "--observation", "plain", "--table-size", "4000",
    "--opponents", "perfect=1", "self=1", "--total-steps", "700000", "--save-every", "100000",
    "--eval-every", "100000", "--eval-games", "20", "--final-games", "0",
]  # fmt: skip


@pytest.mark.slow
def test_killed_run_ends_with_the_same_bits_when_resumed(
    tabular: ModuleType, tiny: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saves = "100,000 of 700,000 steps", "200,000 of 700,000 steps"
    program = [str(ROOT / "train" / "tabular.py")]
    check_killed_run_ends_with_the_same_bits(tabular.main, program, WORDS, saves, tmp_path, capsys)
