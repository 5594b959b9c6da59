"""The log of games that people played, one JSON object a line, from which a person is reported like any player."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from cardgym.errors import CardgymError
from cardgym.play.entries import read_entries as read_log
from cardgym.play.record import data_folder

__all__ = ["append", "check_log", "data_folder", "default_log", "read_log"]


def default_log(env: str) -> Path:
    """The log of a game in the user's data folder; see `data_folder`."""
    return data_folder() / "play" / f"{env}.jsonl"


def check_log(path: Path) -> None:
    """Raise `CardgymError` where the log cannot be written: better before a game than after it."""
    new = not path.exists()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "ab"):
            pass
        if new:
            path.unlink()
    except OSError as error:
        raise CardgymError(f"cannot write {path}: {error.strerror or error}; name another with --log") from None


def append(path: Path, entry: dict[str, Any]) -> None:
    """Add a game; a line that does not fit on the disk is removed again.

    Raises:
        CardgymError: where the log cannot be written or the disk is full.
    """
    line = (json.dumps(entry, allow_nan=False) + "\n").encode()
    try:
        with open(path, "ab", buffering=0) as file:
            end = file.seek(0, os.SEEK_END)
            try:
                while line:
                    line = line[file.write(line) :]
                os.fsync(file.fileno())
            except OSError:
                with contextlib.suppress(OSError):
                    file.truncate(end)
                raise
    except OSError as error:
        raise CardgymError(f"cannot write {path}: {error.strerror or error}") from None
