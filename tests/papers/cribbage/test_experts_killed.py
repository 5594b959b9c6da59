"""`cardgym experts`, killed for real and resumed, ends with the same bits as a run left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardgym.papers.cribbage.training import main
from killing import check_killed_run_ends_with_the_same_bits, check_run_that_is_asked_to_end_saves

WORDS = [
    "--own-crib", "--total-games", "6000", "--seed-deals", "1000", "--value-every", "800", "--buffer-size", "256",
    "--save-every", "1000", "--eval-games", "20",
]  # fmt: skip


@pytest.mark.slow
def test_killed_run_ends_with_the_same_bits_when_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saves = "1,000 of 6,000 games", "2,000 of 6,000 games"
    check_killed_run_ends_with_the_same_bits(main, ["-m", "cardgym", "experts"], WORDS, saves, tmp_path, capsys)


@pytest.mark.slow
def test_terminated_run_saves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*WORDS, "--total-games", "1500", "--save-every", "1500"]
    check_run_that_is_asked_to_end_saves(
        main, words, tmp_path, monkeypatch, capsys, suffixes=(".json", ".safetensors"), after=1
    )
