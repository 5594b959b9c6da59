"""`cardgym batch-q`, killed for real and resumed, ends with the same bits as a run left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardgym.papers.corellian_spike.batch_q import main
from killing import check_killed_run_ends_with_the_same_bits, check_run_that_is_asked_to_end_saves

WORDS = [
    "--exploration", "legal", "--num-iterations", "4", "--games-per-iteration", "300", "--update-epochs", "5",
    "--save-every", "1", "--eval-games", "20", "--final-games", "0",
]  # fmt: skip


@pytest.mark.slow
def test_killed_run_ends_with_the_same_bits_when_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saves = "1 of 4 iterations", "2 of 4 iterations"
    check_killed_run_ends_with_the_same_bits(main, ["-m", "cardgym", "batch-q"], WORDS, saves, tmp_path, capsys)


@pytest.mark.slow
def test_terminated_run_saves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*WORDS, "--num-iterations", "3", "--games-per-iteration", "100", "--save-every", "3", "--eval-games", "0"]
    check_run_that_is_asked_to_end_saves(
        main, words, tmp_path, monkeypatch, capsys, suffixes=(".json", ".safetensors"), after=2
    )
