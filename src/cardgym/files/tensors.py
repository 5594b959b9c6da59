"""Files of arrays: safetensors, with one JSON document in the metadata and a checksum of the whole file.

The document is the text under the metadata's key `cardgym`. Its key `file_sha256` has the digest of the file, with
zeros in the digest's place, so any changed byte is noticed. The library is imported on first use, because envs that
never open such a file import this module.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from cardgym.errors import CardgymError, printable
from cardgym.files.access import opened, replacing
from cardgym.files.json_values import digest_of, parse_json

if TYPE_CHECKING:
    from cardgym.files.documents import Document

D = TypeVar("D", bound="Document")

SUFFIX = ".safetensors"
STATE_SUFFIX = f"resume{SUFFIX}"
"""How the names of states to resume from end; all other files with `SUFFIX` may be players."""
METADATA_KEY, DIGEST_KEY = "cardgym", "file_sha256"
_NO_DIGEST = "0" * 64

Arrays = dict[str, npt.NDArray[Any]]
Layout = Mapping[str, tuple[npt.DTypeLike, tuple[int | None, ...]]]
"""The arrays that a file must contain: by name, the dtype and the shape; None is a dimension of any size."""


class NotFiniteError(CardgymError):
    """NaN or infinity where there should be none: in an array that is to be written, or in a training."""


def write_tensors(path: Path, document: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays and a document, whole or not at all. The bytes depend on the arguments alone."""
    from safetensors.numpy import save

    contents = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    for name, array in contents.items():
        if not _is_finite(array):
            raise NotFiniteError(f"cannot write {path}: {name} has a number that is not finite")
    # One key of metadata: the library writes several in random order.
    text = json.dumps({**document, DIGEST_KEY: _NO_DIGEST}, allow_nan=False)
    content = save(contents, {METADATA_KEY: text})
    with replacing(path) as temporary:
        temporary.write_bytes(content.replace(_NO_DIGEST.encode(), digest_of(content).encode(), 1))


def read_tensors(
    path: Path, what: str, kind: type[D], layout: Layout | Callable[[D], Layout] | None
) -> tuple[D, Arrays]:
    """Read a file that `write_tensors` wrote, and verify its digest.

    The arrays must be exactly those of the layout.

    Args:
        what: what messages call it, such as `checkpoint a.safetensors`.
        kind: the model of the document.
        layout: the arrays, or a function of the document that returns them, which may raise `CardgymError` itself;
            None for any arrays.

    Returns:
        The document, and the arrays by name; all their numbers are finite.
    """
    from cardgym.files.documents import validate

    library = _library()
    values, digest = _document(path, what)
    with opened(path, what) as file:
        content = file.read()
    if digest_of(content.replace(digest.encode(errors="replace"), _NO_DIGEST.encode(), 1)) != digest:
        raise CardgymError(f"{what}: damaged (its content does not match its checksum); copy or make it again")
    document = validate(kind, values, f"{what}: metadata")
    try:
        arrays: Arrays = library.load(content)
    except (library.SafetensorError, KeyError, TypeError, ValueError) as error:
        raise _damaged(what, error) from None
    wanted = {} if layout is None else layout(document) if callable(layout) else layout
    for name in sorted({*wanted, *arrays}) if layout is not None else ():
        if name not in wanted or name not in arrays or not _fits(wanted[name], arrays[name]):
            raise CardgymError(
                f"{what}: its metadata and its arrays do not match: {printable(name, 60)} should be "
                f"{_text(*wanted[name]) if name in wanted else 'missing'}, and is "
                f"{_text(arrays[name].dtype, arrays[name].shape) if name in arrays else 'missing'}"
            )
    for name, array in arrays.items():
        if not _is_finite(array):
            raise CardgymError(f"{what}: {printable(name, 60)} has a number that is not finite; make the file again")
    return document, arrays


@cache
def _library() -> Any:
    """Return the library, or in a page what stands for it."""
    if find_spec("safetensors") is None:
        from cardgym.files import plain_tensors

        return plain_tensors
    import safetensors.numpy as arrays
    from safetensors import SafetensorError, safe_open

    return SimpleNamespace(load=arrays.load, safe_open=safe_open, SafetensorError=SafetensorError)


def read_document(path: Path, what: str) -> dict[str, Any]:
    """Return the document of a file as plain values, unchecked; no array is read."""
    return _document(path, what)[0]


def _document(path: Path, what: str) -> tuple[dict[str, Any], str]:
    """Return the document of a file as plain values, and the file's digest."""
    library = _library()
    opened(path, what).close()  # A regular file, which may be read.
    try:
        with library.safe_open(path, "numpy") as file:
            metadata = file.metadata() or {}
    except (library.SafetensorError, OSError, ValueError) as error:
        raise _damaged(what, error) from None
    if METADATA_KEY not in metadata:
        raise CardgymError(f"{what}: not a file of cardgym (no {METADATA_KEY!r} in its metadata)")
    document = parse_json(metadata[METADATA_KEY], f"{what}: metadata")
    if not isinstance(document, dict):
        raise CardgymError(f"{what}: metadata: not a JSON object")
    digest = document.pop(DIGEST_KEY, None)
    if not isinstance(digest, str):
        raise CardgymError(f"{what}: has no checksum: an earlier version of cardgym wrote it; make it again")
    return document, digest


def _is_finite(array: npt.NDArray[Any]) -> bool:
    return array.dtype.kind != "f" or bool(np.isfinite(array).all())


def _fits(wanted: tuple[npt.DTypeLike, tuple[int | None, ...]], array: npt.NDArray[Any]) -> bool:
    dtype, lengths = wanted
    return (
        array.dtype == dtype
        and array.ndim == len(lengths)
        and all(length in (None, other) for length, other in zip(lengths, array.shape, strict=True))
    )


def _text(dtype: npt.DTypeLike, shape: tuple[int | None, ...]) -> str:
    lengths = ", ".join("any" if length is None else str(length) for length in shape)
    return f"{np.dtype(dtype)} ({printable(lengths, 60)})"


def _damaged(what: str, error: Exception) -> CardgymError:
    reason = printable(str(error)) or type(error).__name__
    return CardgymError(f"{what}: truncated or not a safetensors file ({reason})")
