"""Hyper-parameters: their files and flags, and one line for whatever is wrong."""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

from cardgym import find
from cardgym.engine.contract import Game
from cardgym.errors import CardgymError
from cardgym.experiments.league import LeagueConfig
from cardgym.interop.sb3_config import SB3Config
from cardgym.learn.config import GameConfig, Items, RunArgs, TrainingConfig, parse_run, read_config
from cardgym.learn.config_files import BASE
from cardgym.learn.distill import DistillConfig
from cardgym.learn.dqn import DQNConfig
from cardgym.learn.nfsp import NFSPConfig
from cardgym.learn.opponents import SELF, SNAPSHOT, OpponentPool
from cardgym.learn.ppo import PPOConfig
from cardgym.learn.run import run_name
from cardgym.learn.tabular import TabularConfig
from cardgym.papers.corellian_spike.batch_q import BatchQConfig
from cardgym.papers.cribbage.training import ExpertsConfig
from cardgym.players import resolve
from learning_game import ROOT

CONFIGS = sorted((ROOT / "configs").glob("*/*.toml"))


KINDS: list[type[TrainingConfig]] = [
    DQNConfig, NFSPConfig, PPOConfig, DistillConfig, TabularConfig, SB3Config, LeagueConfig, ExpertsConfig,
    BatchQConfig,
]  # fmt: skip
"""The classes of hyper-parameters of all training scripts, those of the papers included."""


def kind_of(path: Path) -> type[TrainingConfig]:
    """The class of the hyper-parameters in one of the project's config files."""
    values = tomllib.loads(path.read_text())
    if BASE in values:
        return kind_of(path.with_name(values[BASE]))
    keys = set(values)
    for kind in KINDS:
        if keys <= set(kind.model_fields) and read_config(kind, path).algorithm_name in path.stem:
            return kind
    raise AssertionError(f"{path} is not the config of any script")


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


class PairConfig(TrainingConfig):
    """A config with a list of limited length."""

    pair: Annotated[Items[str], Field(min_length=1, max_length=2)] = ("a",)
    """One or two words."""


def refusal(kind: type[TrainingConfig], *words: str) -> str:
    """The one-line error for a command line."""
    with pytest.raises(CardgymError) as caught:
        parse_run(kind, words, "script.py")
    assert str(caught.value).isprintable()
    return str(caught.value)


# -- reading ----------------------------------------------------------------------------------------------------------


def test_flags_override_the_file(tmp_path: Path) -> None:
    file = write(tmp_path / "x.toml", 'env_id = "A-v0"\ngamma = 0.5\nhidden_sizes = [8]\ndouble = false\n')
    words = f"--config {file} --gamma 0.25 --double --resume --opponents a=1 b --opponents c".split()
    config, run = parse_run(DQNConfig, words, "dqn.py")
    assert config == DQNConfig(env_id="A-v0", gamma=0.25, hidden_sizes=(8,), double=True, opponents=("a=1", "b", "c"))
    assert run == RunArgs(file, None, resume=True)
    assert parse_run(DQNConfig, [f"--config={file}", "--out=here"], "dqn.py")[0].gamma == 0.5


def test_flags_override_single_env_options(tmp_path: Path) -> None:
    file = write(tmp_path / "x.toml", 'env_options = {reward = "weighted", num_players = 4}\n')
    words = ["--config", str(file), "--env-options", "num_players=8", "hands=3"]
    config, _ = parse_run(DQNConfig, words, "dqn.py")
    assert config.env_options == {"reward": "weighted", "num_players": 8, "hands": 3}
    assert DQNConfig().env_options == {}


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["--learning-rate", "1e-3"], 1e-3),
        (["--learning-rate=1"], 1.0),
        (["--seat", "-1"], -1),
        (["--hidden-sizes", "8", "16"], (8, 16)),
        (["--eval-opponents"], ()),
        (["--no-double"], False),
        (["--device", "auto"], "auto"),
    ],
)
def test_words_are_parsed_to_the_type_of_the_field(words: list[str], value: Any) -> None:
    config, _ = parse_run(DQNConfig, words, "dqn.py")
    name = words[0].removeprefix("--no-").removeprefix("--").partition("=")[0].replace("-", "_")
    assert getattr(config, name) == value
    assert type(getattr(config, name)) is type(value)


