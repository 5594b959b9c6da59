"""The same families of damage for every format that cardgym reads; `formats` has the formats.

    python tests/files/corpus.py 10000

opens that many damaged files, spread evenly over the formats, and prints how many were refused and how many opened. A
file may be refused in one line, or opened with exactly the content of the good file.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import json
import os
import random
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from formats import FOLDER, FORMATS, Format, good, good_value, new_path

from cardgym.errors import CardgymError

# -- damage -----------------------------------------------------------------------------------------------------------


def places(form: Format, path: Path) -> dict[str, Callable[[], Any]]:
    """What may stand in a file's place, each as a function that puts it there."""
    other = path.with_name(f"other-{path.name}")

    def no_permission() -> None:
        path.write_bytes(good(form))
        path.chmod(0)

    def link_loop() -> None:
        path.symlink_to(other)
        other.symlink_to(path)

    found: dict[str, Callable[[], Any]] = {
        "missing": lambda: None,
        "directory": path.mkdir,
        "broken link": lambda: path.symlink_to("nothing"),
        "link loop": link_loop,
        "no permission": no_permission,
    }
    if hasattr(os, "mkfifo"):
        found["FIFO"] = lambda: os.mkfifo(path)
    return found


def contents(form: Format, draw: random.Random) -> tuple[bytes, bool]:
    """A good file, damaged at random, and whether it may be another good file: its digest was removed."""
    content = bytearray(good(form))
    size, other = len(content), form.text
    kind = draw.choice(("flip", "flip", "flip", "cut", "longer", "zeros", "piece", "text", "json", "json", "resealed"))
    if kind == "flip":
        for _ in range(draw.choice((1, 1, 3))):
            content[draw.randrange(size)] ^= 1 << draw.randrange(8)
    elif kind == "cut":
        del content[draw.choice((0, 1, draw.randrange(size), size - 1)) :]
    elif kind == "longer":
        content += draw.choice((b"\x00", b"more", bytes(4096), bytes(content)))
    elif kind == "zeros":
        start = draw.randrange(size)
        content[start : start + 512] = bytes(len(content[start : start + 512]))
    elif kind == "piece":
        start = min(draw.choice((draw.randrange(size), draw.randrange(min(size, 200)))), size)
        piece = draw.choice((b"\xff" * 8, np.float32(np.nan).tobytes(), b"[" * 300, b"9" * 30, bytes(7) + b"\x10"))
        content[start : start + draw.choice((0, len(piece)))] = piece
    elif kind == "text":
        encoded = draw.choice(("utf-16", "bom", "crlf"))
        text = content.decode("latin-1")
        content = bytearray(
            text.encode("utf-16") if encoded == "utf-16"
            else b"\xef\xbb\xbf" + content if encoded == "bom"
            else content.replace(b"\n", b"\r\n")
        )  # fmt: skip
    elif form.name.endswith((".json", ".jsonl")):
        value = json.loads(content)
        _change(value, draw)
        if kind == "resealed":
            value.pop("sha256", None)
        other = "sha256" not in value
        content = bytearray(json.dumps(value).encode())
    elif form.name.endswith(".safetensors"):
        content = _changed_document(bytes(content), draw)
    elif form.name.endswith(".toml"):
        lines = content.decode().splitlines()
        number = draw.randrange(len(lines))
        lines[number] = f"{lines[number].partition(' = ')[0]} = {json.dumps(draw.choice(VALUES))}"
        content = bytearray("\n".join(lines).encode())
    elif form.name.endswith(".sqlite"):
        content = _changed_rows(draw)
    return bytes(content), other


VALUES: list[Any] = [
    None, True, -1, 2**63, 10**19, 1e300, float("nan"), float("inf"), "", "x" * 5000, "\ud800", "\x1b[2J", [],
    [0] * 5000, {}, {"a": {}}, [[]],
]  # fmt: skip


def _change(value: Any, draw: random.Random) -> None:
    """Remove or replace an entry of a JSON value, at any depth."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not keys:
        return
    key = draw.choice(keys)
    if isinstance(value[key], dict | list) and value[key] and draw.random() < 0.7:
        _change(value[key], draw)
    elif draw.random() < 0.3:
        del value[key]
    else:
        value[key] = copy.deepcopy(draw.choice(VALUES))


def _changed_document(content: bytes, draw: random.Random) -> bytearray:
    """A file of tensors with another header."""
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    if draw.random() < 0.5:
        _change(header, draw)
    else:
        document = json.loads(header["__metadata__"]["cardgym"])
        _change(document, draw)
        header["__metadata__"]["cardgym"] = json.dumps(document)
    head = json.dumps(header).encode()
    return bytearray(len(head).to_bytes(8, "little") + head + content[8 + size :])


def _changed_rows(draw: random.Random) -> bytearray:
    """A game log with other values in some place."""
    path = Path(FOLDER.name) / "changed.sqlite"
    path.write_bytes(good(next(form for form in FORMATS if form.name.endswith(".sqlite"))))
    with contextlib.closing(sqlite3.connect(path)) as database:
        table, column = draw.choice(
            [("games", name) for name in ("id", "env", "finished", "owner", "entry", "seal")]
            + [("moves", name) for name in ("game", "n", "seat", "move")]
        )
        value = draw.choice(["", "x", 3, 2**62, 1.5, b"\xff\x00", "{}", "[" * 10_000])
        with contextlib.suppress(sqlite3.Error):
            database.execute(f"update {table} set {column} = ? where rowid = 2" if table == "games" else
                             f"update moves set {column} = ? where n = 1 and game = 'game 1'", (value,))  # fmt: skip
        database.commit()
        database.execute("pragma wal_checkpoint(truncate)")
        database.execute("pragma journal_mode = delete")
    return bytearray(path.read_bytes())


# -- checks -----------------------------------------------------------------------------------------------------------


def check(form: Format, path: Path, *, other: bool = False) -> bool:
    """Open a file; whether it was opened. Fails for anything but the good content or one printable line.

    With `other` any content will do.
    """
    wanted = good_value(form)
    with contextlib.redirect_stderr(io.StringIO()):
        try:
            found = form.read(path)
        except CardgymError as error:
            message = str(error)
            assert message.isprintable(), message
            assert len(message) < 2000, message
            return False
    if form.partial and not other:
        assert all(item in wanted for item in found), found
    elif not other:
        assert found == wanted, found
    return True


def damaged(count: int, seed: int) -> Iterator[tuple[Callable[[], bool], Format, str]]:
    """Damaged files, the formats in turn: a check of each, its format, and what says how to make it again."""
    for number in range(count):
        form = FORMATS[number % len(FORMATS)]
        path = new_path(form)
        content, other = contents(form, random.Random(f"{seed} {number}"))
        path.write_bytes(content)
        yield functools.partial(check, form, path, other=other), form, f"{form.name}, damage {number} of seed {seed}"
        path.unlink()


def main(count: int, seed: int = 1) -> None:
    """Check that many files, with little more memory than an idle process has."""
    import resource

    for form in FORMATS:
        check(form, Path(FOLDER.name) / f"good-{form.name}") if good(form) else None
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**29, used + 2**29))
    opened = dict.fromkeys((form.name for form in FORMATS), 0)
    for is_opened, form, name in damaged(count, seed):
        try:
            opened[form.name] += is_opened()
        except BaseException:
            print(name, file=sys.stderr)
            raise
    unchanged = ", ".join(f"{number} {name}" for name, number in opened.items() if number)
    print(f"{count:,} files: {count - sum(opened.values()):,} refused in one line; opened: {unchanged}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
