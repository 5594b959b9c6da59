"""`cardgym solve` and `cardgym reproduce` as a person calls them."""

from __future__ import annotations

import json

import pytest

from cardgym.cli import main


def test_solve_prints_json_and_writes_a_policy_it_can_read(tmp_path, capsys):
    path = tmp_path / "policy.json"
    words = ["solve", "OnePlayPoker-v0", "--set", "gamma=9/10", "--set", "ranking=pair_first", "--json"]
    assert main([*words, "--out", str(path)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["optimal"]["value"] == "194269/182000"
    assert report["states"] == 5536
    assert main([*words, "--policy", str(path)]) == 0
    valued = json.loads(capsys.readouterr().out)["policies"]
    assert valued[str(path)]["discounted"] == valued["optimal"]["discounted"] == "194269/182000"


def test_solve_prints_a_table(capsys):
    assert main(["solve", "OnePlayPoker-v0", "--set", "gamma=1"]) == 0
    shown = capsys.readouterr().out
    assert "1949/1365 = 1.427839" in shown
    assert "5,536 states, 432 up to symmetry; 4 sweeps" in shown


def test_reproduce_writes_the_page_and_the_chart(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    assert main(["reproduce", "one-play-poker", "--games", "100", "--out", str(tmp_path)]) == 0
    assert "(100 games, seed 0)" in (tmp_path / "one_play_poker.md").read_text(encoding="utf-8")
    assert (tmp_path / "one_play_poker_policy.png").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["solve", "OnePlayPoker-v0", "--set", "gamma=2"],
        ["solve", "OnePlayPoker-v0", "--set", "gama=1"],
        ["solve", "OnePlayPoker-v0", "--policy", "none.json"],
        ["solve", "OnePlayPoker-v0", "--policy", "optimal"],
        ["solve", "OnePlayPoker-v0", "--out", "policy.txt"],
        ["solve", "OnePlayPoker-v0", "--out", "/dev/null/policy.json"],
        ["solve", "CorellianSpike-v0"],
        ["solve", "Poker"],
        ["reproduce", "one-play-pokr"],
        ["reproduce", "one-play-poker", "--games", "1"],
    ],
)
def test_bad_input_is_one_line(words, capsys):
    assert main(words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("cardgym: ")
    assert shown.err.count("\n") == 1
