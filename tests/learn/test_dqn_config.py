"""Hyper-parameters: files, flags, and one line for what is wrong."""

from __future__ import annotations

import dataclasses
import io
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from learning_game import ROOT, SCRIPT

from cardgym import find
from cardgym.errors import CardgymError
from cardgym.games.corellian_spike.batch_q.learner import BatchQConfig
from cardgym.learn.config import DQNConfig, config_from, parse_run, read_config
from cardgym.learn.resume import load_state, save_state
from cardgym.learn.rollouts import Mix
from cardgym.learn.tabular.learner import TabularConfig

CONFIGS = sorted((ROOT / "configs").glob("*/*dqn.toml"))


def lines(told: str) -> list[str]:
    """What was told, but for the word that a game is being compiled."""
    return [line for line in told.splitlines() if not line.startswith("cardgym: compiling")]


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_flags_change_what_the_file_says(tmp_path):
    file = write(
        tmp_path / "x.toml", 'env = "CorellianSpike-v0"\ngamma = 0.5\nhidden = [8]\nset = ["hands=3"]\ndouble = false\n'
    )
    config, place = parse_run(DQNConfig, ["--config", str(file), "--gamma", "0.25", "--double", "--resume"], "")
    assert config == DQNConfig(env="CorellianSpike-v0", gamma=0.25, hidden=(8,), set=("hands=3",), double=True)
    assert (place.config, place.out, place.resume) == (file, None, True)
    assert parse_run(DQNConfig, [f"--config={file}"], "")[0].gamma == 0.5


def test_without_a_file_the_defaults_hold():
    assert parse_run(DQNConfig, [], "")[0] == DQNConfig()


def test_every_hyper_parameter_is_documented(capsys):
    with pytest.raises(SystemExit) as stop:
        parse_run(DQNConfig, ["--help"], "Trains.")
    assert not stop.value.code
    told = capsys.readouterr().out
    for field in dataclasses.fields(DQNConfig):
        assert f"--{field.name.replace('_', '-')}" in told
    assert "Adam's step size at the start" in " ".join(told.split())


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_config_of_the_project_can_be_read(path):
    config = read_config(DQNConfig, path)
    find(config.env)
    Mix.parse(config.opponents)
    assert config.double == ("double_dqn" in path.stem)


def test_the_two_spike_configs_differ_in_the_algorithm_alone():
    double, single = (
        tomllib.loads((ROOT / f"configs/corellian_spike/{name}.toml").read_text()) for name in ("double_dqn", "dqn")
    )
    assert {key for key in {*double, *single} if double.get(key) != single.get(key)} == {"double"}


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        ("gama = 0.9", "did you mean 'gamma'?"),
        ("learning-rate = 0.1", "did you mean 'learning_rate'?"),
        ("gamma = 'high'", "gamma='high'"),
        ("gamma = 1.5", "0 to 1"),
        ("tables = 1.5", "tables=1.5"),
        ("double = 1", "double=1"),
        ("hidden = ['8']", "hidden"),
        ("hidden = [0]", "hidden"),
        ("opponents = 'random'", "opponents"),
        ("batch_size = 0", "1 or more"),
        ("decisions = 'many'", "decisions='many': give an int, such as 1000000"),
        ("iterations = 50", "unknown key 'iterations': is it a config of another script?"),
        ("exploration = 'legal'", "unknown key 'exploration': is it a config of another script?"),
        ("learning_rate = nan", "learning_rate"),
        ("seed = -1", "0 to 2^63 - 1"),
        ("seed = 9223372036854775808", "0 to 2^63 - 1"),
        ("tables = 1000001", "1 to 1,000,000"),
        ("hidden = []", "one or more layers"),
        ("device = 'tpu'", "cpu, cuda, auto"),
        ("gamma = ", "TOML"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(tmp_path, text, needle):
    file = write(tmp_path / "bad.toml", text)
    with pytest.raises(CardgymError) as caught:
        parse_run(DQNConfig, ["--config", str(file)], "")
    assert needle in str(caught.value)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "needle"),
    [
        (["--gama", "0.9"], "did you mean '--gamma'?"),
        (["--learning_rat=3"], "did you mean '--learning-rate'?"),
        (["--resum"], "did you mean '--resume'?"),
        (["--gamma", "high"], "high"),
        (["--gamma", "1.5"], "gamma=1.5: allowed: 0 to 1"),
        (["--seed"], "--seed"),
        (["stray"], "'stray'"),
        (["--config", "no/such.toml"], "no such file"),
        (["--device", "tpu"], "cpu, cuda, auto"),
        (["--qqqq", "1"], "unknown option '--qqqq': --help lists all"),
    ],
)
def test_a_bad_command_line_is_refused_in_one_line(words, needle):
    with pytest.raises(CardgymError) as caught:
        parse_run(DQNConfig, words, "")
    assert needle in str(caught.value)
    assert "\n" not in str(caught.value)


