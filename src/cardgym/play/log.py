"""The log of games that people played, one JSON object a line: so a person can be reported like a player."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from cardgym.errors import CardgymError

_KEYS = {"env", "settings", "finished", "contests", "players"}
_PLAYER_NUMBERS = ("won", "return")


def default_log(env: str) -> Path:
    """The log of a game in the user's data folder; `CARDGYM_DATA_DIR` moves it."""
    return data_folder() / "play" / f"{env}.jsonl"


def data_folder() -> Path:
    """The user's data folder for cardgym."""
    if "CARDGYM_DATA_DIR" in os.environ:
        return Path(os.environ["CARDGYM_DATA_DIR"])
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Application Support"
    else:
        root = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return root / "cardgym"


def check_log(path: Path) -> None:
    """Raise `CardgymError` where the log could not be written: better before a game than after it."""
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
    """Add a game; a line that cannot be written whole is taken back.

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
        CardgymError: where it is missing or a line is no game.
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
            whole = game.keys() >= _KEYS and len(game["players"]) > 0 and isinstance(game["contests"], int | float)
            for player in game["players"]:
                numbers = (*player["extra"].values(), *(player[key] for key in _PLAYER_NUMBERS))
                whole &= isinstance(player["name"], str) and all(isinstance(one, int | float) for one in numbers)
        except (ValueError, AttributeError, TypeError, LookupError):
            whole = False
        if not whole:
            raise CardgymError(f"file {path}: line {number} is no game that `cardgym play` wrote")
        games.append(game)
    return games
