"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from cardgym.errors import CardgymError


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
