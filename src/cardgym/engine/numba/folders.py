"""The folders of compiled code: one for each digest, in the user's cache folder or a temporary one."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import filelock
import platformdirs

from cardgym.files.atomic import user_folder

_LOCK_SECONDS = 600
"""After waiting this long for another process, compile as well: slower, but harmless."""
_KEEP_SECONDS = 30 * 24 * 3600
"""Compiled code that nobody has used for this long is deleted."""


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
        return Path(os.devnull)  # Nothing can be written anywhere: nothing is cached.
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
    """Hold the folder's lock if it can be locked, so that other processes wait and then find the code compiled."""
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