LONG = "/".join(["a-folder"] * 20)


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "pipe"])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("columns", [40, 80, 117])
@pytest.mark.parametrize(
    ("kind", "words", "expected"),
    [
        (BatchQConfig, ["--state", "card"], "unknown state 'card': did you mean 'cards'? known: cards, code, spikes"),
        (
            TabularConfig,
            ["--algorithm", "qlearnin"],
            "unknown algorithm 'qlearnin': did you mean 'q_learning'? known: q_learning, sarsa",
        ),
        (DQNConfig, ["--hidden"], "hidden=(): allowed: one or more layers of 1 or more units"),
        (DQNConfig, ["--decisions", LONG], f"base 10: '{LONG}'; use: --decisions INT"),
        (DQNConfig, ["--hidden", "12", "x"], "arguments: ['12', 'x']; use: --hidden [INT [INT ...]]"),
        (DQNConfig, ["--seed"], "Missing value for argument '--seed'."),
    ],
)
def test_a_message_is_told_in_full_whatever_the_terminal(
    monkeypatch, kind, words, expected, columns, observation_name, terminal
):
    class Screen(io.TextIOWrapper):
        def isatty(self):
            return terminal

    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys, "stdout", Screen(io.BytesIO(), observation_name=observation_name))
    with pytest.raises(CardgymError) as caught:
        parse_run(kind, words, "")
    told = str(caught.value)
    assert expected in told
    assert told.isprintable()


@pytest.mark.parametrize(
    ("words", "needle"),
    [
        ([], "dqn.py: name a game with --env or --config; known: "),
        (["--resume", "--out", "run"], "--resume needs the first command line too: name its game with --config or"),
        (["--env", "CorellianSpik-v0"], "did you mean 'CorellianSpike-v0'?"),
        (["--env", "Tiny-v0", "--set", "turn=3"], "did you mean 'turns'?"),
        (["--env", "Tiny-v0", "--set", "turns"], "name=value"),
        (["--env", "Tiny-v0", "--set", "turns=99"], "turns='99'"),
        (["--env", "Tiny-v0", "--opponents", "perfct"], "did you mean 'perfect'?"),
        (["--env", "Tiny-v0", "--eval-opponents", "perfct"], "did you mean 'perfect'?"),
        (["--env", "Tiny-v0", "--observation", "plan"], "did you mean 'plain'?"),
        (["--env", "CorellianSpike-v0", "--observation", "paper"], "use full"),
        (["--env", "Tiny-v0", "--replay-capacity", "100000000000000"], "replay_capacity"),
    ],
)
def test_the_script_refuses_in_one_line_and_leaves_nothing(dqn, tiny, tmp_path, monkeypatch, capsys, words, needle):
    monkeypatch.chdir(tmp_path)
    assert dqn.main(words) == 2
    (told,) = lines(capsys.readouterr().err)
    assert needle in told
    assert list(tmp_path.rglob("*")) == []


def test_a_folder_that_cannot_be_made(dqn, tiny, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert dqn.main(["--env", "Tiny-v0", "--out", str(tmp_path / "file" / "run")]) == 2
    (told,) = lines(capsys.readouterr().err)
    assert "cannot make the folder" in told


@pytest.mark.parametrize(
    ("words", "needle"),
    [
        (["--gama", "0.9"], "did you mean '--gamma'?"),
        (["--env", "CorellianSpike-v0", "--opponents", "nobody.safetensors"], "no such file"),
    ],
)
def test_the_shell_sees_one_line_and_exit_code_2(words, needle, tmp_path):
    run = subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert run.returncode == 2
    (told,) = lines(run.stderr)
    assert needle in told
    assert run.stdout == ""


def test_states_hold_plain_values_and_nothing_else(tmp_path):
    import torch

    path = tmp_path / "state.pt"
    save_state(path, {"a": torch.arange(3), "b": [1, 2.5, "c", None], "d": {"e": True}})
    state = load_state(path)
    assert state["a"].tolist() == [0, 1, 2]
    assert (state["b"], state["d"]) == ([1, 2.5, "c", None], {"e": True})
    torch.save({"path": Path("x")}, path)
    with pytest.raises(CardgymError, match="no state to resume from"):
        load_state(path)
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(CardgymError, match="no state to resume from"):
        load_state(path)


def test_a_config_comes_back_from_plain_values():
    config = DQNConfig(env="x", hidden=(3, 4), opponents=("a=1",))
    assert config_from(DQNConfig, dataclasses.asdict(config)) == config


def test_the_page_of_the_algorithm_has_every_hyper_parameter():
    page = (ROOT / "docs/algorithms/dqn.md").read_text()
    for field in dataclasses.fields(DQNConfig):
        assert f"| `{field.name}` |" in page
