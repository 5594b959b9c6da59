"""Locks: one process at a time works in a folder, or writes a file."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from filelock import FileLock, Timeout

from cardgym.errors import CardgymError, printable

_LOCK, _OWNER = ".lock", ".owner"
"""The suffixes of the file that the system locks, and of the one that says which process locked it."""
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP)


@contextlib.contextmanager
def locked(folder: Path, *, file: str = "", seconds: float = 0.0) -> Iterator[None]:
    """Keep other processes out of a folder, or of one file there; a missing folder is created.

    Waits up to `seconds` for another process; the same process can enter again. The system releases the lock however
    its process ends, so a lock never outlives its owner. Some network disks have no locks; a folder there is not
    protected.
    """
    hidden = f".{file}" if file else ""
    owner = folder / f"{hidden}{_OWNER}"
    try:
        new = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder.resolve() / f"{hidden}{_LOCK}", is_singleton=True)
        again = lock.is_locked
        lock.acquire(timeout=seconds)
    except Timeout:
        raise CardgymError(
            f"{folder / file}: in use by {_text(owner)}; wait until it ends, or name another with --out"
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
                owner.write_text(f"process {os.getpid()} on {socket.gethostname()}", encoding="utf-8")
        yield
    finally:
        if not again:
            with contextlib.suppress(OSError):
                owner.unlink(missing_ok=True)
                Path(lock.lock_file).unlink(missing_ok=True)
                for path in new:
                    path.rmdir()  # Unless something was written.
        lock.release()


def locked_file(path: Path | None) -> AbstractContextManager[None]:
    """Keep other processes from a file that this one will write; does nothing for None. See `locked`."""
    return contextlib.nullcontext() if path is None else locked(path.parent, file=path.name)


def _text(owner: Path) -> str:
    try:
        return printable(owner.read_text(encoding="utf-8"), 100)
    except (OSError, ValueError):
        return "another process"
