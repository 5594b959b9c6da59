"""The files that come with cardgym: training scripts, configs and checkpoints, found by name.

A checkout has them at its top; an installed package below `cardgym/shipped_files`, where pyproject.toml maps them.
The names are the same in both.
"""

from __future__ import annotations

import ast
import importlib
import runpy
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from types import ModuleType

from cardgym.errors import CardgymError, nearest, printable

SCRIPTS, CONFIGS, CHECKPOINTS = "train", "configs", "checkpoints"
"""The names of the folders in a checkout."""


@cache
def root() -> Path:
    """The folder that holds the others: the installed package's, or else the top of the checkout."""
    package = Path(__file__).parents[1]
    installed = package / "shipped_files"
    return installed if installed.is_dir() else package.parents[1]


def scripts() -> dict[str, Path]:
    """The training scripts by name, such as `dqn`; modules that they import have longer names, such as
    `nfsp_learner`."""
    return {path.stem: path for path in sorted((root() / SCRIPTS).glob("*.py")) if "_" not in path.stem}


def run_script(path: Path, words: Sequence[str]) -> int:
    """Run a script as `python SCRIPT WORDS` would, in this process; its exit code."""
    old_words, old_path = sys.argv, sys.path
    sys.argv, sys.path = [str(path), *words], [str(path.parent), *sys.path]
    try:
        runpy.run_path(str(path), run_name="__main__")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    finally:
        sys.argv, sys.path = old_words, old_path
    return 0


def import_script(name: str) -> ModuleType:
    """A script as a module, such as `train/sb3_config.py`; it may import the others in its folder."""
    path = root() / name
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    return importlib.import_module(path.stem)


def first_line(path: Path) -> str:
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def configs() -> dict[str, Path]:
    """The configs by name: the game's folder and the file, such as `kuhn_poker/dqn`."""
    return {f"{path.parent.name}/{path.stem}": path for path in sorted((root() / CONFIGS).glob("*/*.toml"))}


def checkpoints(folder: str, suffixes: Iterable[str]) -> dict[str, Path]:
    """The checkpoints of a game by name: the file's name up to its first dot."""
    endings = tuple(suffixes)
    paths = sorted((root() / CHECKPOINTS / folder).glob("*"))
    return {path.name.partition(".")[0]: path for path in paths if path.name.endswith(endings)}


def config_path(path: Path) -> Path:
    """The config that a user names: a file, or the name of one that comes with cardgym, with or without `.toml`."""
    if path.is_file():
        return path
    known = configs()
    name = PurePosixPath(path.as_posix())
    name = name.relative_to(CONFIGS) if name.is_relative_to(CONFIGS) else name
    short = str(name).removesuffix(".toml")
    if short not in known:
        more = f"{nearest(short, known)}`cardgym train --help` lists those that come with cardgym"
        raise CardgymError(f"config {printable(str(path))}: no such file; {more}")
    return known[short]


def checkpoint_path(path: Path) -> Path:
    """The file that a user names or, if there is none, the file of that path among those that come with cardgym.

    So `checkpoints/kuhn_poker/dqn.safetensors` is found from any folder.
    """
    if not path.exists() and path.parts[:1] == (CHECKPOINTS,) and ".." not in path.parts:
        return root() / path
    return path
