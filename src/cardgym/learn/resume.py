"""States to resume from: what the parts of a training declare, in one file that is written whole or not at all.

A part lists its attributes in `saved`; `state_of` reads them and `restore` writes them back. They may be plain values,
tensors, NumPy arrays, generators, other parts, and tuples and dicts of these. A part without `saved` has `state_dict`
and `load_state_dict`, as a network or an optimizer of PyTorch does. A list is a plain value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.errors import CardgymError, printable, quoted
from cardgym.files.archives import Archive
from cardgym.files.atomic import replacing
from cardgym.files.json_values import parse_json
from cardgym.learn.config import TrainingConfig

# Torch is imported in the functions: a script that prints its help or refuses a flag does not wait for it.

STATE_FILE = "resume.pt"
"""The file in a run's folder that the run is resumed from."""
_ARRAY = "numpy dtype"
"""The key that marks an array's state."""


# -- parts ------------------------------------------------------------------------------------------------------------


def state_of(part: Any) -> Any:
    """The state of a part as tensors and plain values; tensors may share memory with the part."""
    import torch

    if isinstance(part, np.ndarray):
        content = np.ascontiguousarray(part).reshape(-1).view(np.uint8)
        return {_ARRAY: _dtype(part), "shape": list(part.shape), "bytes": torch.from_numpy(content)}
    if isinstance(part, np.random.Generator):
        return json.dumps(part.bit_generator.state)
    if isinstance(part, tuple):
        return [state_of(item) for item in part]
    if isinstance(part, dict):
        return {name: state_of(item) for name, item in part.items()}
    if hasattr(part, "saved"):
        return {name: state_of(attrgetter(name)(part)) for name in part.saved}
    return state_of(part.state_dict()) if hasattr(part, "state_dict") else part


def restore(part: Any, state: Any) -> Any:
    """Restore in place what `state_of` returned, and return the part; a plain value is replaced by its state.

    If a part has a method `restored`, it is called afterwards.

    Raises:
        CardgymError: for an array of another type or shape.
    """
    import torch

    if isinstance(part, torch.Tensor):
        with torch.no_grad():
            part.copy_(state)
    elif isinstance(part, np.ndarray):
        if state[_ARRAY] != _dtype(part) or state["shape"] != list(part.shape):
            raise CardgymError("the state to resume from was written by another version; train from the start")
        part[...] = _array(state, part.dtype)
    elif isinstance(part, np.random.Generator):
        part.bit_generator.state = json.loads(state)
    elif isinstance(part, tuple):
        for item, item_state in zip(part, state, strict=True):
            restore(item, item_state)
    elif isinstance(part, dict):
        for name, item in part.items():
            restore(item, state[name])
    elif hasattr(part, "saved"):
        for name in part.saved:
            value = attrgetter(name)(part)
            if (new := restore(value, state[name])) is not value:
                setattr(part, name, new)
        if hasattr(part, "restored"):
            part.restored()
    elif hasattr(part, "load_state_dict"):
        part.load_state_dict(
            {
                name: _array(value, value[_ARRAY]) if isinstance(value, dict) and _ARRAY in value else value
                for name, value in state.items()
            }
        )
    else:
        return state
    return part


def _dtype(array: npt.NDArray[Any]) -> str:
    """The type of an array's items, with all fields of a record: the bytes of other fields cannot be read."""
    return array.dtype.str if array.dtype.names is None else repr(array.dtype.descr)


def _array(state: dict[str, Any], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    content = state["bytes"].numpy().tobytes()
    return np.frombuffer(content, dtype).reshape(state["shape"]).copy()


# -- files ------------------------------------------------------------------------------------------------------------


def save_parts(path: Path, config: TrainingConfig, parts: Mapping[str, Any]) -> None:
    """Write the states of a training's parts, by name, with its config; see `save_state`."""
    save_state(path, {"config": config.model_dump_json(), **{name: state_of(part) for name, part in parts.items()}})


def load_parts(path: Path, config: TrainingConfig, parts: Mapping[str, Any]) -> None:
    """Restore what `save_parts` wrote.

    Raises:
        CardgymError: for a file that is not such a state, or a run that began with another config.
    """
    state = load_resume_state(path, config)
    for name, part in parts.items():
        try:
            restore(part, state[name])
        except CardgymError as error:
            raise CardgymError(f"{path}: {error}") from None
        except (AttributeError, IndexError, KeyError, OverflowError, RuntimeError, TypeError, ValueError) as error:
            raise CardgymError(
                f"{path}: its {name} does not fit this training ({printable(str(error), 100)}); train from the start"
            ) from None


def save_state(path: Path, state: dict[str, Any]) -> None:
    """Write a state. If the process is killed meanwhile, `path` contains either the old state or the new one.

    Raises:
        CardgymError: if the file cannot be written.
    """
    import torch

    with replacing(path) as temporary:
        try:
            with open(temporary, "wb") as file:
                torch.save(state, file)
        except RuntimeError as error:  # How torch reports a full disk.
            raise OSError(str(error).splitlines()[0]) from error


def load_state(path: Path) -> dict[str, Any]:
    """Read a state. No code in the file is executed, and it unpacks to no more than its own size.

    Raises:
        CardgymError: for a file that cannot be read, or that holds anything but tensors and plain values.
    """
    import torch

    with Archive(path, str(path), "a state to resume from"):
        pass  # The sizes that it declares fit the file.
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch.load fails on foreign files in many ways.
        raise CardgymError(f"{path}: no state to resume from ({type(error).__name__}); train from the start") from None
    return state


def load_resume_state(path: Path, config: TrainingConfig) -> dict[str, Any]:
    """Read a run's state, and check that the run began with the same config.

    Raises:
        CardgymError: for a file that is not such a state, or a run that began with another config.
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
    """Check that a run continues with the config it began with.

    Args:
        began: the config that the run began with, as plain values.
        config: the config to continue with.
        path: the file to name in errors.

    Raises:
        CardgymError: if the two differ, or the first belongs to another script.
    """
    unknown = sorted(set(began) - set(type(config).model_fields))
    if unknown:
        raise CardgymError(
            f"{path}: a run of another training script, or version, with the key {quoted(unknown[0])}; resume it with "
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
