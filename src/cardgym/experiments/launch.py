"""Trainings in separate processes: a script, its flags and a folder."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardgym.errors import CardgymError, nearest, quoted, unknown
from cardgym.experiments.trainers import TRAINERS
from cardgym.files.shipped import config_path
from cardgym.learn import signals
from cardgym.learn.config import parse_run, read_config, words_of
from cardgym.learn.played import played
from cardgym.scaling.stopping import Stopped, held

LOG = "log.txt"
"""The file in a process's folder with its output."""
RESULTS = "results.json"
"""The file that a finished training writes to its folder."""

_POLL_SECONDS = 0.5

Setting = Mapping[str, str]
"""Keys of a config and their values as the command line takes them: the items of a list are separated by spaces."""


# -- what is trained --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """One training of a script: some options and a seed; `played` is the digest of its game and players."""

    name: str
    flags: tuple[str, ...]
    options: Mapping[str, Any]
    seed: int
    played: str = ""

    @property
    def label(self) -> str:
        """The options in words; runs that differ only in the seed share it."""
        return self.name.rpartition("/")[0]


class TrainingScript:
    """A training script with a config, from which runs are derived."""

    def __init__(self, config: Path, script: str | None = None) -> None:
        self.path = config_path(config).resolve()
        if script is not None and script not in TRAINERS:
            raise unknown("training script", script, TRAINERS)
        self.script = script or _script_of(self.path)
        self.config = read_config(TRAINERS[self.script]().config, self.path)
        if not self.config.env_id:
            raise CardgymError(f"config {self.path}: names no game; add the key env_id")

    @property
    def steps(self) -> int:
        return int(self.config.model_dump()["total_steps"])

    def runs(self, setting: Setting, seeds: Sequence[int], **changes: Any) -> list[Run]:
        """Get the runs with these options, one for each seed; `changes` are further values, not in the runs' names."""
        words = flags_of({key: self._value(key, value) for key, value in setting.items()})
        config = parse_run(type(self.config), ["--config", str(self.path), *words], f"{self.script}.py")[0]
        config = config.replace(**changes)
        options = {key: config.model_dump()[key] for key in setting}
        name, digest = _folder_name(options), played(config.model_dump())
        return [
            Run(
                f"{name}/seed{seed}" if name else f"seed{seed}",
                tuple(flags_of(config.replace(seed=seed).model_dump(mode="json"))), options, seed, digest,
            )
            for seed in seeds
        ]  # fmt: skip

    @property
    def about(self) -> dict[str, Any]:
        """What identifies a sweep's folder: the script and the hyper-parameters except the seed."""
        return {"script": self.script, "config": self.config.model_dump(mode="json", exclude={"seed"})}

    def joined(self, earlier: dict[str, Any]) -> dict[str, Any] | None:
        """Refuse to resume a sweep with another script or other hyper-parameters."""
        return earlier if earlier == self.about else None

    def command(self, run: Run, folder: Path) -> list[str]:
        """Return the arguments of `python` that train a run in its folder below a sweep's."""
        return training_command(self.script, run.flags, str(folder / run.name))

    def _value(self, key: str, value: str) -> bool | str | list[str]:
        fields = type(self.config).model_fields
        if key not in fields:
            hint = nearest(key, fields) or f"`cardgym train {self.script} --help` lists all; "
            raise CardgymError(f"unknown key {quoted(key)} of {self.script}.py in the grid: {hint.rstrip('; ')}")
        if key == "seed":
            raise CardgymError("seed is not a key of the grid; name seeds with --seeds")
        current = getattr(self.config, key)
        if isinstance(current, bool):
            if value not in ("true", "false"):
                raise CardgymError(f"{key}={quoted(value)}: allowed: true, false")
            return value == "true"
        return value.split() if isinstance(current, tuple | dict) else value


def flags_of(values: Mapping[str, Any]) -> list[str]:
    """Hyper-parameters as flags of a training script; empty texts and mappings have none."""
    flags: list[str] = []
    for key, value in values.items():
        flag = f"--{key.replace('_', '-')}"
        if isinstance(value, bool):
            flags.append(flag if value else flag.replace("--", "--no-", 1))
        elif value not in ("", {}):
            flags += [flag, *words_of(value)]
    return flags


