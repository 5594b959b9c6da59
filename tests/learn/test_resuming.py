"""A run that resumes may be longer and elsewhere, and says what that changes; anything else is refused."""

import json
import shutil
from pathlib import Path

import pytest

from cardgym.cli import main
from cardgym.engine.contract import Game
from cardgym.files.shipped import config_path
from cardgym.learn import training as trainings
from cardgym.learn.config import read_config
from cardgym.learn.dqn import DQNConfig
from cardgym.learn.saved_state import STATE_FILE, load_state

FAST = [
    "--env-id", "Tiny-v0", "--num-envs", "16", "--hidden-sizes", "8", "--learning-starts", "50", "--buffer-size", "500",
    "--batch-size", "16", "--eval-every", "0", "--final-games", "10", "--log-every", "100",
]  # fmt: skip


def train(folder: Path, *words: str) -> int:
    return main(["train", "dqn", *FAST, "--out", str(folder), *words])


def test_finished_run_is_extended_and_says_so(tiny: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(tmp_path, "--total-steps", "320") == 0
    assert train(tmp_path, "--total-steps", "640", "--resume", "--device", "auto", "--final-games", "20") == 0
    said = capsys.readouterr().err
    assert "total_steps=640 instead of 320, so schedules are lines to the new end" in said
    assert "device=auto instead of cpu, so other bits" in said
    assert "final_games" not in said
    assert json.loads((tmp_path / "results.json").read_text())["config"]["total_steps"] == 640
    assert json.loads(load_state(tmp_path / STATE_FILE)["config"])["total_steps"] == 640
    assert train(tmp_path, "--total-steps", "320", "--resume") == 2
    assert "the run began with total_steps=640, not 320" in capsys.readouterr().err
    assert train(tmp_path, "--total-steps", "640", "--resume", "--gamma", "0.5") == 2
    assert "the run began with gamma=0.99, not 0.5" in capsys.readouterr().err


def test_resumed_run_says_that_the_rules_changed(
    tiny: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert train(tmp_path, "--total-steps", "320") == 0
    assert train(tmp_path, "--total-steps", "320", "--resume") == 0
    assert "resumed, but" not in capsys.readouterr().err
    monkeypatch.setattr(trainings, "played", lambda values: "another game")
    assert train(tmp_path, "--total-steps", "320", "--resume") == 0
    assert "resumed, but not as an uninterrupted run: its rules or opponents changed" in capsys.readouterr().err


def test_paths_in_a_config_start_in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the current folder is; names stay names."""
    (tmp_path / "mine" / "agents").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    agent = tmp_path / "mine" / "agents" / "a.safetensors"
    agent.touch()
    config = tmp_path / "mine" / "c.toml"
    config.write_text(
        'env_id = "Tiny-v0"\nopponents = ["agents/a.safetensors:greedy=0.5", "random=0.5"]\n'
        'eval_opponents = ["random", "agents/a.safetensors"]\ninit_from = "agents/a.safetensors"\n'
    )
    monkeypatch.chdir(tmp_path / "elsewhere")
    read = read_config(DQNConfig, Path("../mine/c.toml"))
    assert read.opponents == (f"{agent}:greedy=0.5", "random=0.5")
    assert read.eval_opponents == ("random", str(agent))
    assert read.init_from == str(agent)
    above = tmp_path / "elsewhere" / "above.toml"
    shutil.copy(config, tmp_path / "elsewhere" / "base.toml")
    above.write_text('base = "base.toml"\nseed = 2\n')
    assert read_config(DQNConfig, above).init_from == "agents/a.safetensors"


def test_own_config_is_based_on_one_that_comes_with_cardgym(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('base = "corellian_spike/dqn"\nseed = 7\n')  # Which has a base itself.
    shipped = read_config(DQNConfig, config_path(Path("corellian_spike/double_dqn")))
    assert read_config(DQNConfig, mine) == shipped.replace(double=False, seed=7)
    mine.write_text('base = "corellian_spike/dqm"\n')
    with pytest.raises(ValueError, match="config corellian_spike/dqm: no such file; did you mean"):
        read_config(DQNConfig, mine)
    mine.write_text('base = "mine.toml"\n')
    with pytest.raises(ValueError, match=r"no such file|circle"):
        read_config(DQNConfig, mine)
    (tmp_path / "other.toml").write_text('base = "mine.toml"\n')
    mine.write_text('base = "other.toml"\n')
    with pytest.raises(ValueError, match="circle"):
        read_config(DQNConfig, mine)
