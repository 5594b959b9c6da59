"""Damage for every format of `formats`: what stands in a file's place, crafted files, and random damage.

    python tests/files/damage.py 10000

opens that many files, damaged at random and spread evenly over the formats, and prints how many were refused and how
many opened. A file may be refused in one line, or opened with exactly the content of the good file.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import random
import re
import sqlite3
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
from formats import FOLDER, FORMATS, Format, good, good_value, new_path

from cardgym.errors import CardgymError
from cardgym.files.json_values import digest_of, sealed

DEEP = "[" * 100_000
PICKLE = b"\x80\x04cos\nsystem\n(S'true'\ntR."
ESCAPES = "\x1b[31m\x1b]0;title\x07\u202e\r\n\x00"
BOMB = 6 * 10**8
"""Bytes that a bomb unpacks to: more than a file may take."""
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


# -- crafted files, all of which are refused --------------------------------------------------------------------------


def crafted(form: Format) -> Iterator[tuple[str, bytes | str]]:
    """Files of a format that are refused, each with what is wrong with it."""
    for suffix, make in ((".json", _texts), (".jsonl", _texts), (".safetensors", _tensors), (".zip", _zips)):
        if form.name.endswith(suffix):
            yield from make(form)
    for key, values in REFUSED.get(form.name, {}).items():
        for number, value in enumerate(values):
            yield f"{key} {number}", _changed(form, key, value)


_MANY = {str(number): 1 for number in range(50_000)}
REFUSED: dict[str, dict[str, list[Any]]] = {
    "policy.json": {
        "options": [[1], {"a": {"b": {}}}, _MANY],
        "env": [ESCAPES, "x" * 1_000_000],
        "actions": [
            [1], *({"0": action} for action in ([1], "1", -1, float("nan"), 10**400)), *({name: 1} for name in (
                ESCAPES, "\ud800", "x" * 1_000_000)), {str(number): 1 for number in range(1_000_000)},
        ],
    },
    "games.jsonl": {
        "options": [[], None],
        "env": [3, "\ud800"],
        "players": [[], {"name": "a"}, [{"name": "a", "seat": 0}] * 1000],
        "players.0.score": [float("nan")],
        "players.0.name": ["\ud800", "x" * 5_000_000],
        "players.0.metrics": [[1], {"x": "y"}],
        "max_score": [float("inf"), 10**400],
        "finished": ["yes"],
        "moves": ["ab", [[1, 2, 3]], [[0, 2**40]], [[0, 1]] * 110_000],
        "undone": [10**12],
    },
    "q-table.safetensors": {
        "env": [float("nan"), ESCAPES, "\ud800"],
        "options": [None, _MANY, {"a": [1]}],
        "format": ["cardgym-nothing-1", ["cardgym-q-table-1"]],
        "observation": ["x" * 100_000],
        "config": [_MANY],
    },
    "network.safetensors": {
        "observation": [ESCAPES],
        "network": [[]],
        "network.hidden_sizes": [
            [20_000, 20_000], [10**12], [1] * 300_000, [-1], [0], ["8"], [8.0], None,
        ],
        "network.inputs": [10**12, 3],
        "network.actions": [2**31],
        "network.dueling": ["yes"],
    },
}  # fmt: skip
"""By format and key (`.` leads inside), values that are refused though the file's digest is right."""


def _changed(form: Format, key: str, value: Any) -> bytes:
    """A good file with another value at a key of its document, and the right digest."""
    content = good(form)
    is_json = form.name.endswith((".json", ".jsonl"))
    document = json.loads(content) if is_json else _parts(content)[0]
    document.pop("sha256", None)
    *way, last = key.split(".")
    place: Any = document
    for step in way:
        place = place[int(step) if isinstance(place, list) else step]
    place[last] = value
    return json.dumps(sealed(document)).encode() if is_json else _with_document(content, json.dumps(document))


def _texts(form: Format) -> Iterator[tuple[str, bytes | str]]:
    """What is no document of any format."""
    yield "deep", DEEP
    yield "deep objects", '{"a":' * 100_000
    yield "no text", b"\xff\xfe\x00"
    yield "lone surrogate", b'{"a": "\xed\xa0\x80"}'
    yield "number", "1"
    yield "list", "[1]\n"
    yield "twice", '{"a": 1, "a": 2}'
    yield "digits", '{"format": 1, "a": ' + "9" * 5000 + "}"
    yield "infinity", '{"format": 1e999}'
    yield "utf-16", good(form).decode().encode("utf-16")
    if not form.partial:
        yield "empty", ""
        yield "blanks", " " * 5_000_000


def _parts(content: bytes) -> tuple[dict[str, Any], dict[str, Any], bytes]:
    """The document of a file of arrays, its header and its data."""
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    return json.loads(header["__metadata__"]["cardgym"]), header, content[8 + size :]


def _packed(header: str, data: bytes) -> bytes:
    """A file of arrays with this header, in which the digest is right."""
    packed = struct.pack("<Q", len(header.encode())) + header.encode() + data
    found = re.search(rb'sha256\\?": ?\\?"([0-9a-f]{64})', packed)
    if found is None:
        return packed
    zeros = packed.replace(found[1], b"0" * 64, 1)
    return zeros.replace(b"0" * 64, digest_of(zeros).encode(), 1)


