"""Where compiled code is kept on disk, whatever state that disk is in: at worst, code is compiled again."""

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
"""Compiled code of another version is kept this long after its last use."""


class CodeFiles(FunctionCache):
    """Numba's files of one function's compiled code; damaged ones are replaced, and no error of the disk comes out."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled code of a signature; None where there is none, or none that can be read."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # Bytes that are no pickle fail in many ways.
            try:
                self.flush()  # type: ignore[no-untyped-call]  # Otherwise the index is read again to save.
            except OSError:
                self.disable()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the compiled code of a signature, if the disk takes it."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]


def cache_root() -> Path | None:
    """The folder below which compiled code is kept; `CARDGYM_CACHE_DIR` moves it; None without a home folder."""
    return user_folder("CARDGYM_CACHE_DIR", platformdirs.user_cache_path)


@cache
def cache_folder(digest: str) -> Path:
    """The folder of compiled code of one digest, made if need be.

    It may be one that can only be read, if it holds code. Where there is none it is a temporary one.
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
        return Path(os.devnull)  # Nothing can be written at all: then nothing is kept.
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    return Path(temporary)


@cache
def _prune(root: Path) -> None:
    """Remove what has not been used for long; once a process."""
    for old in root.iterdir():
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > _KEEP_SECONDS:
                shutil.rmtree(old, ignore_errors=True)
