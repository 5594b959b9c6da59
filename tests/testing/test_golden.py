"""Golden playthroughs: written, compared, and differences caught."""

from pathlib import Path

import pytest

from cardgym.testing import ContractError, ContractSuite
from cardgym.testing.golden import check_golden, main, path_of, playthrough
from kuhn_poker import GAME


def test_missing_golden_playthrough_is_caught(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="no golden playthrough"):
        check_golden(GAME, tmp_path)


def test_changed_playthrough_is_caught_with_a_diff(tmp_path: Path) -> None:
    path = path_of(GAME, tmp_path)
    path.write_text(playthrough(GAME), encoding="utf-8")
    check_golden(GAME, tmp_path)
    path.write_text(playthrough(GAME).replace("You fold", "You call"), encoding="utf-8")
    with pytest.raises(ContractError, match=r"(?s)no longer plays.*-.*call.*\+.*fold"):
        check_golden(GAME, tmp_path)


def test_command_writes_and_compares(tmp_path: Path) -> None:
    words = ["--folder", str(tmp_path), "KuhnPoker-v0"]
    assert main(words) == 2
    assert main(["--update", *words]) == 0
    assert main(words) == 0


def test_command_reports_errors_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in (
        (["--folder", str(tmp_path), "KuhnPoker-v0"], "no golden playthrough"),
        (["--folder", str(tmp_path), "KuhnPocker-v0"], "did you mean 'KuhnPoker-v0'"),
        (["no_such_module:Game-v0"], "PYTHONPATH"),
    ):
        assert main(words) == 2
        shown = capsys.readouterr().err
        assert message in shown
        assert shown.count("\n") == 1


def test_suite_without_a_game_says_so() -> None:
    with pytest.raises(ContractError, match="set `game`"):
        ContractSuite().test_invalid_options_are_rejected_in_one_clear_line()