def _script_of(path: Path) -> str:
    """Return the script that a config is for: the one that accepts its keys; of several, the one that the file's name
    mentions."""
    configs, errors = {}, {}
    for script in TRAINERS:
        try:
            configs[script] = read_config(TRAINERS[script]().config, path)
        except CardgymError as error:
            errors[script] = error
    if not configs:
        script = next((script for script in TRAINERS if script in path.stem), "dqn")
        raise CardgymError(f"{errors[script]} (for {script}.py; name another script with --script)")
    named = [script for script, config in configs.items() if config.algorithm_name in path.stem]
    if len(configs) == 1 or len(named) == 1:
        return next(iter(configs)) if len(configs) == 1 else named[0]
    raise CardgymError(f"config {path}: fits {', '.join(configs)}; name one with --script")


def _folder_name(options: Mapping[str, Any]) -> str:
    """Get a folder's name for options: short, without characters that are special anywhere, and unlike those of other
    options on a disk that takes `A` for `a`, too."""
    words = {key: words_of(value) for key, value in options.items()}
    exact = ",".join(f"{key}={'+'.join(texts)}" for key, texts in words.items())
    name = re.sub(r"[^\w=,.+-]|\.$", "-", exact)
    capitals = any(text != text.lower() for texts in words.values() for text in texts if text not in ("True", "False"))
    if name != exact or capitals or len(name) > 120:
        name = f"{name[:100]}-{hashlib.sha256(exact.encode()).hexdigest()[:12]}"
    return name


# -- processes --------------------------------------------------------------------------------------------------------


def train(
    script: str,
    flags: Sequence[str],
    folder: str,
    working_folder: str | None = None,
    *,
    stop: Callable[[], bool] = lambda: False,
) -> int:
    """Train in a folder and return the exit code; see `training_command` and `run_program`."""
    return run_program(training_command(script, flags, folder), folder, working_folder, stop=stop)


def train_here(script: str, flags: Sequence[str], folder: str) -> int:
    """As `train`, but in this process, which saves the seconds that a new one needs to start."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    with (
        open(place / LOG, "a", encoding="utf-8") as log,
        contextlib.redirect_stdout(log),
        contextlib.redirect_stderr(log),
    ):
        code = TRAINERS[script]().run(script, training_command(script, flags, folder)[4:])
    if code > 128:
        raise Stopped(code - 128)
    return code


def training_command(script: str, flags: Sequence[str], folder: str) -> list[str]:
    """Return the arguments of `python` that train in a folder.

    A run that is already there resumes, or starts over if its script cannot resume it.
    """
    again = "--resume" if TRAINERS[script]().config.resumable else "--restart"
    return ["-m", "cardgym", "train", script, *flags, "--out", folder, again]


def run_program(
    words: Sequence[str], folder: str, working_folder: str | None = None, *, stop: Callable[[], bool] = lambda: False
) -> int:
    """Run a training, given as the words after `python`, in a separate process; its exit code.

    Its output is appended to `log.txt` in its folder, an absolute path. By its flag `--follow` it never outlives the
    worker that runs it: if the worker dies, or if `stop`, which is called every half second, returns true, the training
    saves its state and ends. A second process in the same folder waits until the first has ended. Relative paths start
    in `working_folder` if this machine has it, else in the worker's.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as ending:
        with open(place / LOG, "ab") as log, held():
            # In a new session, because Ctrl-C in the terminal is meant for the command, which stops its workers.
            process = subprocess.Popen(
                [sys.executable, *words, "--follow"],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=working_folder if working_folder and Path(working_folder).is_dir() else None,
                # Unbuffered, so that output and errors reach the log at once and in order.
                env={"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", **os.environ},
            )
            ending.callback(_end, process)
        while not stop():
            try:
                return process.wait(_POLL_SECONDS)
            except subprocess.TimeoutExpired:
                pass
        return _end(process)


def _end(process: subprocess.Popen[bytes]) -> int:
    """Ask a process to end by closing its standard input, and kill it if it does not; its exit code."""
    assert process.stdin is not None
    with held():
        process.stdin.close()
        try:
            return process.wait(signals.END_SECONDS + 4)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()
