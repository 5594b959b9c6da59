"""Files of arrays: safetensors with one JSON document in the metadata, read and written with NumPy alone.

The format is 8 bytes with the header's length, the header as JSON, and the arrays' bytes one after the other:
https://github.com/huggingface/safetensors#format. The document is the text under the metadata's key `cardgym`. The key
`sha256` has the digest of the whole file, with zeros in the digest's place, so any changed byte is noticed.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from cardgym.errors import CardgymError, printable
from cardgym.files import opened, replacing
from cardgym.files.json_values import parse_json

if TYPE_CHECKING:
    from cardgym.files.documents import Document

D = TypeVar("D", bound="Document")

SUFFIX = ".safetensors"
STATE_SUFFIX = f"resume{SUFFIX}"
"""How the names of states to resume from end; all other files with `SUFFIX` may be players."""
METADATA_KEY, DIGEST_KEY = "cardgym", "sha256"
_NO_DIGEST = "0" * 64
_MAX_HEADER = 16 << 20
"""The maximum size of a file's header with its metadata, in bytes; a network's has a few thousand."""
_CHUNK = 1 << 20
_DTYPES = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "I16": "<i2", "U16": "<u2", "F16": "<f2", "I32": "<i4", "U32": "<u4",
    "F32": "<f4", "F64": "<f8", "I64": "<i8", "U64": "<u8",
}  # fmt: skip
"""NumPy's dtypes by their names in the file, in the order in which the safetensors library sorts them."""
_NAMES = {np.dtype(code): name for name, code in _DTYPES.items()}
_ORDER = list(_DTYPES)

Arrays = dict[str, npt.NDArray[Any]]
Layout = Mapping[str, tuple[npt.DTypeLike, tuple[int | None, ...]]]
"""The arrays that a file must contain: by name, the dtype and the shape; None is a dimension of any size."""


class NotFiniteError(CardgymError):
    """NaN or infinity where there should be none: in an array that is to be written, or in a training."""


