"""States to resume from: what the parts of a training declare, in one file that is written atomically.

A part lists its attributes in `saved`; `state_of` reads them and `restore` writes them back. They may be plain values,
tensors, NumPy arrays, generators, other parts, and tuples and dicts of these. A part without `saved` has `state_dict`
and `load_state_dict`, as a network or an optimizer of PyTorch does. A list is a plain value.

The file is one of `cardgym.files.tensors`: its document has the plain values, with the name of an array in place of
each array.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from cardgym.errors import CardgymError, printable, quoted
from cardgym.files.documents import Document
from cardgym.files.json_values import parse_json
from cardgym.files.tensors import STATE_SUFFIX, Arrays, read_tensors, write_tensors
from cardgym.learn.config import TrainingConfig

# Torch is imported in the functions: a script that prints its help or refuses a flag does not wait for it.

STATE_FILE = STATE_SUFFIX
"""The file in a run's folder that the run is resumed from."""
_RECORD = "record"
"""The key that marks an array of records: it has their dtype, and `bytes` has the records as bytes."""
_ARRAY = "array"
"""In a document, the key whose value is the name of an array."""
_OUTSIDE = (
    "save_every", "save_every_minutes", "log_every", "eval_every", "eval_opponents", "eval_games", "final_games",
)  # fmt: skip
"""Keys that may change when a run resumes: they do not affect what it learns."""
_WHOLE = "whole number "
"""In a document, the prefix of a key that is a whole number, as in an optimizer's state."""


# -- parts ------------------------------------------------------------------------------------------------------------


def state_of(part: Any) -> Any:
    """Return the state of a part as arrays and plain values; arrays may share memory with the part."""
    import torch

    if isinstance(part, torch.Tensor):
        return part.detach().cpu().numpy()
    if isinstance(part, np.ndarray):
        if part.dtype.names is None:
            return part
        content = np.ascontiguousarray(part).view(np.uint8).reshape(*part.shape, part.itemsize)
        return {_RECORD: _record(part), "bytes": content}
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
            part.copy_(torch.from_numpy(state))
    elif isinstance(part, np.ndarray):
        if part.dtype.names is not None and isinstance(state, dict) and state[_RECORD] == _record(part):
            state = np.ascontiguousarray(state["bytes"]).view(part.dtype)[..., 0]
        if not isinstance(state, np.ndarray) or (state.dtype, state.shape) != (part.dtype, part.shape):
            raise CardgymError("the state to resume from was written by another version; train from the start")
        part[...] = state
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
    elif isinstance(part, torch.nn.Module | torch.optim.Optimizer):
        part.load_state_dict(_tensors(state))
    elif hasattr(part, "load_state_dict"):
        part.load_state_dict(state)
    else:
        return state
    return part


def _record(array: npt.NDArray[Any]) -> str:
    """Return the dtype of records with all their fields: the bytes of other fields cannot be read."""
    return repr(array.dtype.descr)


def _tensors(state: Any) -> Any:
    """Return a state with tensors in place of arrays, as PyTorch expects it."""
    import torch

    if isinstance(state, dict):
        return {name: _tensors(item) for name, item in state.items()}
    return torch.from_numpy(state) if isinstance(state, np.ndarray) else state


# -- files ------------------------------------------------------------------------------------------------------------


def has_state(folder: Path) -> bool:
    """Whether a run's folder has a state to resume from, or a broken link in its place."""
    return os.path.lexists(folder / STATE_FILE)


def save_parts(path: Path, config: TrainingConfig, parts: Mapping[str, Any], **facts: str) -> None:
    """Write the states of a training's parts, by name, with its config and further facts; see `save_state`."""
    states = {name: state_of(part) for name, part in parts.items()}
    save_state(path, {"config": config.model_dump_json(), **facts, **states})