@pytest.mark.parametrize("kind", KINDS)
def test_help_documents_every_hyper_parameter(kind: type[TrainingConfig], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        parse_run(kind, ["--help"], "script.py")
    assert not stop.value.code
    text = " ".join(capsys.readouterr().out.split())
    for name, field in kind.model_fields.items():
        assert f"--{name.replace('_', '-')}" in text
        assert " ".join((field.description or "").split()) in text


def test_help_shows_the_values_of_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "x.toml", "gamma = 0.125\nhidden_sizes = [7, 9]\n")
    with pytest.raises(SystemExit):
        parse_run(DQNConfig, ["--config", str(file), "--help"], "dqn.py")
    text = capsys.readouterr().out
    assert "(0.125)" in text
    assert "(7 9)" in text


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_configs_of_the_project_can_be_read(path: Path) -> None:
    config = read_config(kind_of(path), path)
    options = find(config.env_id).parse_options(getattr(config, "env_options", {}))
    assert options.num_players >= 1
    if isinstance(config, GameConfig):
        for name in {*OpponentPool.parse(config.opponents, 1).specs, *config.eval_opponents} - {SELF, SNAPSHOT}:
            resolve(name, find(config.env_id), options)
    assert config.algorithm_name in path.stem


def test_config_overrides_its_base(tmp_path: Path) -> None:
    (tmp_path / "first.toml").write_text("gamma = 0.5\nnum_envs = 7\n")
    (tmp_path / "second.toml").write_text('base = "first.toml"\ngamma = 0.25\n')
    config = read_config(DQNConfig, tmp_path / "second.toml")
    assert (config.gamma, config.num_envs) == (0.25, 7)


# -- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        ("gama = 0.9", "unknown key 'gama': did you mean 'gamma'?"),
        ("learning-rate = 0.1", "did you mean 'learning_rate'?"),
        ("gamma = 'high'", "gamma='high': allowed: a number from 0 to 1"),
        ("gamma = 1.5", "gamma=1.5: allowed: a number from 0 to 1"),
        ("gamma = true", "gamma=True"),
        ("num_envs = 1.5", "num_envs=1.5: allowed: a whole number from 1 to 1,000,000"),
        ("num_envs = 1000001", "1 to 1,000,000"),
        ("num_envs = '64'", "num_envs='64'"),
        ("num_envs = true", "num_envs=True"),
        ("double = 1", "double=1: allowed: true or false"),
        ("hidden_sizes = ['8']", "hidden_sizes=['8']: allowed: a list of 1 to 64 values, each a whole number"),
        ("hidden_sizes = [0]", "hidden_sizes=[0]"),
        ("hidden_sizes = []", "hidden_sizes=[]"),
        ("opponents = 'random'", "opponents='random': allowed: a list of values, each a string"),
        ("batch_size = 0", "batch_size=0: allowed: a whole number from 1 to 1,000,000"),
        ("total_steps = 'many'", "total_steps='many': allowed: a whole number from 1 to 1,000,000,000,000"),
        ("num_iterations = 50", "unknown key 'num_iterations': is it a config of another script?"),
        ("exploration = 'legal'", "unknown key 'exploration': is it a config of another script?"),
        ("learning_rate = nan", "learning_rate=nan: allowed: a number above 0"),
        ("learning_rate = inf", "learning_rate=inf"),
        ("learning_rate = 1.5", "learning_rate=1.5: allowed: a number above 0 and at most 1"),
        ("seed = -1", "seed=-1: allowed: a whole number from 0 to 9,223,372,036,854,775,807"),
        ("seed = 9223372036854775808", "from 0 to 9,223,372,036,854,775,807"),
        ("device = 'tpu'", "device='tpu': did you mean 'cpu'? allowed: cpu, cuda, auto"),
        ("env_options = ['num_players=4']", "a table of names and values, such as {num_players = 4}"),
        ("gamma = ", "TOML"),
        ("gamma = 2\ngama = 1", "unknown key 'gama'"),
    ],
)
def test_bad_file_is_refused_in_one_line(tmp_path: Path, text: str, needle: str) -> None:
    file = write(tmp_path / "bad.toml", text)
    message = refusal(DQNConfig, "--config", str(file))
    assert needle in message
    assert str(file) in message


LONG = "/".join(["a-folder"] * 20)


