"""Hyper-parameters: frozen dataclasses, with TOML files for defaults and the command line on top."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import glob
import io
import re
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import tyro

from cardgym.errors import CardgymError

C = TypeVar("C")

STATE_FILE = "resume.pt"
"""The file of a run's folder that it can be resumed from."""


@dataclass(frozen=True)
class DQNConfig:
    """Deep Q-learning of one seat of a card game, against a mix of opponents."""

    env: str = ""
    """The game's id, such as CorellianSpike-v0."""
    set: tuple[str, ...] = ()
    """Options of the game, each as name=value, such as num_players=4."""
    observation: str = ""
    """The observation to learn from; the game's default if empty."""
    seed: int = 1
    """Decides everything: weights, deals, opponents, exploration, samples."""
    device: str = "cpu"
    """Where the network learns: cpu, cuda, or auto for cuda where there is one."""

    decisions: int = 1_000_000
    """How many decisions the learner takes."""
    tables: int = 512
    """How many games are played side by side; all their decisions are taken in one batch."""
    opponents: tuple[str, ...] = ("random=1",)
    """Who sits opposite, as name=weight: players' names, paths, `self`, or `snapshot` for an earlier copy."""
    seat: int = -1
    """The learner's seat, in evaluations too; -1 draws it anew for each game and evaluates from all."""
    snapshots: int = 4
    """How many earlier copies of the learner `snapshot` is drawn from."""
    snapshot_every: int = 200_000
    """Decisions from one copy to the next; each replaces the oldest."""

    double: bool = True
    """Double DQN: the online network chooses the next action, the target network judges it."""
    dueling: bool = False
    """A network of state value and advantages."""
    wide: bool = False
    """Weights straight from the observation to the values, beside those through the hidden layers."""
    hidden: tuple[int, ...] = (128, 128)
    """Units of each hidden layer."""
    gamma: float = 0.99
    """Discount from one of the learner's decisions to its next."""
    n_step: int = 1
    """Over how many of its decisions rewards are summed before the target network's judgement."""
    reward_scale: float = 1.0
    """What rewards are multiplied by; Huber's loss turns from square to linear at an error of 1."""
    epsilon_start: float = 1.0
    """The share of random decisions at the start."""
    epsilon_end: float = 0.05
    """The share of random decisions from `epsilon_share` of the training on."""
    epsilon_share: float = 0.5
    """The share of the training in which epsilon falls, in a straight line."""
    replay_capacity: int = 200_000
    """How many transitions are kept."""
    learning_starts: int = 10_000
    """Decisions before the first update."""
    train_every: int = 256
    """Decisions from one update to the next."""
    batch_size: int = 512
    """Transitions an update learns from."""
    learning_rate: float = 1e-3
    """Adam's step size at the start."""
    learning_rate_end: float = 1e-3
    """Adam's step size at the end; it falls in a straight line."""
    adam_epsilon: float = 1e-8
    """Adam's epsilon."""
    target_every: int = 100
    """Updates from one copying of the network into the target network to the next."""
    target_tau: float = 1.0
    """The share of the target network's weights that is replaced each time; 1 copies all of them."""
    max_gradient_norm: float = 0.0
    """Gradients longer than this are shortened to it; 0 leaves them."""

    eval_opponents: tuple[str, ...] = ("random",)
    """Whom the greedy learner is matched with as training goes."""
    eval_every: int = 200_000
    """Decisions from one evaluation to the next; 0 for none but the last."""
    eval_games: int = 500
    """Games against each opponent in an evaluation."""
    final_games: int = 10_000
    """Games against each opponent at the end; 0 for none."""
    log_every: int = 50_000
    """Decisions from one line in TensorBoard to the next."""
    save_every: int = 500_000
    """Decisions from one state to resume from, and checkpoint, to the next."""

    def __post_init__(self) -> None:
        for name in ("tables", "decisions", "snapshots", "snapshot_every", "n_step", "replay_capacity",
                     "train_every", "batch_size", "target_every", "eval_games", "log_every", "save_every"):  # fmt: skip
            _check(self, name, lambda value: value >= 1, "1 or more")
        _check(self, "tables", lambda value: value <= 1_000_000, "1 to 1,000,000")
        _check(self, "seed", lambda value: 0 <= value < 2**63, "0 to 2^63 - 1")
        for name in ("learning_starts", "eval_every", "final_games", "max_gradient_norm"):
            _check(self, name, lambda value: value >= 0, "0 or more")
        _check(self, "seat", lambda value: value >= -1, "-1 or a seat")
        for name in ("gamma", "epsilon_start", "epsilon_end", "epsilon_share", "target_tau"):
            _check(self, name, lambda value: 0 <= value <= 1, "0 to 1")
        for name in ("reward_scale", "learning_rate", "adam_epsilon"):
            _check(self, name, lambda value: 0 < value < float("inf"), "more than 0")
        _check(self, "learning_rate_end", lambda value: 0 <= value < float("inf"), "0 or more")
        _check(
            self,
            "hidden",
            lambda value: value and all(units >= 1 for units in value),
            "one or more layers of 1 or more units",
        )
        _check(self, "device", lambda value: value in ("cpu", "cuda", "auto"), "cpu, cuda, auto")


