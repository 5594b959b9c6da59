"""Damaged files at random: bytes changed anywhere, and JSON of other structures, with hypothesis.

python tests/files/fuzz.py 10000 opens that many, with 512 MB more memory than an idle process.; a count at the end
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import struct
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from crafted import game, good_checkpoint, good_entry, good_policy, good_q_table, good_report
from hypothesis import strategies as st

from cardgym.cli import main
from cardgym.errors import CardgymError
from cardgym.learn.resume import load_state, save_state
from cardgym.players.base import resolve

FOLDER = tempfile.TemporaryDirectory()


def _resolve(path: Path) -> None:
    resolve(path, *game())


def _report(path: Path) -> None:
    stderr = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(stderr):
        code = main(["report", str(path)])
    assert code in (0, 2)
    if code:
        raise CardgymError(stderr.getvalue().removesuffix("\n"))


DOORS: dict[str, Callable[[Path], Any]] = {
    ".safetensors": _resolve,
    ".q-table.safetensors": _resolve,
    ".json": _resolve,
    ".report.json": _report,
    ".jsonl": _report,
    ".resume.safetensors": load_state,
}
"""What reads a file of each suffix."""


@cache
def good(suffix: str) -> bytes:
    """A good file."""
    path = Path(FOLDER.name) / f"good{suffix}"
    if suffix == ".q-table.safetensors":
        good_q_table(path)
    elif suffix == ".resume.safetensors":
        save_state(path, {"config": "{}", "learner": {"a": np.arange(100)}})
    elif suffix == ".safetensors":
        good_checkpoint(path)
    elif suffix == ".json":
        good_policy(path)
    else:
        path.write_text(json.dumps(good_report() if suffix == ".report.json" else good_entry()) + "\n", "utf-8")
    return path.read_bytes()


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from([10**30, -1, 2**63, "\ud800", "\x1b[2J", "x" * 5000, [0] * 5000, {"a": {}}]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=6,
)


@st.composite
def changed_bytes(draw: st.DrawFn, suffix: str) -> bytes:
    """A good file with some bytes overwritten, removed, repeated or added."""
    content = bytearray(good(suffix))
    for _ in range(draw(st.integers(1, 4))):
        # The ends of files hold headers and directories.
        near = draw(st.integers(0, min(len(content), 400)))
        place = draw(st.sampled_from([near, max(len(content) - near, 0), draw(st.integers(0, len(content)))]))
        piece = draw(st.binary(max_size=8) | st.sampled_from([b"\xff" * 8, bytes(8), b"[" * 300, b"9" * 30]))
        length = draw(st.sampled_from([0, len(piece), len(piece), 1, 100]))
        content[place : place + length] = piece
    return bytes(content)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places in a JSON value, the first of many entries only."""
    places = [path]
    if isinstance(value, dict | list):
        items = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
        for key, inner in items[:20]:
            places += _places(inner, (*path, key))
    return places


@st.composite
def changed_json(draw: st.DrawFn, suffix: str) -> bytes:
    """A good file whose JSON has other values in some places."""
    content = good(suffix)
    head: dict[str, Any] = {}
    if suffix.endswith(".safetensors"):
        (size,) = struct.unpack("<Q", content[:8])
        head = json.loads(content[8 : 8 + size])
        value = json.loads(head["__metadata__"]["cardgym"])
        body = content[8 + size :]
    else:
        value = json.loads(content)
    for _ in range(draw(st.integers(1, 3))):
        *path, last = draw(st.sampled_from([place for place in _places(value) if place]))
        inner, new = value, copy.deepcopy(draw(VALUES))
        with contextlib.suppress(KeyError, IndexError, TypeError):  # An earlier change replaced this place.
            for key in path:
                inner = inner[key]
            inner[last] = new
    if suffix.endswith(".safetensors"):
        head["__metadata__"] = {"cardgym": json.dumps(value)}
        packed = json.dumps(head).encode()
        return struct.pack("<Q", len(packed)) + packed + body
    return json.dumps(value).encode()


FILES = st.one_of(
    *(st.tuples(st.just(suffix), changed_bytes(suffix)) for suffix in DOORS),
    *(
        st.tuples(st.just(suffix), changed_json(suffix))
        for suffix in (".safetensors", ".q-table.safetensors", ".json", ".report.json", ".jsonl")
    ),
)
"""Suffixes with contents."""


def check(suffix: str, content: bytes) -> bool:
    """Open a file; whether it was accepted. Fails for anything but acceptance or one printable line."""
    path = Path(FOLDER.name) / f"changed{suffix}"
    path.write_bytes(content)
    try:
        DOORS[suffix](path)
    except CardgymError as error:
        message = str(error)
    else:
        return True
    assert message.isprintable(), message
    assert len(message) < 2000, message
    return False


def run(examples: int) -> None:
    """Check that many files."""
    from hypothesis import HealthCheck, given, settings

    counts = {True: 0, False: 0}

    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(FILES)
    def every_file(file: tuple[str, bytes]) -> None:
        counts[check(*file)] += 1

    every_file()
    print(f"{sum(counts.values()):,} files: {counts[False]:,} refused in one line, {counts[True]:,} opened")


if __name__ == "__main__":
    import resource

    for suffix in DOORS:
        check(suffix, good(suffix))  # Imports what it needs before the limit.
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**29, used + 2**29))
    run(int(sys.argv[1]))
