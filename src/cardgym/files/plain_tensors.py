"""What `tensors` uses of safetensors, for a page: that library is compiled, and no page has it.

A file is the length of a JSON head (8 bytes, little-endian), the head, and the bytes of the arrays one after another.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

_DTYPES = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1", "BOOL": "|b1"}
_DTYPES |= {"U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1"}
_MOST = 100_000_000


class SafetensorError(ValueError):
    """Not a safetensors file."""


class _File:
    def __init__(self, head: dict[str, Any]) -> None:
        self._head = head

    def metadata(self) -> dict[str, str] | None:
        """Return the metadata, text by text."""
        return self._head.get("__metadata__")


@contextlib.contextmanager
def safe_open(path: Path, framework: str) -> Iterator[_File]:
    """Open a file, of which only the head is read."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        yield _File(_head(file.read(min(size, _MOST)), size))


def load(content: bytes) -> dict[str, Any]:
    """Return the arrays of a file's content, by name."""
    size = int.from_bytes(content[:8], "little")
    head, data = _head(content[8 : 8 + size], size), content[8 + size :]
    arrays = {}
    for name, about in head.items():
        if name != "__metadata__":
            start, stop = about["data_offsets"]
            arrays[name] = np.frombuffer(data[start:stop], _DTYPES[about["dtype"]]).reshape(about["shape"]).copy()
    return arrays


def _head(text: bytes, size: int) -> dict[str, Any]:
    head = json.loads(text) if len(text) == size else None
    if not isinstance(head, dict):
        raise SafetensorError("incomplete head")
    return head
