"""A learner joins by one entry in the registry; CONTRIBUTING.md lists every file that it touches."""

import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

from cardgym import find
from cardgym.cli import main
from cardgym.engine.contract import Game
from cardgym.experiments.launch import TrainingScript
from cardgym.experiments.sweep import parse_grid, runs_of
from cardgym.experiments.trainers import TRAINERS, Trainer
from cardgym.learn.network_training import NetworkTraining
from cardgym.players import resolve
from learning_game import ROOT


@pytest.fixture
def _a2c(monkeypatch: pytest.MonkeyPatch) -> None:
    """The learner of the tutorial, added as CONTRIBUTING.md says."""
    spec = importlib.util.spec_from_file_location("a2c", ROOT / "docs" / "tutorials" / "a2c.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "a2c", module)
    spec.loader.exec_module(module)

    def a2c() -> Trainer:
        """Advantage actor-critic."""
        return Trainer(module.A2CConfig, NetworkTraining.running(module.train))

    monkeypatch.setitem(TRAINERS, "a2c", a2c)


@pytest.mark.usefixtures("_a2c")
def test_an_entry_in_the_registry_is_all_that_commands_need(
    tiny: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "--help"]) == 0
    assert re.search(r"\n  a2c +Advantage actor-critic\.\n", capsys.readouterr().out)
    words = ["--env-id", "Tiny-v0", "--num-envs", "16", "--eval-every", "0", "--final-games", "20", "--seed", "3"]
    runs = [*words, "--out", str(tmp_path / "run")]
    assert main(["train", "a2c", *runs, "--total-steps", "1000"]) == 0
    assert main(["train", "a2c", *runs, "--total-steps", "1000", "--resume"]) == 0
    assert "random" in json.loads((tmp_path / "run" / "results.json").read_text())["results"]
    game = find("Tiny-v0")
    assert resolve(tmp_path / "run" / "model.safetensors", game, game.parse_options()).observation_name == "plain"
    (tmp_path / "a2c.toml").write_text('env_id = "Tiny-v0"\nnum_steps = 4\n')
    sweep = TrainingScript(tmp_path / "a2c.toml", "a2c")
    assert [run.name for run in runs_of(sweep, parse_grid(["ent_coef=0.1,0.2"]), [1])] == [
        "ent_coef=0.1/seed1", "ent_coef=0.2/seed1",
    ]  # fmt: skip


def test_contributing_lists_the_files_that_a_learner_touches() -> None:
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Adding a learner")[2]
    listed = re.findall(r"^\d\. `([^`]+)`", section.partition("\n## ")[0], re.MULTILINE)
    assert len(listed) <= 6
    for name in ("nfsp", "distill"):
        files = {ROOT / path.replace("NAME", name) for path in listed}
        assert all(re.search(rf"\b{name}\b", path.read_text(encoding="utf-8"), re.IGNORECASE) for path in files)
        known = {*files, ROOT / "src" / "cardgym" / "learn" / f"{name}.py"}
        sources = [
            path for folder in ("src", "train") for path in (ROOT / folder).rglob("*.py") if "papers" not in path.parts
        ]
        naming = {path for path in sources if re.search(rf"\b{name}\b", path.read_text(encoding="utf-8"))}
        players = ROOT / "src" / "cardgym" / "table" / "people.py"  # It spells names of players.
        assert naming <= {*known, players}, "a learner is named in further files"
