"""Untrusted files of JSON, read as plain values. Unlike `documents`, this does not import pydantic."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import sys
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from cardgym.errors import CardgymError, printable
from cardgym.files.access import opened, write_text

MAX_BYTES = 16 << 20
"""The largest document that is read, unless its reader allows more."""
_MAX_DIGITS = 20
"""The maximum number of digits of a whole number; cardgym writes fewer."""
_MAX_DEPTH = 100 if sys.platform == "emscripten" else math.inf
"""How deeply values may be nested: in a page nothing raises RecursionError before Python's program ends."""
_SEAL = "sha256"


def plain(value: Any) -> Any:
    """Arrays and tuples as lists, and NaN as None, for JSON."""
    if isinstance(value, Mapping):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document as `plain` values with `sha256`, the digest of all others, which `parse_json` verifies."""
    document = plain(document)
    return {**document, _SEAL: digest_of(json.loads(json.dumps(document)))}


def digest_of(content: Any) -> str:
    """Return the SHA-256 of bytes, or of plain values as JSON with sorted keys, in hexadecimal digits."""
    data = content if isinstance(content, bytes) else json.dumps(content, sort_keys=True).encode()
    return hashlib.sha256(data).hexdigest()


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a document for people to read."""
    write_text(path, json.dumps(plain(document), indent=1, allow_nan=False) + "\n")


def read_bytes(path: Path, what: str, limit: int = MAX_BYTES) -> bytes:
    """Return the content of a file of at most `limit` bytes; `what` names it in messages, such as `report a.json`."""
    with opened(path, what) as file:
        try:
            # `read` allocates as much as it is asked for, so never ask for more than the file's size.
            content = file.read(min(os.fstat(file.fileno()).st_size, limit) + 1)
        except OSError as error:
            raise CardgymError(f"{what}: cannot be read ({error.strerror or error})") from None
    if len(content) > limit:
        raise CardgymError(f"{what}: larger than {limit:,} bytes, the most that such a file may have")
    return content


def parse_json(content: bytes | str, what: str, *, constants: bool = False) -> Any:
    """Parse JSON as plain values, without repeated keys, whole numbers of more than 20 digits, NaN and infinity.

    `constants` allows the last two; `what` is what messages call the document, such as `report a.json`.
    If it is an object with the digest that `sealed` adds, that is verified and left out.
    """
    try:
        text = content if isinstance(content, str) else content.decode("utf-8-sig")
        if math.isfinite(_MAX_DEPTH) and _depth(text) > _MAX_DEPTH:
            raise RecursionError
        value = json.loads(
            text,
            parse_constant=float if constants else _no_constant,
            parse_float=_finite,
            parse_int=_short,
            object_pairs_hook=_without_repeats,
        )
        if "\\ud" in text.lower():  # Half of a surrogate pair cannot be encoded, in a message or a database.
            json.dumps(value, ensure_ascii=False).encode()
        changed = isinstance(value, dict) and _SEAL in value and value.pop(_SEAL) != digest_of(value)
    except RecursionError:
        raise CardgymError(f"{what}: cannot be read as JSON (nested too deeply)") from None
    except ValueError as error:
        raise CardgymError(f"{what}: cannot be read as JSON ({printable(str(error))})") from None
    if changed:
        raise CardgymError(f"{what}: damaged or changed by hand (if you changed it, delete its entry {_SEAL!r})")
    return value


def _depth(text: str) -> int:
    brackets = re.sub(r'"(?:[^"\\]|\\.)*"|[^][{}"]', "", text)
    return max(accumulate(1 if bracket in "[{" else -1 for bracket in brackets), default=0)


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _finite(word: str) -> float:
    number = float(word)
    if math.isinf(number):
        raise ValueError("a number too large for a float")
    return number


def _short(word: str) -> int:
    if len(word) > _MAX_DIGITS:
        raise ValueError(f"a whole number of {len(word):,} digits")
    return int(word)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for name, value in pairs:
        if name in entries:
            raise ValueError(f"the key '{printable(name, 60)}' appears twice")
        entries[name] = value
    return entries
