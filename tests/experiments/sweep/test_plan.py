import re
from pathlib import Path

import pytest

from cardgym import CardgymError
from cardgym.experiments import launch
from cardgym.experiments.launch import TrainingScript
from cardgym.experiments.sweep import parse_grid, parse_seeds, runs_of
from cardgym.learn.config import parse_run
from cardgym.learn.dqn import DQNConfig


def test_seeds_are_ranges_and_numbers() -> None:
    assert parse_seeds("1-5") == [1, 2, 3, 4, 5]
    assert parse_seeds("7, 1-3,2") == [1, 2, 3, 7]
    assert parse_seeds("0") == [0]


@pytest.mark.parametrize("text", ["", "5-1", "1-", "-1", "a", "1.5", "1-9223372036854775808", "0-100000"])
def test_bad_seeds_are_one_line(text: str) -> None:
    with pytest.raises(CardgymError, match="--seeds"):
        parse_seeds(text)


def test_every_combination_has_a_run_for_each_seed(config: Path) -> None:
    grid = parse_grid(["learning_rate=1e-3,2e-3", "hidden_sizes=16,32 32", "double=true"])
    runs = runs_of(TrainingScript(config), grid, [1, 2])
    assert [run.name for run in runs[:2]] == [
        "learning_rate=0.001,hidden_sizes=16,double=True/seed1",
        "learning_rate=0.001,hidden_sizes=32+32,double=True/seed1",
    ]
    assert len({run.name for run in runs}) == 8
    assert runs_of(TrainingScript(config), {}, [3])[0].name == "seed3"
    assert runs[1].options == {"learning_rate": 0.001, "hidden_sizes": (32, 32), "double": True}
    flags = " ".join(runs[1].flags)
    assert all(flag in flags for flag in ("--learning-rate 0.001", "--hidden-sizes 32 32 --", "--double ", "--seed 1 "))
    assert parse_run(DQNConfig, runs[1].flags, "dqn.py")[0] == TrainingScript(config).config.replace(
        **runs[1].options, seed=1
    )


def test_runs_have_folders_of_their_own_on_every_disk(config: Path) -> None:
    """Also where `a/b` and `a-b`, or `Bot` and `bot`, would be one folder, and where none may end with a dot."""
    values = ["a/b=1", "a-b=1", "Bot=1", "bot=1", "bot=1.", f"{'b' * 200}=1", f"{'b' * 200}=2"]
    runs = runs_of(TrainingScript(config), {"opponents": values}, [1])
    folders = [run.name.rpartition("/")[0] for run in runs]
    assert len({folder.casefold() for folder in folders}) == len(values)
    assert all(re.fullmatch(r"[\w=,.+-]{1,120}(?<!\.)", folder) for folder in folders)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["learning_rat=1e-3"], "unknown key 'learning_rat'.*did you mean 'learning_rate'"),
        (["learning_rate=fast"], "learning_rate='fast': allowed: a number"),
        (["learning_rate"], "write KEY=VALUE"),
        (["learning_rate=1e-3,,2e-3"], "write KEY=VALUE"),
        (["learning_rate=1e-3", "learning_rate=2e-3"], "twice"),
        (["learning_rate=1e-3,0.001"], "twice"),
        (["double=yes"], "allowed: true, false"),
        (["seed=1,2"], "--seeds"),
    ],
)
def test_bad_grid_is_one_line(config: Path, words: list[str], message: str) -> None:
    with pytest.raises(CardgymError, match=message):
        runs_of(TrainingScript(config), parse_grid(words), [1])


def test_script_is_found_by_the_keys_of_the_config(tmp_path: Path) -> None:
    assert TrainingScript(Path("corellian_spike/double_dqn")).script == "dqn"
    assert TrainingScript(Path("corellian_spike/sb3_maskable_ppo")).script == "sb3"
    assert TrainingScript(Path("one_play_poker/sarsa")).script == "tabular"
    several = tmp_path / "mine.toml"
    several.write_text('env_id = "OnePlayPoker-v0"\n')
    with pytest.raises(CardgymError, match="name one with --script"):
        TrainingScript(several)
    assert TrainingScript(several, "ppo").script == "ppo"
    several.write_text("total_steps = 1000\n")
    with pytest.raises(CardgymError, match="names no game"):
        TrainingScript(several, "ppo")
    several.write_text("nonsense = 1\n")
    with pytest.raises(CardgymError, match="unknown key 'nonsense'"):
        TrainingScript(several)


@pytest.mark.parametrize(("script", "flag"), [("dqn", "--resume"), ("sb3", "--restart")])
def test_interrupted_training_resumes_or_restarts(monkeypatch: pytest.MonkeyPatch, script: str, flag: str) -> None:
    monkeypatch.setattr(launch, "run_program", lambda words, *_, **__: words)
    command: object = launch.train(script, ["--seed", "2"], "folder")
    assert command == ["-m", "cardgym", "train", script, "--seed", "2", "--out", "folder", flag]
