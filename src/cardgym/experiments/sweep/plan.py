"""What a sweep runs: one training script and config, with a grid of settings and several seeds."""

from __future__ import annotations

import hashlib
import importlib
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardgym.errors import CardgymError, nearest, quoted, unknown
from cardgym.files.shipped import config_path
from cardgym.learn.config import TrainingConfig, parse_run, read_config

SCRIPTS = {
    "dqn": "cardgym.learn.dqn.config:DQNConfig",
    "ppo": "cardgym.learn.ppo.config:PPOConfig",
    "nfsp": "cardgym.learn.nfsp.config:NFSPConfig",
    "tabular": "cardgym.learn.tabular.config:TabularConfig",
    "sb3": "cardgym.interop.sb3_config:SB3Config",
}
"""The training scripts, and the class of each one's hyper-parameters."""

MAX_SEED = 2**63 - 1
MAX_RUNS = 100_000

Setting = Mapping[str, str]
"""Keys of the config and their values, as flags of the command line take them: the items of a list between spaces."""


@dataclass(frozen=True)
class Run:
    """One run of a sweep.

    Attributes:
        name: its folder below the sweep's, such as `learning_rate=0.001/seed2`.
        words: the hyper-parameters' flags.
        settings: the values of the keys that the sweep sets, as the config has them.
        seed: its seed.
    """

    name: str
    words: tuple[str, ...]
    settings: Mapping[str, Any]
    seed: int

    @property
    def label(self) -> str:
        """The settings in words; runs that differ in the seed alone have the same."""
        return self.name.rpartition("/")[0]


class Trainer:
    """A training script with a config: what each run of a sweep starts from.

    Attributes:
        script: its name, such as `dqn`.
        config: the hyper-parameters without a sweep's settings.
    """

    def __init__(self, config: Path, script: str | None = None) -> None:
        """Read a config and find the script that it is for.

        Args:
            config: a TOML file, or the name of a config that comes with cardgym.
            script: the script; None finds it by the config's keys.

        Raises:
            CardgymError: for a config that cannot be read, or that no script or several scripts take.
        """
        self.path = config_path(config).resolve()
        if script is not None and script not in SCRIPTS:
            raise unknown("training script", script, SCRIPTS)
        self.script = script or _script_of(self.path)
        self.config = read_config(_kind(self.script), self.path)
        if not self.config.game_id:
            raise CardgymError(f"config {self.path}: names no game; add the key env_id")

    @property
    def steps(self) -> int:
        """How many steps the training has."""
        return int(self.config.model_dump()["total_steps"])

    def runs(self, setting: Setting, seeds: Sequence[int]) -> list[Run]:
        """The runs with these settings, one for each seed.

        Raises:
            CardgymError: for a key or a value that the config does not take.
        """
        words = [word for key, value in setting.items() for word in self._flag(key, value)]
        config = parse_run(type(self.config), ["--config", str(self.path), *words], f"{self.script}.py")[0]
        settings = {key: config.model_dump()[key] for key in setting}
        name = _folder_name(settings)
        return [
            Run(f"{name}/seed{seed}" if name else f"seed{seed}", (*words, "--seed", str(seed)), settings, seed)
            for seed in seeds
        ]

    def command(self, run: Run, config: Path, folder: Path) -> list[str]:
        """What Python runs: goes on with the run in its folder, or starts it."""
        return [
            *("-m", "cardgym", "train", self.script, "--config", str(config), *run.words),
            *("--out", str(folder), "--resume"),
        ]

    def _flag(self, key: str, value: str) -> list[str]:
        fields = type(self.config).model_fields
        if key not in fields:
            hint = nearest(key, fields) or f"`cardgym train {self.script} --help` lists all; "
            raise CardgymError(f"unknown key {quoted(key)} of {self.script}.py in the grid: {hint.rstrip('; ')}")
        if key == "seed":
            raise CardgymError("seed is no key of the grid; name seeds with --seeds")
        flag, current = key.replace("_", "-"), getattr(self.config, key)
        if isinstance(current, bool):
            if value not in ("true", "false"):
                raise CardgymError(f"{key}={quoted(value)}: allowed: true, false")
            return [f"--{flag}" if value == "true" else f"--no-{flag}"]
        return [f"--{flag}", *(value.split() if isinstance(current, tuple | dict) else [value])]


