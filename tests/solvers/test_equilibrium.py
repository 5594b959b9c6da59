"""`cardgym solve ENV --by METHOD`: equilibria from the command line, as players."""

import json
from pathlib import Path
from typing import Any

import pytest

from cardgym import find
from cardgym.cli import main
from cardgym.players import resolve
from cardgym.solvers.best_response import exploitability
from cardgym.solvers.equilibrium import EquilibriumSolver
from cardgym.solvers.tree import enumerate_tree

KUHN = "KuhnPoker-v0"


def solve(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The report of a command that has to work."""
    assert main(["solve", KUHN, *words, "--json"]) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


@pytest.mark.parametrize(("by", "most"), [("cfr", 0.03), ("cfr+", 0.002), ("dcfr", 0.002), ("mccfr", 0.04)])
def test_every_method_reports_the_exploitability_of_its_strategy(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, by: str, most: float
) -> None:
    path = tmp_path / "new" / "kuhn.safetensors"
    report = solve(capsys, "--by", by, "--iterations", "2000", "--out", str(path), "--seed", "1")
    assert (report["env"], report["by"], report["iterations"], report["info_sets"]) == (KUHN, by, 2000, 12)
    assert [row["iterations"] for row in report["exploitability"]] == [100, 1000, 2000]
    game = find(KUHN)
    tree = enumerate_tree(game, game.parse_options())
    player: Any = resolve(path, game, game.parse_options())
    exact = exploitability(tree, tree.strategy(player.probabilities(*tree.look(player.observation_name))))
    assert exact < most
    assert report["exploitability"][-1]["exploitability"] == pytest.approx(exact)
    assert report["values"] == pytest.approx([-1 / 18, 1 / 18], abs=most)


def test_results_are_printed_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", KUHN, "--by=dcfr", "--iterations", "100"]) == 0
    out = capsys.readouterr().out
    assert "KuhnPoker-v0 by dcfr, chips per game" in out
    assert "value by seat: -0.05" in out
    assert "12 information sets" in out


def test_interrupted_run_keeps_the_last_file_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardgym.solvers.equilibrium._SAVE_SECONDS", 0.0)
    game = find(KUHN)
    solver = EquilibriumSolver(game, game.parse_options(), "cfr+")
    path = tmp_path / "a.safetensors"

    def interrupt(done: int) -> None:
        if done >= 200:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solver.solve(1000, path=path, progress=interrupt)
    assert resolve(path, game, game.parse_options())
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.safetensors"]
