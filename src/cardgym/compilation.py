"""Compiling rules and kernels with Numba, and keeping the compiled code on disk.

Numba's own cache does not notice an edit in an imported file, so the cache lies in a folder named by a digest of
every source it can depend on: a stale rule cannot be served.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import inspect
import os
import shutil
import sys
import tempfile
import time
import types
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numba.core
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

config: Any = numba.core.config
"""Numba's settings, which it does not type."""

_KEEP_SECONDS = 30 * 24 * 3600
"""A compiled cache of another version is kept this long after its last use."""


def rule(function: F) -> F:
    """Compile one rule of a game; with Numba's JIT off (`NUMBA_DISABLE_JIT=1`) it stays plain Python.

    A rule may call other rules. It is not cached by itself: the kernels that contain it are.
    """
    return cast(F, numba.njit(error_model="numpy")(function))


def compiled(function: F) -> F:
    """Compile an entry point that Python calls, and keep the result on disk."""
    return cast(F, _cached_njit(function, cache_folder()))


def bind(
    template: Callable[..., Any], suffix: str, sources: Iterable[Path] | None, /, **names: Any
) -> Callable[..., Any]:
    """Compile `template` with some of its global names replaced: one text, a kernel for each game.

    A closure would do the same but never hits Numba's disk cache. `suffix` tells the copies apart there; `sources`
    are files outside the package that the copy depends on. With None the copy is for compiled code only, which keeps
    it as a part of itself: it is not cached, and Python cannot call it.
    """
    copy = types.FunctionType(
        template.__code__,
        {**template.__globals__, **names},
        f"{template.__name__}_{suffix}",
        template.__defaults__,
    )
    copy.__qualname__ = copy.__name__
    copy.__module__ = template.__module__
    copy.__doc__ = template.__doc__
    if config.DISABLE_JIT:
        return _with_records(copy)
    if sources is None:
        untyped: Any = numba.njit  # Its stubs leave out the two options.
        return cast(
            Callable[..., Any], untyped(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(copy)
        )
    return cast(Callable[..., Any], _cached_njit(copy, cache_folder(*sources)))


def _cached_njit(function: Callable[..., Any], folder: Path) -> Any:
    if config.DISABLE_JIT:
        return _with_records(function)
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        return numba.njit(cache=True, error_model="numpy")(function)
    finally:
        config.CACHE_DIR = before


def _with_records(function: Callable[..., Any]) -> Callable[..., Any]:
    """Interpreted, a structured array's rows have their fields as attributes only if it is an `np.recarray`."""

    @functools.wraps(function)
    def interpreted(*args: Any) -> Any:
        return function(
            *(
                arg.view(np.recarray) if isinstance(arg, np.ndarray) and arg.dtype.names is not None else arg
                for arg in args
            )
        )

    return interpreted


@cache
def cache_folder(*sources: Path) -> Path:
    """The folder of compiled code for this version of the package and of `sources`, made if need be."""
    digest = hashlib.sha256(package_digest().encode())
    for source in sorted(sources):
        digest.update(source.read_bytes())
    root = Path(os.environ.get("CARDGYM_CACHE_DIR") or _user_cache() / "cardgym")
    folder = root / f"numba-{digest.hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        _prune(root)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    temporary = tempfile.mkdtemp(prefix="cardgym-numba-")
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    return Path(temporary)


def sources_of(functions: Iterable[Callable[..., Any]]) -> tuple[Path, ...]:
    """The files outside the package that functions are written in, and those beside them that these import."""
    package = Path(__file__).parent
    waiting = [inspect.getmodule(inspect.unwrap(function)) for function in functions]
    found: set[Path] = set()
    while waiting:
        module = waiting.pop()
        path = Path(getattr(module, "__file__", None) or package / "-").resolve()
        if path in found or package in path.parents:
            continue
        found.add(path)
        for value in list(vars(module).values()):
            owner = value if isinstance(value, types.ModuleType) else sys.modules.get(getattr(value, "__module__", ""))
            if path.parent in Path(getattr(owner, "__file__", None) or "-").resolve().parents:
                waiting.append(owner)
    return tuple(sorted(found))


@cache
def package_digest() -> str:
    """A digest of every Python file of the package."""
    digest = hashlib.sha256()
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def announce(what: str) -> None:
    """Tell the user, once per version, that `what` is being compiled for the first time."""
    if config.DISABLE_JIT:
        return
    marker = cache_folder() / f"{what}.announced"
    if not marker.exists():
        print(
            f"cardgym: compiling {what}, once for this version (seconds, half a minute at most) ...",
            file=sys.stderr,
            flush=True,
        )
        marker.touch()


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _prune(root: Path) -> None:
    for old in root.glob("numba-*"):
        if time.time() - old.stat().st_mtime > _KEEP_SECONDS:
            shutil.rmtree(old, ignore_errors=True)