def _with_document(content: bytes, text: str) -> bytes:
    """A file of arrays with another document."""
    _, header, data = _parts(content)
    return _packed(json.dumps({**header, "__metadata__": {"cardgym": text}}), data)


def _tensors(form: Format) -> Iterator[tuple[str, bytes | str]]:
    content = good(form)
    document, header, data = _parts(content)
    name, *others = [name for name in header if name != "__metadata__"]
    entries: list[dict[str, Any]] = [
        *({"shape": shape} for shape in ([10**12], [2**32, 2**32], [-8], [8.0], "8", None, [11], [1] * 10_000)),
        *({"dtype": dtype} for dtype in ("F4", 3, ["U64"])),
        *({"data_offsets": offsets} for offsets in ("0,64", ["0", 64], [-1, 64], [10**4000] * 2)),
        *({"data_offsets": header[other]["data_offsets"]} for other in others[:1]),
    ]
    headers = [{**header, name: {**header[name], **entry}} for entry in entries]
    headers += [{**header, "__metadata__": metadata} for metadata in (["cardgym"], {"cardgym": 3}, {})]
    for number, head in enumerate([{**header, name: [1]}, *headers]):
        yield f"header {number}", _packed(json.dumps(head), data)
    yield "header is a list", _packed("[]", data)
    yield "header has a key twice", _packed(json.dumps(header)[:-1] + f', "{name}": {{}}}}', data)
    yield "header is deep", _packed('{"a":' * 100_000, data)
    yield "header is huge", struct.pack("<Q", 2**62) + data
    for text in ('{"format": ' + DEEP, '{"a":' * 100_000, '{"format": 1e999}', '{"a": 1, "a": 2}', "[1]", "{}"):
        yield f"document {text[:20]}", _with_document(content, text)
    yield "digest is missing", _with_document(content, json.dumps({**document, "file_sha256": None}))
    yield "digest is no text", content.replace(document["file_sha256"].encode(), b"\\\\ud800", 1)
    for number, other in enumerate((content[:-4], content + b"more", b"", b"\x01", PICKLE)):
        yield f"bytes {number}", other
    for what, arrays in _other_arrays(safetensors.numpy.load(content), name).items():
        packed = safetensors.numpy.save(arrays, {"cardgym": json.dumps({**document, "file_sha256": "0" * 64})})
        if not form.name.startswith("resume"):  # It may hold any arrays.
            yield f"arrays: {what}", packed.replace(b"0" * 64, digest_of(packed).encode(), 1)


def _other_arrays(arrays: dict[str, Any], name: str) -> dict[str, dict[str, Any]]:
    """Arrays that do not belong to the document of these."""
    first = arrays[name]
    nan = {name: np.full_like(array, np.nan) for name, array in arrays.items() if array.dtype.kind == "f"}
    return {
        "missing": {key: array for key, array in arrays.items() if key != name},
        "more": {**arrays, "more": first},
        "other dimensions": {**arrays, name: first[None]},
        "other dtype": {**arrays, name: first.astype(np.float16)},
        **({"not finite": {**arrays, **nan}} if nan else {}),
    }


def _zips(form: Format) -> Iterator[tuple[str, bytes | str]]:
    plain = _zip({"data": b"{}", "policy.pth": b""})
    yield "no model", plain
    yield "half", plain[: len(plain) // 2]
    yield "empty", b""
    yield "pickle", PICKLE
    for member in ("data", "policy.pth", "other"):
        yield f"bomb: {member}", _bomb(member, {"data": b"{}", "policy.pth": b""})
    parts = plain.split(b"PK\x01\x02")
    yield "encrypted", b"PK\x01\x02".join([parts[0], *(part[:4] + b"\x01" + part[5:] for part in parts[1:])])
    yield "unknown compression", b"PK\x01\x02".join([parts[0], *(part[:6] + b"c" + part[7:] for part in parts[1:])])
    yield "million members", _zip({str(number): b"" for number in range(10_000)})
    yield "same name twice", _zip({"xxxx": b"", "data": b"{}"}).replace(b"xxxx", b"data")
    yield "end only", b"PK\x05\x06" + bytes(18)
    yield "directory beyond", b"PK\x05\x06" + bytes(6) + struct.pack("<HIIH", 1, 2**31, 2**31, 0)


def _zip(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _bomb(member: str, others: dict[str, bytes]) -> bytes:
    """A zip archive with a member of `BOMB` zeros: repeated deflated blocks, because compressing them takes seconds."""
    zeros = bytes(10**6)
    deflate = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS)
    blocks = (deflate.compress(zeros) + deflate.flush(zlib.Z_FULL_FLUSH)) * (BOMB // len(zeros)) + deflate.flush()
    checksum = 0
    for _ in range(BOMB // len(zeros)):
        checksum = zlib.crc32(zeros, checksum)
    # In the member's header and in the directory: method, time, checksum, compressed size, size.
    sizes = struct.pack("<LLL", zlib.crc32(blocks), len(blocks), len(blocks))
    true_sizes = struct.pack("<LLL", checksum, len(blocks), BOMB)
    stored = re.compile(rb"\0\0(.{4})" + re.escape(sizes), re.DOTALL)
    return stored.sub(lambda found: b"\x08\0" + found[1] + true_sizes, _zip({**others, member: blocks}))


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
        document, _, _ = _parts(bytes(content))
        _change(document, draw)
        return _with_document(bytes(content), json.dumps(document)), True
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
