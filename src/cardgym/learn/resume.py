"""States to resume from: tensors and plain values in one file, written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from cardgym.errors import CardgymError, printable, quoted
from cardgym.files.archives import Archive
from cardgym.files.atomic import replacing
from cardgym.files.documents import parse_json
from cardgym.learn.config import TrainingConfig

# Torch is imported in the functions: a script that prints its help or refuses a flag does not wait for it.

STATE_FILE = "resume.pt"
"""The file of a run's folder that the run is resumed from."""
_ARRAY = "numpy dtype"
"""The key that marks a packed array, and holds its dtype."""


class Stateful(Protocol):
    """A part of a training whose state can be saved and restored, such as a learner, a rollout or a buffer."""

    def state_dict(self) -> dict[str, Any]:
        """The state, as tensors, NumPy arrays and plain values."""
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore a state that `state_dict` returned."""
        ...


def save_parts(path: Path, config: TrainingConfig, parts: Mapping[str, Stateful]) -> None:
    """Write the states of all parts of a training, with its config; see `save_state`."""
    states = {name: pack(part.state_dict()) for name, part in parts.items()}
    save_state(path, {"config": config.model_dump_json(), **states})


def load_parts(path: Path, config: TrainingConfig, parts: Mapping[str, Stateful]) -> None:
    """Restore what `save_parts` wrote.

    Raises:
        CardgymError: where the file is no such state, or the run began with another config.
    """
    state = load_resume_state(path, config)
    for name, part in parts.items():
        try:
            part.load_state_dict(unpack(state[name]))
        except (AttributeError, IndexError, KeyError, OverflowError, RuntimeError, TypeError, ValueError) as error:
            raise CardgymError(
                f"{path}: its {name} does not fit this training ({printable(str(error), 100)}); train from the start"
            ) from None


def save_state(path: Path, state: dict[str, Any]) -> None:
    """Write a state. If the process is killed meanwhile, `path` holds the old state or the new one.

    Raises:
        CardgymError: where the file cannot be written.
    """
    import torch

    with replacing(path) as temporary:
        try:
            with open(temporary, "wb") as file:
                torch.save(state, file)
        except RuntimeError as error:  # How torch reports a full disk.
            raise OSError(str(error).splitlines()[0]) from error


def load_state(path: Path) -> dict[str, Any]:
    """Read a state. Nothing in the file is executed, and it unpacks to no more than it holds.

    Raises:
        CardgymError: where the file cannot be read or holds anything but tensors and plain values.
    """
    import torch

    with Archive(path, str(path), "a state to resume from"):
        pass  # The sizes that it declares fit the file.
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # A file of something else fails in any of torch's steps, each in its own way.
        raise CardgymError(f"{path}: no state to resume from ({type(error).__name__}); train from the start") from None
    return state


def load_resume_state(path: Path, config: TrainingConfig) -> dict[str, Any]:
    """Read the state that a run goes on from, and check that the run began with the same config.

    Raises:
        CardgymError: where the file is no such state, or the run began with another config.
    """
    state = load_state(path)
    if not isinstance(state, dict) or not isinstance(state.get("config"), str):
        raise CardgymError(f"{path}: no state of a training script to resume from; train from the start")
    began = parse_json(state["config"], f"{path}: its config")
    if not isinstance(began, dict):
        raise CardgymError(f"{path}: no state of a training script to resume from; train from the start")
    check_same(began, config, path)
    return state


def check_same(began: Mapping[str, Any], config: TrainingConfig, path: Path) -> None:
    """Check that a run goes on with the config it began with.

    Args:
        began: the config that the run began with, as plain values.
        config: the config it is to go on with.
        path: the file to name in errors.

    Raises:
        CardgymError: where the two differ, or the first is another script's.
    """
    strange = sorted(set(began) - set(type(config).model_fields))
    if strange:
        raise CardgymError(
            f"{path}: a run of another training script, or version, with the key {quoted(strange[0])}; resume it with "
            "that, or name another folder with --out"
        )
    try:
        earlier = type(config)(**began).model_dump()
    except CardgymError as error:
        raise CardgymError(f"{path}: no state of this training script ({error}); train from the start") from None
    for name, value in config.model_dump().items():
        if earlier[name] != value:
            raise CardgymError(
                f"{path}: the run began with {name}={printable(str(earlier[name]))}, not {value}; resume it with that"
            )


def pack(state: Mapping[str, Any]) -> dict[str, Any]:
    """A state with its NumPy arrays, of any dtype, as tensors and plain values."""
    import torch

    return {
        name: {
            _ARRAY: value.dtype.str,
            "shape": list(value.shape),
            "bytes": torch.from_numpy(np.ascontiguousarray(value).reshape(-1).view(np.uint8).copy()),
        }
        if isinstance(value, np.ndarray)
        else value
        for name, value in state.items()
    }


def unpack(packed: Mapping[str, Any]) -> dict[str, Any]:
    """The state that `pack` packed."""
    return {
        name: np.frombuffer(value["bytes"].numpy().tobytes(), value[_ARRAY]).reshape(value["shape"]).copy()
        if isinstance(value, dict) and _ARRAY in value
        else value
        for name, value in packed.items()
    }


def generator_state(generator: np.random.Generator) -> str:
    """The state of a NumPy generator as text."""
    return json.dumps(generator.bit_generator.state)


def set_generator_state(generator: np.random.Generator, state: str) -> None:
    """Set a state that `generator_state` returned."""
    generator.bit_generator.state = json.loads(state)
