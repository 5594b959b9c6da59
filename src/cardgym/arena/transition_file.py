"""Files of recorded transitions for other programs: CSV, or NumPy's `.npz`, which `np.load` reads."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cardgym.arena.transitions import Transitions
from cardgym.errors import CardgymError
from cardgym.files.atomic import replacing

SUFFIXES = (".csv", ".npz")


def write_transitions(path: Path, chunks: Iterable[Transitions], about: Mapping[str, Any]) -> int:
    """Write transitions as CSV (a row each) or npz (an array for each column), as the suffix says.

    The columns are those of `Transitions`. CSV is written chunk by chunk; npz is held in memory first, and has one more
    array, `about`: `about` as JSON.

    Args:
        path: the file.
        chunks: the transitions.
        about: what was recorded, as plain values.

    Returns:
        How many transitions there were.

    Raises:
        CardgymError: for another suffix, or where the file cannot be written. Nothing half-written is left.
    """
    check_suffix(path)
    if path.is_dir():
        raise CardgymError(f"cannot write {path}: it is a folder")
    with replacing(path) as temporary:
        if path.suffix == ".csv":
            return _write_csv(temporary, chunks)
        with open(temporary, "wb") as file:
            transitions = Transitions.joined(list(chunks))
            arrays: dict[str, Any] = {"about": np.array(json.dumps(about)), **transitions.columns()}
            np.savez_compressed(file, **arrays)
        return len(transitions)


def check_suffix(path: Path) -> None:
    """Raise `CardgymError` for a path whose suffix is not a format of `write_transitions`."""
    if path.suffix not in SUFFIXES:
        raise CardgymError(f"file {path}: its name must end in {' or '.join(SUFFIXES)}")


def _write_csv(path: Path, chunks: Iterable[Transitions]) -> int:
    count = 0
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Transitions.__dataclass_fields__)
        for chunk in chunks:
            columns = [column.tolist() for column in chunk.columns().values()]
            writer.writerows(zip(*columns, strict=True))
            count += len(chunk)
    return count
