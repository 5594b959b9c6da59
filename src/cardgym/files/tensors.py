"""Tensors from strangers: safetensors files, whose metadata say what the tensors have to be."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cardgym.errors import CardgymError, printable
from cardgym.files.documents import D, parse_document

METADATA_KEY = "cardgym"
"""The metadata key whose value is a JSON object of cardgym's."""
_MAX_HEADER = 1 << 20
"""Bytes of a file's header, metadata included; cardgym's have a few thousand."""

Layout = Mapping[str, tuple[str, tuple[int, ...]]]
"""The tensors that a file has to hold: by name, the dtype as safetensors writes it (F32, I64, ...) and the shape."""


def read_tensors(
    path: Path, what: str, content: str, kind: type[D], layout: Callable[[D], Layout], framework: str
) -> tuple[dict[str, Any], D]:
    """Read a safetensors file of cardgym.

    The tensors have to be exactly those that the metadata call for, which the header tells before any is read.

    Args:
        path: the file.
        what: what messages call it, such as `checkpoint a.safetensors`.
        content: what it should hold, for messages, such as `a Q-network`.
        kind: the model of the JSON object in its metadata.
        layout: the tensors that such metadata call for; it may raise `CardgymError` itself.
        framework: `pt` for torch tensors, `numpy` for arrays.

    Returns:
        The tensors by name, and the metadata.

    Raises:
        CardgymError: for a file that is missing, truncated or another.
    """
    import safetensors

    if not path.is_file():
        raise CardgymError(f"{what}: no such file")
    try:
        _check_header(path)
        with safetensors.safe_open(path, framework=framework) as file:
            texts = file.metadata() or {}
            if METADATA_KEY not in texts:
                raise CardgymError(f"{what}: not {content} of cardgym (no {METADATA_KEY!r} in its metadata)")
            metadata = parse_document(kind, texts[METADATA_KEY], f"{what}: not {content} of cardgym: metadata")
            wanted = layout(metadata)
            for name in sorted({*wanted, *file.keys()}):
                found = None
                if name in file.keys():  # noqa: SIM118 - it is no mapping.
                    slice = file.get_slice(name)
                    found = (slice.get_dtype(), tuple(slice.get_shape()))
                if found != wanted.get(name):
                    raise CardgymError(
                        f"{what}: its metadata and its weights do not fit together: {printable(name, 60)} should be "
                        f"{_text(wanted.get(name))}, and is {_text(found)}"
                    )
            return {name: file.get_tensor(name) for name in wanted}, metadata
    except CardgymError:
        raise
    except (safetensors.SafetensorError, OSError, TypeError, ValueError, struct.error) as error:
        reason = printable(str(error)) or type(error).__name__
        raise CardgymError(f"{what}: truncated or not a safetensors file ({reason})") from None


def _check_header(path: Path) -> None:
    """Raise `ValueError` for a header longer than cardgym writes: parsing one of 100 MB takes a gigabyte."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
    if length > _MAX_HEADER:
        raise ValueError(f"a header of {length:,} bytes")


def _text(found: tuple[str, tuple[int, ...]] | None) -> str:
    return "missing" if found is None else f"{found[0]} {printable(str(found[1]), 60)}"
