"""Folders in which one process works at a time."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from cardgym.errors import CardgymError, printable

_LOCK, _OWNER = ".lock", ".owner"
"""The file that the system locks, and the file that says which process locked it."""
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP)


@contextlib.contextmanager
def locked(folder: Path, *, seconds: float = 0.0) -> Iterator[None]:
    """Keep other processes out of a folder, which is made if it does not exist; this process may enter it again.

    The system releases the lock when its process ends, however it ends, so a lock never outlives its owner. Some
    network disks have no locks; there the folder is not protected.

    Args:
        folder: the folder.
        seconds: how long to wait for another process.

    Raises:
        CardgymError: if another process works in the folder, or the folder cannot be written.
    """
    try:
        new = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder.resolve() / _LOCK, is_singleton=True)
        again = lock.is_locked
        lock.acquire(timeout=seconds)
    except Timeout:
        raise CardgymError(
            f"{folder}: in use by {_owner(folder)}; wait until it ends, or name another folder with --out"
        ) from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise CardgymError(f"cannot make the folder {folder}: {error.strerror or error}; name another") from error
        yield
        return
    except NotImplementedError:
        yield
        return
    try:
        if not again:
            with contextlib.suppress(OSError):
                (folder / _OWNER).write_text(f"process {os.getpid()} on {socket.gethostname()}", encoding="utf-8")
        yield
    finally:
        if not again:
            with contextlib.suppress(OSError):
                (folder / _OWNER).unlink(missing_ok=True)
                (folder / _LOCK).unlink(missing_ok=True)
                for path in new:
                    path.rmdir()  # If nothing came of it.
        lock.release()


def _owner(folder: Path) -> str:
    try:
        return printable((folder / _OWNER).read_text(encoding="utf-8"), 100)
    except (OSError, ValueError):
        return "another process"
