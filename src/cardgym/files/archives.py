"""Zip archives: models of Stable-Baselines3 (`.zip`)."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO, Self

from cardgym.errors import CardgymError, printable
from cardgym.files.access import opened

_RATIO = 100
"""An archive that unpacks to more than this many times its size is a zip bomb."""
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    OSError,
    EOFError,
    ValueError,
    OverflowError,
    RuntimeError,
    NotImplementedError,
)
"""What `zipfile` raises for damaged archives."""


class Archive:
    """A zip archive open for reading, as a context manager.

    Members must be stored or deflated, and unencrypted. The sizes in the directory are checked first: all members
    together may unpack to at most 100 times the file's size.
    """

    def __init__(self, source: Path | IO[bytes], what: str, content: str) -> None:
        self._what = what
        self._content = content
        self._file = opened(source, what) if isinstance(source, Path) else source
        self._size = self._file.seek(0, io.SEEK_END)
        try:
            self._archive = zipfile.ZipFile(self._file)
            self._members = {member.filename: member for member in self._archive.infolist()}
            self._check_members()
        except _BROKEN as error:
            self._file.close()
            raise self._broken(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()
        self._file.close()

    def read(self, name: str, limit: int | None = None) -> bytes:
        """The content of a member of at most `limit` bytes."""
        if name not in self._members:
            raise CardgymError(f"{self._what}: truncated or not {self._content} (it has no {name})")
        member = self._members[name]
        if limit is not None and member.file_size > limit:
            raise CardgymError(f"{self._what}: {name} has more than {limit:,} bytes, the most that it may have")
        try:
            return self._archive.read(member)
        except _BROKEN as error:
            raise self._broken(error) from None

    def _check_members(self) -> None:
        members = self._archive.infolist()
        if len(members) != len(self._members):
            raise ValueError("two members have one name")
        if sum(member.compress_size for member in members) > self._size:
            raise ValueError("its members overlap")
        for member in members:
            name = printable(member.filename, 60)
            if member.flag_bits & 1:
                raise ValueError(f"{name} is encrypted")
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"{name} is compressed by an unknown method")
        unpacked = sum(member.file_size for member in members)
        if unpacked > _RATIO * self._size:
            raise ValueError(f"it unpacks to {unpacked:,} bytes, more than {_RATIO} times its own size")

    def _broken(self, error: Exception) -> CardgymError:
        reason = printable(str(error)) or type(error).__name__
        return CardgymError(f"{self._what}: truncated or not {self._content} ({reason})")
