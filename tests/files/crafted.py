"""Crafted files of the formats of `formats`, all of which are refused."""

import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import safetensors.numpy
from formats import Format, good

from cardgym.files.json_values import digest_of, sealed

DEEP = "[" * 100_000
PICKLE = b"\x80\x04cos\nsystem\n(S'true'\ntR."
ESCAPES = "\x1b[31m\x1b]0;title\x07\u202e\r\n\x00"
BOMB = 6 * 10**8
"""Bytes that a bomb unpacks to: more than a file may take."""


def crafted(form: Format) -> Iterator[tuple[str, bytes | str]]:
    """Files of a format that are refused, each with what is wrong with it."""
    for suffix, make in ((".json", _texts), (".jsonl", _texts), (".safetensors", _tensors), (".zip", _zips)):
        if form.name.endswith(suffix):
            yield from make(form)
    for key, values in _refused().get(form.name, {}).items():
        for number, value in enumerate(values):
            yield f"{key} {number}", _changed(form, key, value)


@cache
def _refused() -> dict[str, dict[str, list[Any]]]:
    """By format and key (`.` leads inside), values that are refused though the file's digest is right."""
    many = {str(number): 1 for number in range(50_000)}
    return {
        "policy.json": {
            "options": [[1], {"a": {"b": {}}}, many],
            "env": [ESCAPES, "x" * 1_000_000, "x" * 10_000_000],
            "actions": [
                [1], *({"0": action} for action in ([1], "1", -1, float("nan"), 10**400)), *({name: 1} for name in (
                    ESCAPES, "\ud800", "x" * 1_000_000)), many,
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
            "options": [None, many, {"a": [1]}],
            "format": ["cardgym-nothing-1", ["cardgym-q-table-1"]],
            "observation": ["x" * 100_000],
            "config": [many],
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


def _changed(form: Format, key: str, value: Any) -> bytes:
    """A good file with another value at a key of its document, and the right digest."""
    content = good(form)
    is_json = form.name.endswith((".json", ".jsonl"))
    document = json.loads(content) if is_json else parts(content)[0]
    document.pop("sha256", None)
    *way, last = key.split(".")
    place: Any = document
    for step in way:
        place = place[int(step) if isinstance(place, list) else step]
    place[last] = value
    return json.dumps(sealed(document)).encode() if is_json else with_document(content, json.dumps(document))


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


def parts(content: bytes) -> tuple[dict[str, Any], dict[str, Any], bytes]:
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


def with_document(content: bytes, text: str) -> bytes:
    """A file of arrays with another document."""
    _, header, data = parts(content)
    return _packed(json.dumps({**header, "__metadata__": {"cardgym": text}}), data)


def _tensors(form: Format) -> Iterator[tuple[str, bytes | str]]:
    content = good(form)
    document, header, data = parts(content)
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
        yield f"document {text[:20]}", with_document(content, text)
    yield "digest is missing", with_document(content, json.dumps({**document, "file_sha256": None}))
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
