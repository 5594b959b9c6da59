"""docs/interop/stable_baselines3.md: its examples run, with fewer steps, and what it names is there."""

from __future__ import annotations

import re

import pages
import pytest
from learning_game import ROOT

from cardgym.cli import main
from cardgym.interop import sb3
from cardgym.interop.sb3_config import SB3Config
from cardgym.learn.config import parse_run

PAGE = pages.text("stable_baselines3")


def test_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shorter = {
        "600_000": "640",
        "800_000": "640",
        "num_envs=128": "num_envs=16",
        "num_envs=512": "num_envs=16",
        "learning_starts=10_000": "learning_starts=100",
        "eval_freq=1_000": "eval_freq=20, n_eval_games=12",
    }
    pages.run("stable_baselines3", shorter)
    assert capsys.readouterr().out.count("against heuristic") >= 2  # Each prints its evaluations.
    (command,) = (line for line in PAGE.splitlines() if line.startswith("cardgym evaluate CorellianSpike"))
    assert main([*command.split()[1:], "--games", "30"]) == 0


@pytest.mark.parametrize("command", [line for line in PAGE.splitlines() if line.startswith("python train/sb3.py")])
def test_commands_are_understood(command, monkeypatch):
    monkeypatch.chdir(ROOT)
    config, _ = parse_run(SB3Config, command.split()[2:], "sb3.py")
    assert config.env_id


def test_table_names_what_there_is():
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", PAGE.partition("\n## ")[0], re.MULTILINE)
    assert sorted(name for row in rows for name in re.findall(r"\w+", row)) == sorted(sb3.__all__)
