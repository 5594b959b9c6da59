"""Damage for every format of `formats`: what stands in a file's place, and random damage.

    python tests/files/damage.py 10000

opens that many files, damaged at random and spread evenly over the formats, and prints how many were refused and how
many opened. A file may be refused in one line, or opened with exactly the content of the good file.
"""

import contextlib
import copy
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
from crafted import parts, with_document
from formats import FOLDER, FORMATS, Format, good, good_value, new_path

from cardgym.errors import CardgymError

MEGABYTES = 512
"""Memory that opening a file may add to the process; zip bombs ask for more."""

# -- in place of a file -----------------------------------------------------------------------------------------------


def places(form: Format, path: Path) -> dict[str, Callable[[], Any]]:
    """What may stand in a file's place, each as a function that puts it there."""
    other = path.with_name(f"other-{path.name}")

    def link_loop() -> None:
        path.symlink_to(other)
        other.symlink_to(path)

    def no_permission() -> None:
        path.write_bytes(good(form))
        path.chmod(0)

    return {
        "missing": lambda: None,
        "directory": path.mkdir,
        "broken link": lambda: path.symlink_to("nothing"),
        "link loop": link_loop,
        "no permission": no_permission,
        **({"FIFO": lambda: os.mkfifo(path)} if hasattr(os, "mkfifo") else {}),
    }


# -- random damage ----------------------------------------------------------------------------------------------------


def damaged(form: Format, draw: random.Random) -> tuple[bytes, bool]:
    """A good file, damaged at random, and whether it may be another good file: its digest was removed."""
    content = bytearray(good(form))
    size = len(content)
    start = draw.randrange(draw.choice((size, min(size, 200))))
    kind = draw.choice(("flip", "flip", "cut", "longer", "zeros", "piece", "text", "document", "document"))
    if kind == "flip":
        for _ in range(draw.choice((1, 1, 3))):
            content[draw.randrange(size)] ^= 1 << draw.randrange(8)
    elif kind == "cut":
        del content[draw.choice((0, 1, start, size - 1)) :]
    elif kind == "longer":
        content += draw.choice((b"\x00", b"more", bytes(4096), bytes(content)))
    elif kind == "zeros":
        content[start : start + 512] = bytes(len(content[start : start + 512]))
    elif kind == "piece":
        piece = draw.choice((b"\xff" * 8, np.float32(np.nan).tobytes(), b"[" * 300, b"9" * 30, bytes(7) + b"\x10"))
        content[start : start + draw.choice((0, len(piece)))] = piece
    elif kind == "text":
        text = content.decode("latin-1").encode("utf-16")
        content = bytearray(draw.choice((text, b"\xef\xbb\xbf" + content, content.replace(b"\n", b"\r\n"))))
    elif form.name.endswith((".json", ".jsonl")):
        value = json.loads(content)
        _change(value, draw)
        if draw.random() < 0.3:
            value.pop("sha256", None)
        return json.dumps(value).encode(), form.text or "sha256" not in value
    elif form.name.endswith(".safetensors"):
        document, _, _ = parts(bytes(content))
        _change(document, draw)
        return with_document(bytes(content), json.dumps(document)), True
    elif form.name.endswith(".toml"):
        lines = content.decode().splitlines()
        number = draw.randrange(len(lines))
        lines[number] = f"{lines[number].partition(' = ')[0]} = {json.dumps(draw.choice(VALUES))}"
        content = bytearray("\n".join(lines).encode())
    elif form.name.endswith(".sqlite"):
        content = _changed_rows(content, draw)
    return bytes(content), form.text


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


def _changed_rows(content: bytearray, draw: random.Random) -> bytearray:
    """A game log with another value in some place."""
    path = Path(FOLDER.name) / "changed.sqlite"
    path.write_bytes(content)
    with contextlib.closing(sqlite3.connect(path)) as database:
        table, columns, row = draw.choice((
            ("games", ("id", "env", "finished", "owner", "entry", "seal"), "rowid = 2"),
            ("moves", ("game", "n", "seat", "move"), "n = 1 and game = 'game 1'"),
        ))  # fmt: skip
        value = draw.choice(["", "x", 3, 2**62, 1.5, b"\xff\x00", "{}", "[" * 10_000])
        with contextlib.suppress(sqlite3.Error):
            database.execute(f"update {table} set {draw.choice(columns)} = ? where {row}", (value,))
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
            assert len(message) < 1500, message
            return False
    if form.partial and not other:
        assert all(item in wanted for item in found), found
    elif not other:
        assert found == wanted, found
    return True


def open_damaged(count: int, seed: int) -> dict[str, int]:
    """Open damaged files, the formats in turn; by format how many were opened."""
    opened = dict.fromkeys((form.name for form in FORMATS), 0)
    for number in range(count):
        form = FORMATS[number % len(FORMATS)]
        path = new_path(form)
        content, other = damaged(form, random.Random(f"{seed} {number}"))
        path.write_bytes(content)
        try:
            opened[form.name] += check(form, path, other=other)
        except BaseException as error:
            error.add_note(f"{form.name}, damage {number} of seed {seed}")
            raise
        path.unlink()
    return opened


@contextlib.contextmanager
def little_memory() -> Iterator[None]:
    """Let the process take `MEGABYTES` more memory than it has, with all that reading good files imports."""
    import resource

    for form in FORMATS:
        good_value(form)
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + MEGABYTES * 2**20, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


if __name__ == "__main__":
    count = int(sys.argv[1])
    with little_memory():
        opened = open_damaged(count, seed=1)
    unchanged = ", ".join(f"{number} {name}" for name, number in opened.items() if number)
    print(f"{count:,} files: {count - sum(opened.values()):,} refused in one line; opened: {unchanged}")
