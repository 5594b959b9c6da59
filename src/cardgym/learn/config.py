"""Hyper-parameters: pydantic models whose values come from TOML files and from flags on the command line.

A training script's hyper-parameters are a subclass of `TrainingConfig`. Its fields are the keys of its config files
and the flags of its command line; their docstrings are the help. docs/config.md explains files and flags.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    ValidationError,
)

from cardgym.console.arguments import Parser, parse_assignments
from cardgym.errors import MAX_WHOLE, CardgymError, nearest, printable, quoted
from cardgym.files.documents import Items as Items
from cardgym.files.limits import MAX_GAMES, MAX_STEPS, duration
from cardgym.files.shipped import config_path
from cardgym.learn.config_files import read_values, short_repr

Share = Annotated[float, Field(ge=0, le=1)]
"""A number from 0 to 1."""
Steps = Annotated[int, Field(ge=1, le=MAX_STEPS, json_schema_extra={"per_second": 10_000_000})]
"""The length of a training; the error for too many steps says how long they would take."""
Games = Annotated[int, Field(ge=0, le=MAX_GAMES, json_schema_extra={"per_second": 1_000_000})]
"""A number of games; the error for too many games says how long they would take."""
LearningRate = Annotated[float, Field(gt=0, le=1)]
"""A step size of Adam, which moves a weight by about this much at each update."""
HiddenSizes = Annotated[Items[Annotated[int, Field(ge=1, le=65_536)]], Field(min_length=1, max_length=64)]
"""Units of each hidden layer."""
EnvOptions = dict[str, int | str]
"""Options of a game by name."""


class TrainingConfig(BaseModel):
    """Hyper-parameters of every training script.

    A config is frozen. Its values are validated when it is created and must have the type of their field: neither "1"
    nor true is a number, but 1 is a valid float. A subclass names its algorithm, after which runs are named.

    Raises:
        CardgymError: for an unknown key or a bad value, in one line.
    """

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )

    resumable: ClassVar[bool] = True
    """Whether an interrupted run can resume; if not, the script has `--restart` instead of `--resume`."""
    length: ClassVar[str] = "total_steps"
    """The key that says how long the training is, its last word in what; a run that resumes may be longer."""

    small_game_flags: ClassVar[tuple[str, ...]] = ()
    """Flags that come first where no config file is named and the game is small: other defaults."""

    env_id: str = ""
    """The game's id, as `cardgym games` lists it."""
    seed: Annotated[int, Field(ge=0, le=MAX_WHOLE)] = 1
    """The seed of everything random: weights, deals, opponents, exploration, samples."""
    save_every_minutes: Annotated[float, Field(ge=0)] = 0.0
    """Minutes between extra saves of the state to resume from; 0 for no extra saves."""

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise CardgymError(_summary(type(self), values, error)) from None

    @property
    def algorithm_name(self) -> str:
        """The algorithm's short name, such as `double_dqn`."""
        raise NotImplementedError

    def replace(self, **changes: Any) -> Self:
        """Return the config with the values of `changes`, checked again; raise `CardgymError` for a bad value."""
        return type(self)(**{**self.model_dump(), **changes})


class EvaluationConfig(TrainingConfig):
    """Evaluations and saving."""

    env_options: EnvOptions = {}
    """Options of the game, such as num_players=4."""
    eval_opponents: Items[str] = ("random",)
    """The opponents of evaluations; an empty list for no evaluations."""
    eval_every: NonNegativeInt = 200_000
    """Steps between evaluations; 0 for the final one only."""
    eval_games: Annotated[Games, Field(ge=1)] = 1000
    """Games against each opponent in an evaluation."""
    final_games: Games = 10_000
    """Games against each opponent in the final evaluation; 0 for none."""
    save_every: PositiveInt = 1_000_000
    """Steps between checkpoints, each saved with its state to resume from."""