@pytest.mark.parametrize("columns", ["40", "117"])
@pytest.mark.parametrize(
    ("kind", "words", "needle"),
    [
        (DQNConfig, ["--gama", "0.9"], "unknown option '--gama': did you mean '--gamma'? --help lists all"),
        (DQNConfig, ["--learning_rat=3"], "did you mean '--learning-rate'?"),
        (DQNConfig, ["--resum"], "did you mean '--resume'?"),
        (DQNConfig, ["--qqqq", "1"], "unknown option '--qqqq': --help lists all"),
        (DQNConfig, ["--gamma", "high"], "gamma='high': allowed: a number from 0 to 1"),
        (DQNConfig, ["--gamma", "1.5"], "gamma=1.5: allowed: a number from 0 to 1"),
        (DQNConfig, ["--gamma", "nan"], "gamma=nan"),
        (DQNConfig, ["--seed"], "argument --seed: expected one argument (see script.py --help)"),
        (DQNConfig, ["stray"], "stray"),
        (DQNConfig, ["--config", "no/such.toml"], "config no/such.toml: no such file"),
        (DQNConfig, ["--config"], "argument --config: expected one argument"),
        (DQNConfig, ["--device", "tpu"], "cpu, cuda, auto"),
        (DQNConfig, ["--hidden-sizes"], "hidden_sizes=[]: allowed: a list of 1 to 64 values"),
        (DQNConfig, ["--hidden-sizes", "12", "x"], "hidden_sizes=[12, 'x']"),
        (
            DQNConfig,
            ["--total-steps", LONG],
            f"total_steps='{LONG}': allowed: a whole number from 1 to 1,000,000,000,000",
        ),
        (DQNConfig, ["--env-options", "turns"], "write it as name=value"),
        (DQNConfig, ["--env-options", "turns=2", "turns=3"], "'turns' is named twice"),
        (DQNConfig, ["--tau", "0"], "tau=0.0: allowed: a number above 0 and at most 1"),
        (TabularConfig, ["--algorithm", "qlearnin"], "did you mean 'q_learning'? allowed: q_learning, sarsa"),
        (
            PairConfig,
            ["--pair", "a", "b", "c"],
            "pair=['a', 'b', 'c']: allowed: a list of 1 to 2 values, each a string",
        ),
    ],
)
def test_bad_command_line_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, kind: type[TrainingConfig], words: list[str], needle: str, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert needle in refusal(kind, *words)


@pytest.mark.parametrize(
    ("words", "needle"),
    [
        (["dqn"], "dqn.py: name a game with --env-id or --config; known: "),
        (
            ["dqn", "--resume", "--out", "run"],
            "--resume needs the first command line too: name the game again with --config or",
        ),
        (["dqn", "--env-id", "Tiny-v0", "--env-options", "turn=3"], "did you mean 'turns'?"),
        (["dqn", "--env-id", "Tiny-v0", "--observation", "card"], "use plain"),
        (["league", "--env-id", "KuhnPoker-v0"], "a league needs the config of its responders' training"),
        (["league", "--env-id", "KuhnPoker-v0", "--trainer-options", "tua=1"], "unknown key 'tua' of dqn.py"),
    ],
)
def test_script_refuses_in_one_line_and_leaves_nothing(
    tiny: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Any, words: list[str], needle: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert needle in refused("train", *words)
    assert list(tmp_path.rglob("*")) == []


def test_folder_that_cannot_be_created_is_refused(tiny: Game, tmp_path: Path, refused: Any) -> None:
    (tmp_path / "file").write_text("")
    words = ["--env-id", "Tiny-v0", "--out", str(tmp_path / "file" / "run")]
    assert "cannot make the folder" in refused("train", "dqn", *words)


# -- names of runs, pages ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "file", "changes", "name"),
    [
        (DQNConfig, None, {}, "double_dqn-seed1"),
        (DQNConfig, None, {"double": False, "seed": 3}, "dqn-seed3"),
        (DQNConfig, "mine.toml", {}, "mine-seed1"),
    ],
)
def test_runs_are_named_after_their_file_and_algorithm(
    tmp_path: Path, kind: type[TrainingConfig], file: str | None, changes: dict[str, Any], name: str
) -> None:
    path = None if file is None else write(tmp_path / file, "")
    assert run_name(kind(**changes), path) == name


def test_page_of_the_configs_names_real_keys_and_the_classes_of_the_scripts() -> None:
    page = (ROOT / "docs/config.md").read_text()
    names = page.partition("| key | CleanRL | SB3 |")[2].partition("\n\n")[0]
    keys = {key for row in names.splitlines()[2:] for key in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert len(keys) > 20
    assert keys <= {name for kind in KINDS for name in kind.model_fields}
    assert all(f"{kind.__name__}`" in page for kind in KINDS if kind not in (ExpertsConfig, BatchQConfig))