def runs_of(trainer: Trainer, grid: Mapping[str, Sequence[str]], seeds: Sequence[int]) -> list[Run]:
    """All runs of a sweep: each setting of the grid with each seed; every setting's first seed comes first.

    Raises:
        CardgymError: for a key or a value that the config does not take, and for values that are the same.
    """
    settings = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    if len(settings) * len(seeds) > MAX_RUNS:
        raise CardgymError(f"{len(settings) * len(seeds):,} runs: at most {MAX_RUNS:,} are allowed in one sweep")
    by_setting = [trainer.runs(setting, seeds) for setting in settings]
    runs = [run for same_seed in zip(*by_setting, strict=True) for run in same_seed]
    for run in _twice(runs):
        raise CardgymError(f"the grid has {run.label} twice; name each value once")
    return runs


def _twice(runs: Iterable[Run]) -> Iterator[Run]:
    names = set()
    for run in runs:
        if run.name in names:
            yield run
        names.add(run.name)


def parse_grid(words: Sequence[str]) -> dict[str, list[str]]:
    """The values of each key from words such as `learning_rate=1e-3,2e-3`.

    Raises:
        CardgymError: for a word of another form, or a key named twice.
    """
    grid: dict[str, list[str]] = {}
    for word in words:
        key, sign, values = word.partition("=")
        if not sign or not key or not all(value.strip() for value in values.split(",")):
            raise CardgymError(f"--grid {quoted(word)}: write KEY=VALUE,VALUE, such as learning_rate=1e-3,2e-3")
        if key in grid:
            raise CardgymError(f"--grid has {key} twice; name all of its values at once")
        grid[key] = [value.strip() for value in values.split(",")]
    return grid


def parse_seeds(text: str) -> list[int]:
    """The seeds from words such as `1-5` or `1,4,7-9`, in ascending order.

    Raises:
        CardgymError: for another form, numbers out of range, or too many.
    """
    seeds: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,30})\s*(?:-\s*(\d{1,30})\s*)?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise CardgymError(f"--seeds {quoted(text)}: write a range such as 1-5, or seeds such as 1,4,7-9")
        if last > MAX_SEED or last - first >= MAX_RUNS:
            raise CardgymError(
                f"--seeds {quoted(text)}: allowed are seeds from 0 to {MAX_SEED:,}, at most {MAX_RUNS:,} of them"
            )
        seeds.update(range(first, last + 1))
    return sorted(seeds)


def _kind(script: str) -> type[TrainingConfig]:
    module, _, name = SCRIPTS[script].partition(":")
    kind: type[TrainingConfig] = getattr(importlib.import_module(module), name)
    return kind


def _script_of(path: Path) -> str:
    """The script that a config is for: the one that takes its keys, or of several the one that its name tells."""
    configs, errors = {}, {}
    for script in SCRIPTS:
        try:
            configs[script] = read_config(_kind(script), path)
        except CardgymError as error:
            errors[script] = error
    if not configs:
        script = next((script for script in SCRIPTS if script in path.stem), "dqn")
        raise CardgymError(f"{errors[script]} (for {script}.py; name another script with --script)")
    named = [script for script, config in configs.items() if config.algorithm_name in path.stem]
    if len(configs) == 1 or len(named) == 1:
        return next(iter(configs)) if len(configs) == 1 else named[0]
    raise CardgymError(f"config {path}: fits {', '.join(configs)}; name one with --script")


def _folder_name(settings: Mapping[str, Any]) -> str:
    """A folder's name for settings, short and without characters that are special anywhere."""
    name = ",".join(f"{key}={_plain(value)}" for key, value in settings.items())
    name = re.sub(r"[^\w=,.+-]", "-", name)
    if len(name) > 120:
        name = f"{name[:100]}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
    return name


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return "+".join(f"{key}={item}" for key, item in value.items())
    return "+".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
