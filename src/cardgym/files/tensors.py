"""Files of arrays: safetensors with one JSON document in the metadata, read and written with NumPy alone.

The format is 8 bytes with the header's length, the header as JSON, and the arrays' bytes one after the other:
https://github.com/huggingface/safetensors#format. The document is the text under the metadata's key `cardgym`.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from cardgym.errors import CardgymError, printable
from cardgym.files.atomic import replacing
from cardgym.files.json_values import parse_json

if TYPE_CHECKING:
    from cardgym.files.documents import Document

D = TypeVar("D", bound="Document")

SUFFIX = ".safetensors"
METADATA_KEY = "cardgym"
_MAX_HEADER = 1 << 20
"""Bytes of a file's header, metadata included; cardgym's have a few thousand."""
_DTYPES = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "I16": "<i2", "U16": "<u2", "F16": "<f2", "I32": "<i4", "U32": "<u4",
    "F32": "<f4", "F64": "<f8", "I64": "<i8", "U64": "<u8",
}  # fmt: skip
"""NumPy's dtypes by their names in the file, in the order in which the safetensors library sorts them."""
_NAMES = {np.dtype(code): name for name, code in _DTYPES.items()}
_ORDER = list(_DTYPES)

Arrays = dict[str, npt.NDArray[Any]]
Layout = Mapping[str, tuple[npt.DTypeLike, tuple[int | None, ...]]]
"""The arrays that a file must hold: by name, the dtype and the shape; None is a dimension of any size."""


def write_tensors(path: Path, document: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays and a document, whole or not at all. The bytes depend on the arguments alone.

    They are the bytes that `safetensors.numpy.save` writes, with the arrays sorted by dtype, then name.

    Args:
        path: the file.
        document: plain values, among them `format`, which says what the file holds.
        arrays: the arrays by name.

    Raises:
        CardgymError: where the file cannot be written.
    """
    contents = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    header: dict[str, Any] = {"__metadata__": {METADATA_KEY: json.dumps(document)}}
    names = sorted(contents, key=lambda name: (-_ORDER.index(_NAMES[contents[name].dtype]), name))
    end = 0
    for name in names:
        array = contents[name]
        start, end = end, end + array.nbytes
        header[name] = {"dtype": _NAMES[array.dtype], "shape": array.shape, "data_offsets": [start, end]}
    head = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    head += b" " * (-len(head) % 8)
    with replacing(path) as temporary, open(temporary, "wb") as file:
        file.write(len(head).to_bytes(8, "little"))
        file.write(head)
        for name in names:
            file.write(contents[name].reshape(-1).view(np.uint8).data)


def read_tensors(path: Path, what: str, kind: type[D], layout: Layout | Callable[[D], Layout]) -> tuple[D, Arrays]:
    """Read a file that `write_tensors` wrote.

    The arrays have to be exactly those of the layout. The header is checked before anything is allocated for them.

    Args:
        path: the file.
        what: what messages call it, such as `checkpoint a.safetensors`.
        kind: the model of the document.
        layout: the arrays, or a function of the document that returns them, which may raise `CardgymError` itself.

    Returns:
        The document, and the arrays by name.

    Raises:
        CardgymError: for a file that is missing, truncated or another.
    """
    from cardgym.files.documents import parse_document

    with _opened(path, what) as file:
        header = _header(file, what)
        document = parse_document(kind, _document_text(header, what), f"{what}: metadata")
        wanted = layout(document) if callable(layout) else layout
        found = _found_arrays(header, os.fstat(file.fileno()).st_size - file.tell(), what)
        for name in sorted({*wanted, *found}):
            if name not in wanted or name not in found or not _fits(wanted[name], *found[name]):
                raise CardgymError(
                    f"{what}: its metadata and its arrays do not match: {printable(name, 60)} should be "
                    f"{_text(*wanted[name]) if name in wanted else 'missing'}, and is "
                    f"{_text(*found[name]) if name in found else 'missing'}"
                )
        try:
            return document, {
                name: np.fromfile(file, dtype, math.prod(shape)).reshape(shape)
                for name, (dtype, shape) in found.items()
            }
        except (OSError, ValueError) as error:
            raise _damaged(what, error) from None


def read_document(path: Path, what: str) -> dict[str, Any]:
    """The document of a file as plain values, unchecked; no array is read.

    Raises:
        CardgymError: for a file that is missing, or has no JSON object in its metadata.
    """
    with _opened(path, what) as file:
        document = parse_json(_document_text(_header(file, what), what), f"{what}: metadata")
    if not isinstance(document, dict):
        raise CardgymError(f"{what}: metadata: not a JSON object")
    return document


def _opened(path: Path, what: str) -> IO[bytes]:
    if not path.is_file():
        raise CardgymError(f"{what}: no such file")
    try:
        return open(path, "rb")
    except OSError as error:
        raise CardgymError(f"{what}: cannot be read ({error.strerror or error})") from None


def _header(file: IO[bytes], what: str) -> dict[str, Any]:
    """The header, as plain values; the file is left at the first array."""
    try:
        length = int.from_bytes(file.read(8), "little")
        if length > _MAX_HEADER:
            raise ValueError(f"a header of {length:,} bytes")
        header = parse_json(file.read(length), "header")
        if not isinstance(header, dict):
            raise ValueError("a header that is not a JSON object")
    except (OSError, ValueError) as error:
        raise _damaged(what, error) from None
    return header


def _document_text(header: dict[str, Any], what: str) -> str:
    metadata = header.pop("__metadata__", None)
    text = metadata.get(METADATA_KEY) if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        raise CardgymError(f"{what}: not a file of cardgym (no {METADATA_KEY!r} in its metadata)")
    return text


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