class GameConfig(EvaluationConfig):
    """The game, and who plays it."""

    observation: str = ""
    """The observation to learn from; the game's default if empty."""
    opponents: Items[str] = ("random=1",)
    """Who plays the other seats, each as name=weight: players' names, paths, `./bot.py:choose`, or `self`;
    name=weight@from:to, such as random=1@0:0.3, for a part of the training."""
    seat: Annotated[int, Field(ge=-1)] = -1
    """The learner's seat, in evaluations too; -1 draws a seat for each game and evaluates from every seat."""
    total_steps: Steps = 1_000_000
    """How many decisions the learner takes, counted over all seats that learn. A decision is a step."""


class ExplorationConfig(TrainingConfig):
    """Exploration: epsilon-greedy, with an epsilon that falls linearly."""

    exploration_initial_eps: Share = 1.0
    """The share of random decisions at the start."""
    exploration_final_eps: Share = 0.05
    """The share of random decisions after epsilon has fallen."""
    exploration_fraction: Share = 0.5
    """The fraction of the training during which epsilon falls."""


class ReplayConfig(ExplorationConfig):
    """Deep Q-learning from a replay buffer."""

    double: bool = True
    """Double DQN: the online network chooses the next action, the target network values it."""
    buffer_size: PositiveInt = 200_000
    """Capacity of the replay buffer, in transitions."""
    learning_starts: NonNegativeInt = 10_000
    """Steps before the first update."""
    train_frequency: PositiveInt = 256
    """Steps between updates."""
    target_update_interval: PositiveInt = 100
    """Updates of the network between updates of the target network."""
    tau: Annotated[float, Field(gt=0, le=1)] = 1.0
    """How far an update moves the target network towards the network; 1 copies the weights."""


class Adam(NamedTuple):
    """How Adam steps: its step size at the start, its epsilon, and the norm that gradients are cut to; 0 for none."""

    learning_rate: float
    epsilon: float
    max_grad_norm: float = 0.0


class ParallelConfig(GameConfig):
    """Parallel games of a network against others or itself, and its step size."""

    opponents: Items[str] = ("random=1",)
    """Who plays the other seats, each as name=weight: players' names, paths, `self`, or `snapshot` for an earlier copy
    of the learner; name=weight@from:to, such as random=1@0:0.3, for a part of the training."""
    num_snapshots: PositiveInt = 4
    """How many earlier copies of the learner `snapshot` is drawn from."""
    snapshot_every: PositiveInt = 200_000
    """Steps between copies; each new copy replaces the oldest."""
    num_envs: Annotated[int, Field(ge=1, le=1_000_000)] = 512
    """How many games are played in parallel; the network decides in all of them at once."""
    device: Literal["cpu", "cuda", "auto"] = "cpu"
    """Where the network learns; auto is cuda if there is a GPU."""
    hidden_sizes: HiddenSizes = (128, 128)
    """Units of each hidden layer."""
    learning_rate: LearningRate = 1e-3
    """Adam's step size at the start."""
    learning_rate_final: Share = 1e-3
    """Adam's step size at the end; it falls linearly."""
    eval_games: Annotated[Games, Field(ge=1)] = 500
    save_every: PositiveInt = 500_000
    log_every: NonNegativeInt = 50_000
    """Steps between entries in TensorBoard; 0 for none."""


class NetworkConfig(ParallelConfig):
    """What else the networks of cardgym's own learners take."""

    team: bool = False
    """One opponent sits in each game, and the learner in all other seats, which share what they win."""
    reward_scale: PositiveFloat = 1.0
    """Rewards are multiplied by this; values are learned best if they are about 1."""
    init_from: str = ""
    """A checkpoint of the same kind of network to start from; new weights if empty."""
    wide: bool = False
    """Also connect the observation directly to the last layer."""
    adam_epsilon: PositiveFloat = 1e-8
    """Adam's epsilon."""
    max_grad_norm: NonNegativeFloat = 0.0
    """Longer gradients are scaled down to this norm; 0 for no limit."""

    @property
    def adam(self) -> Adam:
        """How the network's weights step."""
        return Adam(self.learning_rate, self.adam_epsilon, self.max_grad_norm)


C = TypeVar("C", bound=TrainingConfig)


