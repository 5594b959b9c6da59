"""The files that come with cardgym: configs and checkpoints, found by name.

A checkout has them at its top; an installed package below `cardgym/shipped_files`, where pyproject.toml maps them.
The names are the same in both.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path, PurePosixPath

from cardgym.errors import CardgymError, nearest, printable

CONFIGS, CHECKPOINTS = "configs", "checkpoints"
"""The names of the folders in a checkout."""


@cache
def root() -> Path:
    """Return the folder that holds the others: the installed package's, or else the top of the checkout."""
    package = Path(__file__).parents[1]
    installed = package / "shipped_files"
    return installed if installed.is_dir() else package.parents[1]


def configs() -> dict[str, Path]:
    """Return the configs by name: the game's folder and the file, such as `kuhn_poker/dqn`."""
    return {f"{path.parent.name}/{path.stem}": path for path in sorted((root() / CONFIGS).glob("*/*.toml"))}


def checkpoints(folder: str, suffixes: Iterable[str]) -> dict[str, Path]:
    """Return the checkpoints of a game by name: the file's name up to its first dot."""
    endings = tuple(suffixes)
    paths = sorted((root() / CHECKPOINTS / folder).glob("*"))
    return {path.name.partition(".")[0]: path for path in paths if path.name.endswith(endings)}


def config_path(path: Path) -> Path:
    """Get the config that a user names: a file, or the name of one that comes with cardgym, with or without `.toml`."""
    return path if path.is_file() else shipped_config(path)


def shipped_config(path: Path) -> Path:
    """Get the config that comes with cardgym under a name, with or without `.toml`."""
    known = configs()
    name = PurePosixPath(path.as_posix())
    name = name.relative_to(CONFIGS) if name.is_relative_to(CONFIGS) else name
    short = str(name).removesuffix(".toml")
    if short not in known:
        more = f"{nearest(short, known)}`cardgym train --help` lists those that come with cardgym"
        raise CardgymError(f"config {printable(str(path))}: no such file; {more}")
    return known[short]


def checkpoint_path(path: Path) -> Path:
    """Return the file that a user names or, if there is none, the file of that path among those that come with cardgym.

    So `checkpoints/kuhn_poker/dqn.safetensors` is found from any folder.
    """
    if not path.exists() and path.parts[:1] == (CHECKPOINTS,) and ".." not in path.parts:
        return root() / path
    return path
