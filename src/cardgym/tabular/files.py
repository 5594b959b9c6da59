"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from cardgym.errors import CardgymError


def write_whole(path: Path | str, write: Callable[[Path], object]) -> Path:
    """Let `write` fill a file of a temporary name beside `path`, and rename it when it is done.

    Raises:
        CardgymError: where the folder cannot be written, or the disk is full.
    """
    path = Path(path)
    scratch = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
        os.close(handle)
        scratch = Path(name)
        write(scratch)
        umask = os.umask(0)
        os.umask(umask)
        scratch.chmod(0o666 & ~umask)  # A temporary file is the owner's only.
        os.replace(scratch, path)
    except OSError as error:
        raise CardgymError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        if scratch is not None:
            scratch.unlink(missing_ok=True)
    return path


def write_text(path: Path | str, text: str) -> Path:
    """Write a text file whole or not at all."""
    return write_whole(path, lambda scratch: scratch.write_text(text, encoding="utf-8"))
