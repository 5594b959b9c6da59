"""The log of games that people played, one JSON object a line, from which a person is reported like any player."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

import platformdirs

from cardgym.errors import CardgymError

_KEYS = {"env", "settings", "finished", "max_score", "players"}
_PLAYER_NUMBERS = ("score", "return")


def default_log(env: str) -> Path:
    """The log of a game in the user's data folder; see `data_folder`."""
    return data_folder() / "play" / f"{env}.jsonl"


def data_folder() -> Path:
    """The user's data folder for cardgym; `CARDGYM_DATA_DIR` moves it."""
    named = os.environ.get("CARDGYM_DATA_DIR")
    return Path(named) if named else platformdirs.user_data_path("cardgym", appauthor=False)


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


def read_log(path: Path) -> list[dict[str, Any]]:
    """The games of a log.

    Raises:
        CardgymError: for a log that is missing, or a line that is no game.
    """
    try:
        lines = path.read_text().splitlines()
    except FileNotFoundError:
        raise CardgymError(f"file {path}: no such file") from None
    except (OSError, ValueError) as error:
        raise CardgymError(f"file {path}: cannot be read ({error})") from None
    games = []
    for number, line in enumerate(lines, 1):
        try:
            game = json.loads(line)
            valid = game.keys() >= _KEYS and len(game["players"]) > 0 and isinstance(game["max_score"], int | float)
            for player in game["players"]:
                numbers = (*player["metrics"].values(), *(player[key] for key in _PLAYER_NUMBERS))
                valid &= isinstance(player["name"], str) and all(isinstance(one, int | float) for one in numbers)
        except (ValueError, AttributeError, TypeError, LookupError):
            valid = False
        if not valid:
            raise CardgymError(f"file {path}: line {number} is no game that `cardgym play` wrote")
        games.append(game)
    return games
