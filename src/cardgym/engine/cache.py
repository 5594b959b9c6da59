"""Compiled code on disk: a digest of everything it depends on, and a folder for each digest."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import inspect
import os
import shutil
import sys
import tempfile
import time
import types
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import filelock
import llvmlite
import numba
import numpy as np
import platformdirs

_VERSIONS = repr((sys.version_info[:2], numba.__version__, llvmlite.__version__, np.__version__))
_COMPILER = tuple(f"{__package__}.{name}" for name in ("compilation", "cache", "internals"))
"""The modules that determine how all others are compiled."""
_LOCK_SECONDS = 600
"""After waiting this long for another process, compile as well: slower, but harmless."""
_KEEP_SECONDS = 30 * 24 * 3600
"""Compiled code unused for this long is deleted."""


# -- dependencies -----------------------------------------------------------------------------------------------------


def digest_of(function: Callable[..., Any] | None) -> str:
    """A digest of the modules that a function can reach and of the constants read there; of the compiler if None."""
    modules, constants = (frozenset[str](), frozenset[bytes]()) if function is None else reachable(function)
    digest = hashlib.sha256(_VERSIONS.encode())
    for name in sorted({*modules, *_COMPILER}):
        digest.update(name.encode())
        digest.update(_source(name))
    for constant in sorted(constants):
        digest.update(constant)
    return digest.hexdigest()[:16]


@cache
def reachable(function: Callable[..., Any]) -> tuple[frozenset[str], frozenset[bytes]]:
    """The modules of a compiled function and of all functions it can reach, and the constants that these read."""
    functions: dict[int, types.FunctionType] = {}
    constants: set[bytes] = set()
    waiting: list[Any] = [plain_function(function)]
    while waiting:
        plain = waiting.pop()
        if id(plain) in functions:
            continue
        functions[id(plain)] = plain
        waiting += _called(plain)
        for name, value in _globals_read(plain):
            if not isinstance(plain_function(value), types.FunctionType):
                constants.update(_constants(name, value))
    return frozenset(plain.__module__ for plain in functions.values()), frozenset(constants)


def _called(plain: types.FunctionType) -> list[types.FunctionType]:
    """The functions outside libraries that a function refers to, and so may call."""
    read = (plain_function(value) for _, value in _globals_read(plain))
    return [inner for inner in read if isinstance(inner, types.FunctionType) and not _is_library(inner.__module__)]


def plain_function(value: Any) -> Any:
    """The Python function behind a compiled or wrapped one; any other value unchanged."""
    value = getattr(value, "py_func", value)
    return inspect.unwrap(value) if callable(value) else value


def _constants(name: str, value: Any) -> Iterator[bytes]:
    if isinstance(value, np.ndarray):
        yield f"{name} {value.dtype} {value.shape} ".encode() + value.tobytes()
    elif isinstance(value, tuple):
        for place, part in enumerate(value):
            yield from _constants(f"{name}[{place}]", part)
    elif isinstance(value, bool | int | float | str | np.generic | np.dtype):
        yield f"{name} {value!r}".encode()


def _globals_read(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The names and values of the globals that a function reads, including attributes of modules and of `bound`."""
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
        for name in code.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, types.ModuleType):
                if not _is_library(value.__name__):
                    yield from ((f"{name}.{part}", vars(value)[part]) for part in code.co_names if part in vars(value))
            elif name in function.__globals__:
                yield name, value
    for number, cell in enumerate(function.__closure__ or ()):
        yield f"cell {number}", cell.cell_contents


def _is_library(module: str) -> bool:
    return module.partition(".")[0] in ("numpy", "numba", "builtins", "math")


@cache
def _source(module: str) -> bytes:
    path = getattr(sys.modules.get(module), "__file__", None)
    return Path(path).read_bytes() if path else b""


# -- folders ----------------------------------------------------------------------------------------------------------


def user_folder(variable: str, default: Callable[..., Path]) -> Path | None:
    """The folder that an environment variable names, or else the default; None for a user without a home folder."""
    if named := os.environ.get(variable):
        return Path(named)
    try:
        folder = default("cardgym", appauthor=False)
    except RuntimeError:  # No home folder; older versions of platformdirs return a relative path instead.
        return None
    return folder if folder.is_absolute() else None


def cache_root() -> Path | None:
    """The cache folder, which `CARDGYM_CACHE_DIR` overrides; None without a home folder."""
    return user_folder("CARDGYM_CACHE_DIR", platformdirs.user_cache_path)


@cache
def cache_folder(digest: str) -> Path:
    """The folder for the compiled code of one digest, created if necessary.

    A read-only folder is used if it contains code; otherwise the code goes to a temporary folder.
    """
    root = cache_root()
    if root is None:
        return _temporary_root() / digest
    folder = root / "compiled" / digest
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
    return _temporary_root() / digest


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
