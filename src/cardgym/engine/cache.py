"""Compiled code on disk: a digest of everything it depends on, and a folder for each digest."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import importlib.util
import inspect
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from cardgym.engine.digest import Reach, renewed

TARGETS: list[str] = []
"""The modules that compile entry points for other machines, too; such code is kept in folders of its own."""
_LOCK_SECONDS = 600
"""After waiting this long for another process, compile as well: slower, but harmless."""
_KEEP_SECONDS = 30 * 24 * 3600
"""Compiled code unused for this long is deleted."""


def digest_of(function: Callable[..., Any] | None) -> str:
    """Return the digest that names the folder of a function's compiled code; of the compiler alone if None."""
    import llvmlite
    import numba

    versions = repr((numba.__version__, llvmlite.__version__, np.__version__))
    reach = "" if function is None else renewed(function).digest
    return hashlib.sha256(f"{versions} {_compiler()} {reach}".encode()).hexdigest()[:16]


def plain_function(value: Any) -> Any:
    """Return the Python function behind a compiled or wrapped one; any other value unchanged."""
    value = getattr(value, "py_func", value)
    return inspect.unwrap(value) if callable(value) else value


@cache
def _compiler() -> str:
    """Return a digest of the modules that determine how all others are compiled."""
    names = ("compilation", "internals", "linking", *TARGETS)
    specs = [importlib.util.find_spec(f"{__package__}.{name}") for name in names]
    return Reach([spec.loader.get_code(spec.name) for spec in specs]).digest  # type: ignore[union-attr]


# -- folders ----------------------------------------------------------------------------------------------------------


def user_folder(variable: str, default: Callable[..., Path]) -> Path | None:
    """Get the folder that an environment variable names, or else the default; None for a user without a home folder."""
    if named := os.environ.get(variable):
        return Path(named)
    try:
        folder = default("cardgym", appauthor=False)
    except RuntimeError:  # No home folder; older versions of platformdirs return a relative path instead.
        return None
    return folder if folder.is_absolute() else None


def cache_root() -> Path | None:
    """Return the cache folder, which `CARDGYM_CACHE_DIR` overrides; None without a home folder."""
    return user_folder("CARDGYM_CACHE_DIR", platformdirs.user_cache_path)


@cache
def cache_folder(digest: str) -> Path:
    """Return the folder for the compiled code of one digest, created if necessary.

    A read-only folder is used if it contains code; otherwise the code goes to a temporary folder.
    """
    root = cache_root()
    folder = (_temporary_root() if root is None else root / "compiled") / digest
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > 3600:
                os.utime(folder)
            _prune(folder.parent)
        if os.access(folder, os.W_OK) or any(path.name != "lock" for path in folder.iterdir()):
            return folder
    except OSError:
        pass
    folder = _temporary_root() / digest
    with contextlib.suppress(OSError):  # Nothing can be made below `os.devnull`.
        folder.mkdir(exist_ok=True)
    return folder


@cache
def _temporary_root() -> Path:
    try:
        temporary = tempfile.mkdtemp(prefix="cardgym-compiled-")
    except OSError:
        return Path(os.devnull)  # No folder is writable, so nothing is cached.
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    return Path(temporary)


@cache
def _prune(root: Path) -> None:
    """Remove folders unused for `_KEEP_SECONDS`; once per process."""
    for old in root.iterdir():
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > _KEEP_SECONDS:
                shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, if the disk supports locks: other processes wait, then find the code compiled."""
    import filelock

    lock = filelock.FileLock(folder / "lock", timeout=_LOCK_SECONDS, is_singleton=True)  # Reentrant.
    try:
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            from cardgym.console.progress import waiting

            with waiting("another process compiles this"):
                lock.acquire()
    except (NotImplementedError, OSError, filelock.Timeout):  # Some network disks have no locks.
        yield
        return
    try:
        yield
    finally:
        lock.release()
