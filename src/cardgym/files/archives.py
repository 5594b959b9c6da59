"""Zip archives from strangers, and the arrays in NumPy's `.npz`, which is one."""

from __future__ import annotations

import io
import math
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
import numpy.typing as npt

from cardgym.errors import CardgymError, printable

_RATIO = 100
"""An archive may unpack to this many times its size: more is a zip bomb."""
_MAX_DIRECTORY = 1 << 18
"""Bytes of an archive's directory; a directory of millions of members would take longer to read than their contents."""
_MAX_HEADER = 512
"""Characters of an array's header; that of a plain array has about 120."""
_CHUNK = 1 << 20
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    OSError,
    EOFError,
    ValueError,
    TypeError,
    SyntaxError,
    OverflowError,
    RuntimeError,
    NotImplementedError,
)
"""What zipfile and NumPy raise for damaged archives and headers."""


class Archive:
    """A zip archive open for reading, as a context manager. Its members are plain or deflated, and none is encrypted.

    What its directory declares is compared with the file's size first: all members together unpack to at most 100 times
    that.
    """

    def __init__(self, source: Path | IO[bytes], what: str, content: str = "a zip archive") -> None:
        """Open an archive.

        Args:
            source: the file.
            what: what messages call it, such as `Q-table a.npz`.
            content: what it should be, for messages.

        Raises:
            CardgymError: for a file that is missing, or no such archive.
        """
        self._what = what
        self._content = content
        if isinstance(source, Path) and not source.is_file():
            raise CardgymError(f"{what}: no such file")
        try:
            self._file = _ShortReads(source.open("rb") if isinstance(source, Path) else source)
        except OSError as error:
            raise CardgymError(f"{what}: cannot be read ({error.strerror or error})") from None
        try:
            self._archive = zipfile.ZipFile(self._file)
            self._file.limit = None
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

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its members."""
        return tuple(self._members)

    def read(self, name: str, limit: int | None = None) -> bytes:
        """The content of a member of at most `limit` bytes.

        Raises:
            CardgymError: where it is missing, damaged or larger.
        """
        member = self._member(name)
        if limit is not None and member.file_size > limit:
            raise CardgymError(f"{self._what}: {name} has more than {limit:,} bytes, the most that it may have")
        try:
            return self._archive.read(member)
        except _BROKEN as error:
            raise self._broken(error) from None

    def array(self, name: str, dtype: npt.DTypeLike, ndim: int = 1) -> npt.NDArray[Any]:
        """The array `name` of an `.npz`: of this dtype and number of dimensions, in C order.

        Raises:
            CardgymError: where it is missing, damaged or another; nothing is allocated for another.
        """
        member = self._member(f"{name}.npy")
        try:
            with self._archive.open(member) as file:
                shape, fortran, found = _header(file)
                size = math.prod(shape) * found.itemsize
                if fortran or found != np.dtype(dtype) or len(shape) != ndim:
                    raise ValueError(f"{name} is {found} of {len(shape)} dimensions")
                if size != member.file_size - file.tell():
                    raise ValueError(f"{name} declares {size:,} bytes")
                array = np.empty(shape, found)
                if size:
                    _fill(file, array.reshape(-1).view(np.uint8).data)
                return array
        except _BROKEN as error:
            raise self._broken(error) from None

    def text(self, name: str, limit: int = 1 << 20) -> str:
        """The array `name` of an `.npz` that holds one string, of at most `limit` characters.

        Raises:
            CardgymError: as `array`.
        """
        member = self._member(f"{name}.npy")
        try:
            with self._archive.open(member) as file:
                shape, _, found = _header(file)
                if shape != () or found.kind != "U" or found.itemsize > 4 * limit:
                    raise ValueError(f"{name} is no text of up to {limit:,} characters")
                if found.itemsize != member.file_size - file.tell():
                    raise ValueError(f"{name} declares {found.itemsize:,} bytes")
                return file.read().decode("utf-32-be" if found.byteorder == ">" else "utf-32-le").rstrip("\0")
        except _BROKEN as error:
            raise self._broken(error) from None

    def _member(self, name: str) -> zipfile.ZipInfo:
        if name not in self._members:
            raise CardgymError(f"{self._what}: truncated or not {self._content} (it has no {name})")
        return self._members[name]

    def _check_members(self) -> None:
        members = self._archive.infolist()
        if len(members) != len(self._members):
            raise ValueError("two members have one name")
        if sum(member.compress_size for member in members) > self._file.size:
            raise ValueError("its members overlap")
        for member in members:
            name = printable(member.filename, 60)
            if member.flag_bits & 1:
                raise ValueError(f"{name} is encrypted")
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"{name} is compressed by an unknown method")
        unpacked = sum(member.file_size for member in members)
        if unpacked > _RATIO * self._file.size:
            raise ValueError(f"it unpacks to {unpacked:,} bytes, more than {_RATIO} times its own size")

    def _broken(self, error: Exception) -> CardgymError:
        reason = printable(str(error)) or type(error).__name__
        return CardgymError(f"{self._what}: truncated or not {self._content} ({reason})")


class _ShortReads:
    """A file that refuses long reads while the archive's directory is read, which zipfile does in one."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.limit: int | None = _MAX_DIRECTORY
        self.size = file.seek(0, io.SEEK_END)
        file.seek(0)

    def read(self, size: int = -1) -> bytes:
        if self.limit is None:
            return self._file.read(size)
        content = self._file.read(self.limit + 1 if size < 0 else min(size, self.limit + 1))
        if len(content) > self.limit:
            raise ValueError("its directory is too long")
        return content

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """The shape, whether it is in Fortran order, and the dtype of an array in NumPy's format, version 1.0."""
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("an array of an unknown version")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(file, max_header_size=_MAX_HEADER)
    if dtype.hasobject or any(size < 0 for size in shape):
        raise ValueError("an array of objects, or of a negative size")
    return shape, fortran, dtype


def _fill(file: IO[bytes], view: memoryview) -> None:
    done = 0
    while done < len(view):
        chunk = file.read(min(_CHUNK, len(view) - done))
        if not chunk:
            raise EOFError("its data end early")
        view[done : done + len(chunk)] = chunk
        done += len(chunk)
    if file.read(1):  # Reading on to the end compares the checksum.
        raise ValueError("its data are longer than declared")
