"""`cardgym experts`, killed for real and resumed, ends with the same bits as a run left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardgym.games.cribbage.experts.train import main
from killing import check_killed_run_ends_with_the_same_bits

WORDS = [
    "--own-crib", "--total-games", "6000", "--seed-deals", "1000", "--value-every", "800", "--buffer-size", "256",
    "--save-every", "1000", "--eval-games", "20",
]  # fmt: skip


def test_killed_run_ends_with_the_same_bits_when_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saves = "1,000 of 6,000 games", "2,000 of 6,000 games"
    check_killed_run_ends_with_the_same_bits(main, ["-m", "cardgym", "experts"], WORDS, saves, tmp_path, capsys)
