"""States to resume from: tensors and plain values in one file, written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from cardgym.errors import CardgymError
from cardgym.files import replacing
from cardgym.learn.config import check_same


def save_state(path: Path, state: dict[str, Any]) -> None:
    """Write a state; `path` holds either the old one or the new one, whenever the process is killed.

    Raises:
        CardgymError: where the file cannot be written.
    """
    with replacing(path) as temporary:
        try:
            with open(temporary, "wb") as file:
                torch.save(state, file)
        except RuntimeError as error:  # How torch reports a full disk.
            raise OSError(str(error).splitlines()[0]) from error


def load_state(path: Path) -> dict[str, Any]:
    """Read a state; nothing in the file is executed.

    Raises:
        CardgymError: where the file cannot be read or holds anything but tensors and plain values.
    """
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # A file of something else fails in any of torch's steps, each in its own way.
        raise CardgymError(f"{path}: no state to resume from ({type(error).__name__}); train from the start") from None
    return state


def load_resume_state(path: Path, config: Any) -> dict[str, Any]:
    """The state that a run of a training script goes on from, with the config it began with checked.

    Raises:
        CardgymError: where the file is no such state, or began with another config.
    """
    state = load_state(path)
    if not isinstance(state, dict) or not isinstance(state.get("config"), str):
        raise CardgymError(f"{path}: no state of a training script to resume from; train from the start")
    check_same(json.loads(state["config"]), config, path)
    return state


def pack(arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, Any]:
    """Arrays by name as tensors and plain values, of any dtype that has a name."""
    return {
        name: {
            "dtype": array.dtype.str,
            "shape": list(array.shape),
            "bytes": torch.from_numpy(np.ascontiguousarray(array).reshape(-1).view(np.uint8).copy()),
        }
        for name, array in arrays.items()
    }


def unpack(packed: Mapping[str, Any]) -> dict[str, npt.NDArray[Any]]:
    """The arrays that `pack` packed."""
    return {
        name: np.frombuffer(each["bytes"].numpy().tobytes(), each["dtype"]).reshape(each["shape"]).copy()
        for name, each in packed.items()
    }


def generator_state(generator: np.random.Generator) -> str:
    """The state of a NumPy generator as text."""
    return json.dumps(generator.bit_generator.state)


def set_generator_state(generator: np.random.Generator, state: str) -> None:
    """Set what `generator_state` gave."""
    generator.bit_generator.state = json.loads(state)