@dataclass(frozen=True)
class RunArgs:
    """The config file and the folder of a run; without a folder, a new one below `runs/`.

    `resume` continues the run in that folder; `restart` starts over a run that cannot resume. With `follow`, a run that
    another process started saves and ends with that process, which keeps its standard input open.
    """

    config: Path | None = None
    out: Path | None = None
    resume: bool = False
    restart: bool = False
    follow: bool = False


# -- files and the command line ---------------------------------------------------------------------------------------


def read_config(kind: type[C], path: Path) -> C:
    """Return a config, an object of `kind`, from a TOML file; keys that are not in the file keep their defaults.

    A file's `base` names another file in the same folder, or a config that comes with cardgym; its values replace the
    defaults. Relative paths start in the folder of the file that has them, or else in the current one.

    Raises:
        CardgymError: where the file cannot be read, for an unknown key, and for a bad value.
    """
    try:
        return kind(**read_values(path))
    except CardgymError as error:
        what = str(error)
        raise CardgymError(what if what.startswith("config ") else f"config {path}: {what}") from None


def parse_run(kind: type[C], words: Sequence[str], script: str) -> tuple[C, RunArgs]:
    """Read the hyper-parameters and the `RunArgs` from the command line.

    `--config` sets the hyper-parameters from a file (see `cardgym.files.shipped.config_path`); a flag for each field
    changes one. `--help` prints them all and exits.

    Args:
        kind: the class of the hyper-parameters; its docstring opens the help.
        words: the words of the command line after the script's name.
        script: the script's name, such as `dqn.py`.

    Raises:
        CardgymError: for an unknown key or flag, naming the nearest, for a bad value, and for `--resume` with a script
            that cannot resume.
    """
    early = Parser(script, None, add_help=False)
    _add_config(early)
    named = early.parse_known_args(words)[0].config
    path = None if named is None else config_path(named)
    config = kind() if path is None else read_config(kind, path)

    again = "--resume" if kind.resumable else "--restart"
    usage = f"{script} [--config FILE] [--out FOLDER] [{again}] [--KEY VALUE] ..."
    parser = Parser(script, kind.__doc__, usage=usage)
    run = parser.add_argument_group("The run")
    _add_config(run)
    run.add_argument("--out", metavar="FOLDER", type=Path, help="the run's folder; a new one below runs/ by default")
    resuming = (
        "continue the run in --out, or the latest one, from its last saved state, or start it if there is none. Repeat "
        "the rest of the first command line"
    )
    run.add_argument("--resume", action="store_true", help=resuming if kind.resumable else argparse.SUPPRESS)
    if not kind.resumable:
        run.add_argument("--restart", action="store_true", help="train from the start in a folder that has a run")
    run.add_argument("--follow", action="store_true", help=argparse.SUPPRESS)
    groups = {TrainingConfig: run}
    properties = kind.model_json_schema()["properties"]
    for name, owner in _owners(kind).items():
        if owner not in groups:
            groups[owner] = parser.add_argument_group((owner.__doc__ or "").partition("\n")[0].rstrip("."))
        help = properties[name].get("description") or owner.model_fields[name].description or ""
        _add_flag(groups[owner], name, properties[name], getattr(config, name), help.replace("%", "%%"))
    given = vars(parser.parse_args(words))
    del given["config"]
    run_args = RunArgs(path, **{name: given.pop(name, False) for name in ("out", "resume", "restart", "follow")})
    if run_args.resume and not kind.resumable:
        raise CardgymError(
            "this script cannot resume a run; train from the start in another folder, or with --restart in the same one"
        )
    for name in given:
        if properties[name]["type"] == "object":
            changes = {key: _as(int, word) for key, word in parse_assignments(given[name]).items()}
            given[name] = {**getattr(config, name), **changes}
    return config.replace(**given), run_args


def _add_config(parser: argparse._ActionsContainer) -> None:
    help = "a TOML file of these values, or the name of one that comes with cardgym; a flag changes one"
    parser.add_argument("--config", metavar="FILE", type=Path, help=help)


def _owners(kind: type[TrainingConfig]) -> dict[str, type[TrainingConfig]]:
    """Return the class that first declares each field, with its help; the fields of a base class first."""
    owners: dict[str, type[TrainingConfig]] = {}
    for owner in reversed(kind.__mro__):
        if issubclass(owner, TrainingConfig):
            owners |= {name: owner for name in owner.model_fields if name not in owners}
    return owners


