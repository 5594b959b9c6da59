"""Trainings of papers, killed for real and resumed, end with the same bits as a run left alone."""

from pathlib import Path

import pytest

from cardgym.cli import main
from cardgym.papers.commands import TRAINERS
from killing import check_killed_run_ends_with_the_same_bits, check_run_that_is_asked_to_end_saves

WORDS = {
    "batch_q": [
        "--exploration", "legal", "--num-iterations", "4", "--games-per-iteration", "300", "--update-epochs", "5",
        "--save-every", "1", "--eval-every", "1", "--eval-games", "20", "--final-games", "0",
    ],
    "experts": [
        "--own-crib", "--total-games", "6000", "--seed-deals", "1000", "--value-every", "800", "--buffer-size", "256",
        "--save-every", "1000", "--eval-every", "1000", "--eval-games", "20", "--final-games", "20",
    ],
}  # fmt: skip
SAVES = {
    "batch_q": ("1 of 4 iterations", "2 of 4 iterations"),
    "experts": ("1,000 of 6,000 games", "2,000 of 6,000 games"),
}
SHORT = {
    "batch_q": ["--num-iterations", "3", "--games-per-iteration", "100", "--save-every", "3", "--eval-every", "0"],
    "experts": ["--total-games", "1500", "--save-every", "1500"],
}
"""What makes a run that is asked to end shorter."""

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", TRAINERS)
def test_killed_run_ends_with_the_same_bits_when_resumed(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_killed_run_ends_with_the_same_bits(
        lambda words: main(["train", name, *words]),
        ["-m", "cardgym", "train", name],
        WORDS[name],
        SAVES[name],
        tmp_path,
        capsys,
    )


@pytest.mark.parametrize("name", TRAINERS)
def test_terminated_run_saves(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check_run_that_is_asked_to_end_saves(
        lambda words: main(["train", name, *words]), [*WORDS[name], *SHORT[name]], tmp_path, monkeypatch, capsys,
        suffixes=(".json", ".safetensors"), after={"batch_q": 2, "experts": 1}[name],
    )  # fmt: skip