def write_tensors(path: Path, document: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays and a document, whole or not at all. The bytes depend on the arguments alone.

    The safetensors library can read them: arrays are sorted by dtype, then name.
    """
    contents = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    for name, array in contents.items():
        if not _is_finite(array):
            raise NotFiniteError(f"cannot write {path}: {name} has a number that is not finite")
    metadata = {DIGEST_KEY: _NO_DIGEST, METADATA_KEY: json.dumps(document, allow_nan=False)}
    header: dict[str, Any] = {"__metadata__": metadata}
    names = sorted(contents, key=lambda name: (-_ORDER.index(_NAMES[contents[name].dtype]), name))
    end = 0
    for name in names:
        array = contents[name]
        start, end = end, end + array.nbytes
        header[name] = {"dtype": _NAMES[array.dtype], "shape": array.shape, "data_offsets": [start, end]}
    head = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    head += b" " * (-len(head) % 8)
    arrays_bytes = (contents[name].reshape(-1).view(np.uint8).data for name in names)
    parts: list[bytes | memoryview] = [len(head).to_bytes(8, "little"), head, *arrays_bytes]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    parts[1] = head.replace(_NO_DIGEST.encode(), digest.hexdigest().encode(), 1)
    with replacing(path) as temporary, open(temporary, "wb") as file:
        for part in parts:
            file.write(part)


def read_tensors(
    path: Path, what: str, kind: type[D], layout: Layout | Callable[[D], Layout] | None
) -> tuple[D, Arrays]:
    """Read a file that `write_tensors` wrote, and verify its digest.

    The arrays must be exactly those of the layout. The header is checked before anything is allocated for them.

    Args:
        what: what messages call it, such as `checkpoint a.safetensors`.
        kind: the model of the document.
        layout: the arrays, or a function of the document that returns them, which may raise `CardgymError` itself;
            None for any arrays.

    Returns:
        The document, and the arrays by name; all their numbers are finite.
    """
    from cardgym.files.documents import parse_document

    with opened(path, what) as file:
        header, text, digest = _header(file, what)
        found = _found_arrays(header, os.fstat(file.fileno()).st_size - file.tell(), what)
        _verify(file, digest, what)
        document = parse_document(kind, text, f"{what}: metadata")
        wanted = found if layout is None else layout(document) if callable(layout) else layout
        for name in sorted({*wanted, *found}):
            if name not in wanted or name not in found or not _fits(wanted[name], *found[name]):
                raise CardgymError(
                    f"{what}: its metadata and its arrays do not match: {printable(name, 60)} should be "
                    f"{_text(*wanted[name]) if name in wanted else 'missing'}, and is "
                    f"{_text(*found[name]) if name in found else 'missing'}"
                )
        try:
            arrays = {
                name: np.fromfile(file, dtype, math.prod(shape)).reshape(shape)
                for name, (dtype, shape) in found.items()
            }
        except (OSError, ValueError) as error:
            raise _damaged(what, error) from None
    for name, array in arrays.items():
        if not _is_finite(array):
            raise CardgymError(f"{what}: {printable(name, 60)} has a number that is not finite; make the file again")
    return document, arrays


def read_document(path: Path, what: str) -> dict[str, Any]:
    """The document of a file as plain values, unchecked; no array is read."""
    with opened(path, what) as file:
        document = parse_json(_header(file, what)[1], f"{what}: metadata")
    if not isinstance(document, dict):
        raise CardgymError(f"{what}: metadata: not a JSON object")
    return document


def _is_finite(array: npt.NDArray[Any]) -> bool:
    return array.dtype.kind != "f" or bool(np.isfinite(array).all())


def _verify(file: IO[bytes], digest: str, what: str) -> None:
    """Compare a file with its digest; its position does not change."""
    start = file.tell()
    file.seek(0)
    found = hashlib.sha256(file.read(start).replace(digest.encode(errors="replace"), _NO_DIGEST.encode(), 1))
    while content := file.read(_CHUNK):
        found.update(content)
    if found.hexdigest() != digest:
        raise CardgymError(f"{what}: damaged (its content does not match its checksum); copy or make it again")
    file.seek(start)


def _header(file: IO[bytes], what: str) -> tuple[dict[str, Any], str, str]:
    """The entries of the arrays as plain values, the document and the digest; the file is then at the first array."""
    try:
        length = int.from_bytes(file.read(8), "little")
        if length > _MAX_HEADER:
            raise ValueError(f"a header of {length:,} bytes")
        header = parse_json(file.read(min(length, os.fstat(file.fileno()).st_size)), "header")
        if not isinstance(header, dict):
            raise ValueError("a header that is not a JSON object")
    except (OSError, ValueError) as error:
        raise _damaged(what, error) from None
    metadata = header.pop("__metadata__", None)
    text, digest = (metadata.get(key) if isinstance(metadata, dict) else None for key in (METADATA_KEY, DIGEST_KEY))
    if not isinstance(text, str):
        raise CardgymError(f"{what}: not a file of cardgym (no {METADATA_KEY!r} in its metadata)")
    if not isinstance(digest, str):
        raise CardgymError(f"{what}: has no checksum: an earlier version of cardgym wrote it; make it again")
    return header, text, digest


def _found_arrays(header: dict[str, Any], size: int, what: str) -> dict[str, tuple[np.dtype[Any], tuple[int, ...]]]:
    """The dtypes and shapes that a header declares, in the file's order; together they are `size` bytes."""
    found = {}
    place = 0
    try:
        for name, entry in sorted(header.items(), key=lambda item: tuple(item[1]["data_offsets"])):
            dtype, shape = np.dtype(_DTYPES[entry["dtype"]]), tuple(entry["shape"])
            if not all(type(length) is int and length >= 0 for length in shape):
                raise ValueError(f"{name} has the shape {shape}")
            end = place + dtype.itemsize * math.prod(shape)
            if entry["data_offsets"] != [place, end]:
                raise ValueError(f"{name} is not at {place:,} to {end:,}")
            found[name] = dtype, shape
            place = end
        if place != size:
            raise ValueError(f"{size:,} bytes of arrays where it declares {place:,}")
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(what, error) from None
    return found


def _fits(wanted: tuple[npt.DTypeLike, tuple[int | None, ...]], dtype: np.dtype[Any], shape: tuple[int, ...]) -> bool:
    lengths = wanted[1]
    return (
        np.dtype(wanted[0]) == dtype
        and len(lengths) == len(shape)
        and all(length in (None, other) for length, other in zip(lengths, shape, strict=True))
    )


def _text(dtype: npt.DTypeLike, shape: tuple[int | None, ...]) -> str:
    lengths = ", ".join("any" if length is None else str(length) for length in shape)
    return f"{_NAMES[np.dtype(dtype)]} ({printable(lengths, 60)})"


def _damaged(what: str, error: Exception) -> CardgymError:
    reason = printable(str(error)) or type(error).__name__
    return CardgymError(f"{what}: truncated or not a safetensors file ({reason})")
