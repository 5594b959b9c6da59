"""The disk cache of compiled code. Disk errors and damaged files only cause recompilation."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs
from numba.core.caching import FunctionCache

from cardgym.files.atomic import user_folder

_KEEP_SECONDS = 30 * 24 * 3600
"""Compiled code that nobody has used for this long is deleted."""


class CodeFiles(FunctionCache):
    """Numba's cache files of one function. Damaged files are replaced; disk errors are not raised."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled code of a signature; None if it is missing or unreadable."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # Damaged pickles fail in many ways.
            try:
                self.flush()  # type: ignore[no-untyped-call]  # Otherwise saving would read the damaged index.
            except OSError:
                self.disable()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save the compiled code of a signature; ignore disk errors."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]


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
        if os.access(folder, os.W_OK) or any(folder.glob("*.nbc")):
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