def load_parts(path: Path, config: TrainingConfig, parts: Mapping[str, Any], **facts: str) -> None:
    """Restore what `save_parts` wrote; a line on stderr says what has changed since.

    Raises:
        CardgymError: for a file that is not such a state, or a run that began with another config.
    """
    state = load_state(path)
    began = parse_json(state["config"], f"{path}: its config") if isinstance(state.get("config"), str) else None
    if not isinstance(began, dict):
        raise CardgymError(f"{path}: not a state that a training script can resume from; train from the start")
    changes = _changes(began, config, path)
    changes += [
        f"its {name.replace('_', ' ')} changed" for name, fact in facts.items() if state.get(name, fact) != fact
    ]
    if changes:
        print(f"resumed, but not as an uninterrupted run: {'; '.join(changes)}", file=sys.stderr)
    for name, part in parts.items():
        try:
            restore(part, state[name])
        except CardgymError as error:
            raise CardgymError(f"{path}: {error}") from None
        except (AttributeError, IndexError, KeyError, OverflowError, RuntimeError, TypeError, ValueError) as error:
            raise CardgymError(
                f"{path}: its {name} does not fit this training ({printable(str(error), 100)}); train from the start"
            ) from None


def _changes(began: Mapping[str, Any], config: TrainingConfig, path: Path) -> list[str]:
    """Return what differs from the config that a run began with, in words, as far as it changes what the run learns.

    Raises:
        CardgymError: for a change with which a run cannot continue; `path` is the file to name.
    """
    unknown = sorted(set(began) - set(type(config).model_fields))
    if unknown:
        raise CardgymError(
            f"{path}: saved by another training script or version: it has the key {quoted(unknown[0])}; resume it with "
            "that, or name another folder with --out"
        )
    try:
        earlier = type(config)(**began).model_dump()
    except CardgymError as error:
        raise CardgymError(f"{path}: not a state of this training script ({error}); train from the start") from None
    changes = []
    for name, value in config.model_dump().items():
        if earlier[name] == value or name in _OUTSIDE:
            continue
        if name == config.length and value > earlier[name]:
            changes.append(f"{name}={value} instead of {earlier[name]}, so schedules are lines to the new end")
        elif name == "device":
            changes.append(f"{name}={value} instead of {earlier[name]}, so other bits on another device")
        else:
            raise CardgymError(
                f"{path}: the run began with {name}={printable(str(earlier[name]))}, not {value}; resume it with that"
            )
    return changes


class _State(Document):
    format: Literal["cardgym-training-state-1"]
    state: dict[str, Any]
    """Plain values, and names of arrays."""


def save_state(path: Path, state: dict[str, Any]) -> None:
    """Write a state. If the process is killed meanwhile, `path` contains either the old state or the new one.

    Raises:
        NotFiniteError: for NaN or infinity in an array; the old state is kept.
    """
    arrays: Arrays = {}
    write_tensors(path, {"format": "cardgym-training-state-1", "state": _without_arrays(state, "", arrays)}, arrays)


def load_state(path: Path) -> dict[str, Any]:
    """Read a state."""
    document, arrays = read_tensors(path, str(path), _State, None)
    try:
        state: dict[str, Any] = _with_arrays(document.state, arrays)
    except (KeyError, RecursionError, TypeError, ValueError):
        raise CardgymError(f"{path}: not a state to resume from; train from the start") from None
    return state


def _without_arrays(value: Any, name: str, arrays: Arrays) -> Any:
    """Return a state as plain values with strings as keys; its arrays are added to `arrays`."""
    if isinstance(value, np.ndarray):
        arrays[name] = value
        return {_ARRAY: name}
    if isinstance(value, dict):
        return {
            f"{_WHOLE}{key}" if isinstance(key, int) else key: _without_arrays(item, f"{name}/{key}".strip("/"), arrays)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_without_arrays(item, f"{name}/{place}", arrays) for place, item in enumerate(value)]
    return value


def _with_arrays(value: Any, arrays: Arrays) -> Any:
    """Return the state that `_without_arrays` was called with."""
    if isinstance(value, list):
        return [_with_arrays(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {_ARRAY}:
        return arrays[value[_ARRAY]]
    return {
        int(key.removeprefix(_WHOLE)) if key.startswith(_WHOLE) else key: _with_arrays(item, arrays)
        for key, item in value.items()
    }
