"""The TOML files of configs: what they are based on, and the paths in them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from cardgym.errors import CardgymError, printable
from cardgym.files.json_values import read_bytes
from cardgym.files.shipped import shipped_config
from cardgym.players.base import split_path

BASE = "base"
"""The key of a config file that names the file it starts from."""
PLAYER_KEYS = ("opponents", "eval_opponents", "players", "teacher", "init_from", "trainer_config")
"""The keys whose values may be paths."""
_MAX_FILE = 1 << 20
"""The size limit of a file, in bytes."""


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """Return the values of a file of at most 1 MiB; `what` names it in messages."""
    try:
        return tomllib.loads(read_bytes(path, what, _MAX_FILE).decode("utf-8-sig"))
    except (RecursionError, ValueError) as error:
        if isinstance(error, CardgymError):
            raise
        raise CardgymError(f"{what}: cannot be read as TOML ({printable(str(error))})") from None


def read_values(path: Path, above: tuple[Path, ...] = ()) -> dict[str, Any]:
    """Return the values of a file and of its bases; `above` are the files that are based on it."""
    values = read_toml(path, f"config {path}")
    values |= {key: _from_folder(values[key], path.parent) for key in PLAYER_KEYS if key in values}
    base = values.pop(BASE, None)
    if base is None:
        return values
    if not (isinstance(base, str) and 0 < len(base) < 256 and base.isprintable()) or ".." in Path(base).parts:
        raise CardgymError(
            f"config {path}: {BASE}={printable(short_repr(base))}: allowed: a file's name in its folder, or the name "
            "of a config that comes with cardgym"
        )
    beside = path.with_name(base) if Path(base).name == base else path
    found = beside if beside.is_file() and beside != path else shipped_config(Path(base))
    if found in (path, *above):
        raise CardgymError(f"config {path}: {BASE}={base!r}: the bases form a circle")
    return {**read_values(found, (path, *above)), **values}


def _from_folder(value: Any, folder: Path) -> Any:
    """Names, paths and players by weight, with the paths of files in or below a folder as absolute ones."""
    if isinstance(value, list):
        return [_from_folder(item, folder) for item in value]
    if not isinstance(value, str) or not value.isprintable():
        return value
    word, equals, weight = value.rpartition("=") if "=" in value else (value, "", "")
    path, rest = split_path(word)
    found = folder.resolve() / path
    return f"{found}{rest}{equals}{weight}" if found.is_file() else value


def short_repr(value: Any) -> str:
    """Return a value in a message; Python refuses to print whole numbers of thousands of digits."""
    try:
        return repr(value)
    except ValueError:
        return "a number of thousands of digits"