def _add_flag(group: argparse._ArgumentGroup, name: str, schema: Mapping[str, Any], default: Any, help: str) -> None:
    """Add the flag of a field. Without it on the command line the parser returns nothing for the field."""
    flag = f"--{name.replace('_', '-')}"
    if default := str(default).lower() if isinstance(default, bool) else " ".join(words_of(default)):
        help += f" ({default})"
    if schema["type"] == "boolean":
        group.add_argument(flag, default=argparse.SUPPRESS, action=argparse.BooleanOptionalAction, help=help)
        return
    item = schema.get("items", schema)
    metavar = f"{{{','.join(item['enum'])}}}" if "enum" in item else _METAVARS[item["type"]]
    several: dict[str, Any] = {"nargs": "*", "action": "extend"} if schema["type"] in ("array", "object") else {}
    parse = _PARSERS.get(item["type"], str)
    group.add_argument(flag, default=argparse.SUPPRESS, metavar=metavar, type=parse, help=help, **several)


def words_of(value: Any) -> list[str]:
    """Return a value as the words that its flag takes."""
    if isinstance(value, Mapping):
        return [f"{name}={item}" for name, item in value.items()]
    return [str(item) for item in (value if isinstance(value, tuple | list) else [value])]


def _as(kind: type[int] | type[float], word: str) -> float | str:
    """Return a word as a number; unchanged if it is not one, so that the config says what is allowed."""
    with contextlib.suppress(ValueError):
        return kind(word)
    return word


_METAVARS = {"integer": "N", "number": "X", "string": "NAME", "object": "NAME=VALUE"}
_PARSERS: dict[str, Callable[[str], Any]] = {"integer": partial(_as, int), "number": partial(_as, float)}


# -- errors -----------------------------------------------------------------------------------------------------------


def _summary(kind: type[TrainingConfig], values: Mapping[str, Any], error: ValidationError) -> str:
    """Return what is wrong, in one line; an unknown key before a bad value."""
    first = min(error.errors(), key=lambda problem: problem["type"] != "extra_forbidden")
    name = str(first["loc"][0])
    if first["type"] == "extra_forbidden":
        hint = nearest(name, kind.model_fields, cutoff=0.75) or "is it a config of another script? "
        return f"unknown key {quoted(name)}: {hint}`--help` of the script lists all"
    value = values[name]
    schema = kind.model_json_schema()["properties"][name]
    hint = nearest(value, schema["enum"]) if "enum" in schema else ""
    if "per_second" in schema and isinstance(value, int) and value > schema["maximum"]:
        hint = f"that would take {duration(value, schema['per_second'])}; "
    return f"{name}={printable(short_repr(value))}: {hint}allowed: {_allowed(schema)}"


def _allowed(schema: Mapping[str, Any]) -> str:
    """Return what a field's JSON schema allows, in words."""
    if choices := schema.get("enum") or ([schema["const"]] if "const" in schema else []):
        return ", ".join(choices)
    if schema["type"] == "array":
        least, most = (schema.get(limit) for limit in ("minItems", "maxItems"))
        size = f" {least or 0} to {most}" if most else f" {least} or more" if least else ""
        return f"a list of{size} values, each {_allowed(schema['items'])}"
    if schema["type"] == "object":
        return "a table of names and values, such as {num_players = 4}"
    if "minimum" in schema and "maximum" in schema:
        return f"{_KINDS[schema['type']]} from {schema['minimum']:,} to {schema['maximum']:,}"
    limits = [f"{words} {schema[limit]:,}" for limit, words in _LIMITS.items() if limit in schema]
    return " ".join([_KINDS[schema["type"]], " and ".join(limits)]).rstrip()


_KINDS = {"integer": "a whole number", "number": "a number", "boolean": "true or false", "string": "a string"}
_LIMITS = {"minimum": "of at least", "exclusiveMinimum": "above", "maximum": "at most", "exclusiveMaximum": "below"}
