"""Open files for reading, and write them atomically: a reader sees the old content or the new, never a part."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from cardgym.errors import CardgymError

_OLD_SECONDS = 3600
"""Temporary files untouched for this many seconds are considered abandoned."""


def opened(path: Path, what: str) -> IO[bytes]:
    """Return a regular file, open for reading; `what` names it in messages, such as `report a.json`."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise CardgymError(f"{what}: not a regular file")
        return open(path, "rb")
    except FileNotFoundError:
        broken = path.is_symlink()
        raise CardgymError(f"{what}: {'a broken link' if broken else 'no such file'}") from None
    except OSError as error:
        raise CardgymError(f"{what}: cannot be read ({error.strerror or error})") from None
    except ValueError as error:
        if isinstance(error, CardgymError):
            raise
        raise CardgymError(f"{what}: cannot be read ({error})") from None


def check_replaced(path: Path, mark: bytes, option: str) -> None:
    """Raise `CardgymError` unless `path` is free or an earlier file of the same kind, which has `mark` near its start.

    `option` is the flag that names the path.
    """
    if not os.path.lexists(path):
        return
    with opened(path, f"{option} {path}") as file:
        start = file.read(4096)
    if start and mark not in start:
        raise CardgymError(f"{option} {path}: exists, and is no earlier file of this kind; name another, or delete it")


@contextlib.contextmanager
def replacing(path: Path, *, durable: bool = True) -> Iterator[Path]:
    """Yield a temporary path that replaces `path` at the end of the block, and is removed after an error.

    If `path` is a symbolic link, the file it leads to is replaced, as if it were opened for writing.
    Unless `durable`, the content may be lost if the machine crashes, because it is not flushed to the disk.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        if durable:
            with open(temporary, "rb+") as file:  # Windows cannot sync a file opened for reading only.
                os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as error:
        raise CardgymError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a file of text; see `replacing`."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def remove_leftovers(folder: Path) -> None:
    """Remove the temporary files that killed processes left in a folder, but not those still being written."""
    for path in folder.glob(".*.part"):
        with contextlib.suppress(OSError):
            if not _running(path.name.split(".")[-2]) or time.time() - path.stat().st_mtime > _OLD_SECONDS:
                path.unlink()


def _running(process: str) -> bool:
    """Whether a process with that id runs; true where the system cannot say."""
    if os.name != "posix" or not process.isdecimal():
        return True
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