def _check(config: Any, name: str, allowed: Callable[[Any], bool], words: str) -> None:
    value = getattr(config, name)
    if not allowed(value):
        raise CardgymError(f"{name}={value!r}: allowed: {words}")


@dataclass(frozen=True)
class Place:
    """Where the hyper-parameters come from and where the run goes."""

    config: Path | None = None
    """A TOML file of hyper-parameters; flags change single ones."""
    out: Path | None = None
    """The run's folder; by default a new one below runs/."""
    resume: bool = False
    """Go on with the run in its folder (the latest, if --out names none), from where it last saved its state;
    where nothing was saved, start anew. The rest of the command line has to be the same again."""


def parse_run(kind: type[C], words: Sequence[str], description: str) -> tuple[C, Place]:
    """Read `--config FILE`, `--out FOLDER`, `--resume` and a flag for each field of `kind` from the command line.

    Args:
        kind: a frozen dataclass with a docstring below each field.
        words: the command line, without the script's name.
        description: what `--help` says the script does.

    Raises:
        CardgymError: for an unknown key in the file or on the command line, naming the nearest, and for a bad value.
    """
    words = list(words)
    file = _value_of("--config", words)
    config = kind() if file is None else read_config(kind, Path(file))
    flags = dataclasses.make_dataclass(
        "Flags",
        [
            ("run", tyro.conf.OmitArgPrefixes[Place], dataclasses.field(default=Place())),
            ("settings", tyro.conf.OmitArgPrefixes[kind], dataclasses.field(default=config)),  # type: ignore
        ],
        frozen=True,
    )
    flags.__doc__ = description
    fields = [*dataclasses.fields(Place), *dataclasses.fields(kind)]  # type: ignore[arg-type]
    parsed = _tyro(flags, words, [f"--{field.name.replace('_', '-')}" for field in fields])
    return parsed.settings, parsed.run


def read_config(kind: type[C], path: Path) -> C:
    """A config from a TOML file; what it does not name stays as the dataclass has it.

    Raises:
        CardgymError: where the file cannot be read, or for an unknown key or a value of the wrong kind.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CardgymError(f"config {path}: no such file") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CardgymError(f"config {path}: cannot be read as TOML ({error})") from None
    try:
        return config_from(kind, values)
    except CardgymError as error:
        raise CardgymError(f"config {path}: {error}") from None


def config_from(kind: type[C], values: Mapping[str, Any]) -> C:
    """A config from names and plain values, as TOML or JSON holds them."""
    default = kind()
    known = [field.name for field in dataclasses.fields(default)]  # type: ignore[arg-type]
    checked: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise _unknown("key", name, known, "is it a config of another script?", "`--help` of the script lists all")
        checked[name] = _as(name, value, getattr(default, name))
    return dataclasses.replace(default, **checked)  # type: ignore[type-var]


def _as(name: str, value: Any, example: Any) -> Any:
    """`value` as the kind of thing that `example` is, or an error."""
    if isinstance(example, bool):
        if isinstance(value, bool):
            return value
    elif isinstance(example, int):
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    elif isinstance(example, float):
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    elif isinstance(example, tuple):
        inside = int if name == "hidden" else str
        if isinstance(value, list | tuple) and all(type(item) is inside for item in value):
            return tuple(value)
    elif isinstance(value, str):
        return value
    kind = "list" if isinstance(example, tuple) else type(example).__name__
    raise CardgymError(f"{name}={value!r}: give {'an' if kind == 'int' else 'a'} {kind}, such as {example!r}")


def _value_of(flag: str, words: list[str]) -> str | None:
    """The last value of a flag, as tyro will read it."""
    value = None
    for place, word in enumerate(words):
        if word == flag and place + 1 < len(words):
            value = words[place + 1]
        elif word.startswith(flag + "="):
            value = word.removeprefix(flag + "=")
    return value


def _tyro(flags: type[Any], words: list[str], known: list[str]) -> Any:
    """Parse with tyro; its boxed messages become one line."""
    told = io.StringIO()
    try:
        with contextlib.redirect_stderr(told):
            parsed, rest = tyro.cli(flags, args=words, description=flags.__doc__, return_unknown_args=True)
    except SystemExit as stop:
        if not stop.code:
            raise
        raise CardgymError(_message(told.getvalue())) from None
    if rest:
        flag = next((word for word in rest if word.startswith("--")), None)
        if flag is not None:
            raise _unknown("option", flag.partition("=")[0], known, "", "--help lists all")
        raise CardgymError(f"unexpected word {rest[0]!r} on the command line; --help tells what is known")
    return parsed


def _unknown(kind: str, name: str, known: Sequence[str], strange: str, otherwise: str) -> CardgymError:
    """The error for a key that is not known. There are too many to list: the nearest is enough, if one is near."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    hint = f"did you mean {near[0]!r}?" if near else strange
    return CardgymError(f"unknown {kind} {name!r}: {hint} {otherwise}".replace("  ", " "))


