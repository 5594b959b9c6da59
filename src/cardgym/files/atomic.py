"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from cardgym.errors import CardgymError

_OLD_SECONDS = 3600
"""A temporary file that nobody wrote to for so long is left over."""


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path, which replaces `path` at the end of the block; after an error it is removed.

    Raises:
        CardgymError: where the folder cannot be written or the disk is full.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        with open(temporary, "rb+") as file:  # Windows syncs no file that is open for reading alone.
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise CardgymError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def user_folder(variable: str, default: Callable[..., Path]) -> Path | None:
    """The folder that an environment variable names; the user's own without it, None for a user without a home folder.

    Args:
        variable: the variable's name.
        default: a function of platformdirs, such as `user_cache_path`.
    """
    if named := os.environ.get(variable):
        return Path(named)
    try:
        folder = default("cardgym", appauthor=False)
    except RuntimeError:  # Its newer versions see that there is no home; older ones return a relative path.
        return None
    return folder if folder.is_absolute() else None


def sweep(folder: Path) -> None:
    """Remove the temporary files that killed processes left in a folder, and nothing that is still being written."""
    for path in folder.glob(".*.part"):
        with contextlib.suppress(OSError):
            if not _running(path.name.split(".")[-2]) or time.time() - path.stat().st_mtime > _OLD_SECONDS:
                path.unlink()


def _running(process: str) -> bool:
    """Whether a process of that number runs; true where the system does not tell."""
    if os.name != "posix" or not process.isdecimal():
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
