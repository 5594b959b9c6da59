"""`cardgym coda-solve`, and the errors for bad input: one line that says what is allowed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cardgym.cli import main
from cardgym.games.coda.state import CodaOptions
from cardgym.papers.coda.one_tile import win_rates

DECK = [5, 8, 20, 4, 9, *(tile for tile in range(24) if tile not in (5, 8, 20, 4, 9))]


def test_solve_prints_the_documented_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["coda-solve", "--set", "n_start=1", "--set", "n=10", "--set", "first=1"]
    words += ["--set", "color_visible=no", "--opponent", "random", "--json"]
    assert main(words) == 0
    report = json.loads(capsys.readouterr().out)
    assert list(report) == ["env", "options", "opponent", "optimum", "policies", "seconds"]
    assert (report["env"], report["opponent"]) == ("Coda-v0", "random")
    options = CodaOptions(n=10, first="1", color_visible="no")
    assert report["options"] == options.asdict()
    expected = win_rates(options)
    assert report["optimum"] == expected["optimum"]
    assert report["policies"] == expected["policies"]
    assert {"heuristic", "bayes"} <= set(report["policies"])
    assert all(rate <= report["optimum"] for rate in report["policies"].values())


def test_solve_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The official preset can be solved too if its options are changed, and is reported by its id."""
    settings = ["n_start=1", "jokers=0", "empty=last_drawer_wins", "n=10", "first=0"]
    assert main(["coda-solve", "CodaOfficial-v0", *(word for setting in settings for word in ("--set", setting))]) == 0
    out = capsys.readouterr().out
    assert "CodaOfficial-v0 (n=10" in out
    assert f"{win_rates(CodaOptions(n=10))['optimum']:.6f}" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["Coda-v0", "--set", "n_start=2"], "solved only with n_start=1, jokers=0 and empty=last_drawer_wins"),
        (["CodaOfficial-v0"], "solved only with n_start=1, jokers=0 and empty=last_drawer_wins"),
        (["Coda-v0", "--set", "feasible=consistent"], "opponent random in a game with feasible=consistent"),
        (["Coda-v0", "--opponent", "heuristic"], "unknown opponent of coda-solve 'heuristic'"),
        (["OnePlayPoker-v0"], "coda-solve is for Coda, not for OnePlayPoker-v0"),
        (["Coda-v0", "--opponent", "rndom"], "did you mean 'random'"),
        (["Coda-v0", "--out", "policy.json"], "unknown option '--out'"),
    ],
)
def test_error_is_one_line(words: list[str], message: str, refused: Any) -> None:
    assert message in refused("coda-solve", *words)