def _message(boxed: str) -> str:
    """The message inside the box that tyro draws, in one line.

    Below a title and down to the first rule stands what is wrong, then how the flag is used. On a terminal the box is
    coloured and as wide as this; where the output has no such characters it is drawn of spaces and hyphens.
    """
    rows = re.sub(r"\x1b\[[0-9;]*m", "", boxed).splitlines()[1:]
    parts: list[list[str]] = [[]]
    for row in rows:
        if not row.strip("│╰╯─- "):
            parts.append([])
        else:
            parts[-1].append(row.removesuffix(" │")[2:])
    parts = [part for part in parts if part]
    if not parts:
        return "the command line cannot be read; --help tells what is known"
    found = ""
    for row in parts[0]:
        tail, head = found.rpartition(" ")[2], row.partition(" ")[0]
        # A word longer than a row was cut in pieces; any other stands whole in its row.
        found += row.rstrip() if len(tail) + len(head) >= len(row) or not found else " " + row.rstrip()
    if len(parts) > 1 and parts[1][0].startswith("Argument helptext") and len(parts[1]) > 1:
        found += f"; use: {parts[1][1].strip()}"
    return found.removeprefix("Error parsing settings: ").removeprefix("Error parsing ")


def check_same(began: Mapping[str, Any], config: Any, path: Path) -> None:
    """A run goes on as it began.

    Raises:
        CardgymError: where `config` differs from the plain values it began with, or these are another script's.
    """
    strange = sorted(set(began) - {field.name for field in dataclasses.fields(config)})
    if strange:
        raise CardgymError(
            f"{path}: a run of another training script, or version, with a setting {strange[0]!r}; resume it with "
            "that, or name another folder with --out"
        )
    try:
        earlier = dataclasses.asdict(config_from(type(config), began))
    except CardgymError as error:
        raise CardgymError(f"{path}: no state of this training script ({error}); train from the start") from None
    for name, value in dataclasses.asdict(config).items():
        if earlier[name] != value:
            raise CardgymError(
                f"{path}: the run began with {name}={earlier[name]}, not {value}; resume it with the same"
            )


def run_folder(place: Place, env: str, name: str) -> Path:
    """Where a run goes: the folder named, or a new one `runs/<env>/<name>-<number>`; to resume, the latest of these.

    That there is nothing to resume is told on stderr and is no error: a loop may start a run with `--resume` too.

    Raises:
        CardgymError: where the folder named holds a run and is not to be resumed.
    """
    folder = _folder(place, env, name)
    saved = (folder / STATE_FILE).exists()
    if saved and not place.resume:
        raise CardgymError(f"{folder}: holds a run already; add --resume to go on with it, or name another")
    if place.resume and not saved:
        print(f"nothing to resume in {folder}: starting anew", file=sys.stderr)
    return folder


def _folder(place: Place, env: str, name: str) -> Path:
    if place.out is not None:
        return place.out
    runs = Path("runs") / env
    numbers = [path.name.removeprefix(f"{name}-") for path in runs.glob(f"{glob.escape(name)}-*")]
    latest = max((int(number) for number in numbers if number.isdecimal()), default=0)
    return runs / f"{name}-{max(latest + (not place.resume), 1)}"
