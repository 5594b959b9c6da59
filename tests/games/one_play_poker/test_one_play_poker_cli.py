"""`cardgym solve` and `cardgym reproduce` as a person calls them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cardgym.cli import main

ROOT = Path(__file__).parents[3]


def test_solve_prints_json_and_writes_a_policy_it_can_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "policy.json"
    words = ["solve", "OnePlayPoker-v0", "--set", "gamma=9/10", "--set", "ranking=pair_first", "--json"]
    assert main([*words, "--out", str(path)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["optimal"]["value"] == "194269/182000"
    assert report["states"] == 5536
    assert main([*words, "--policy", str(path)]) == 0
    valued = json.loads(capsys.readouterr().out)["policies"]
    assert valued[str(path)]["discounted"] == valued["optimal"]["discounted"] == "194269/182000"


@pytest.mark.parametrize(
    ("script", "words", "file"),
    [
        ("dqn.py", ["--total-steps", "2000"], "model.safetensors"),
        ("tabular.py", ["--total-steps", "20000", "--observation", "full"], "q_table.safetensors"),
    ],
)
@pytest.mark.slow
def test_trained_player_is_worth_what_it_plays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], script: str, words: list[str], file: str
) -> None:
    pytest.importorskip("torch")
    path = str(tmp_path / file)
    words += ["--env-id", "OnePlayPoker-v0", "--final-games", "100", "--out", str(tmp_path)]
    printed = subprocess.run(
        [sys.executable, str(ROOT / "train" / script), *words], check=True, capture_output=True, text=True
    ).stdout
    assert "alone" in printed
    assert "random" not in printed
    assert max(map(len, printed.splitlines()[:8])) <= 80
    assert main(["solve", "OnePlayPoker-v0", "--json", "--policy", path]) == 0
    known = json.loads(capsys.readouterr().out)["policies"][path]
    assert main(["evaluate", "OnePlayPoker-v0", "--players", path, "--games", "20000", "--json"]) == 0
    played = json.loads(capsys.readouterr().out)["players"][0]
    assert abs(played["mean_return"] - known["undiscounted_float"]) < 4 * known["undiscounted_std"] / 20000**0.5


def test_solve_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "OnePlayPoker-v0", "--set", "gamma=1"]) == 0
    shown = capsys.readouterr().out
    assert "1949/1365 = 1.427839" in shown
    assert "optimal for gamma 1/1" in shown
    assert "5,536 states, 432 up to symmetry" in shown
