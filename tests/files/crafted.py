"""Hostile files: every kind of damage that an untrusted file may have, written by `write_all(folder)`.

python tests/files/crafted.py FOLDER     writes them all, to try by hand
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch
from good_files import good_checkpoint, good_entry, good_policy, good_q_table

from cardgym.learn.saved_state import save_state

DEEP = "[" * 100_000
BOMB = 6 * 10**8
"""Bytes that a bomb unpacks to: more than a file may take."""
ESCAPES = "\x1b[31m\x1b]0;title\x07\u202e\r\n\x00"


# -- crafted files ----------------------------------------------------------------------------------------------------


def write_all(folder: Path) -> list[Path]:
    """Write every crafted file; its name says what is wrong with it."""
    folder.mkdir(parents=True, exist_ok=True)
    for make in (_q_tables, _checkpoints, _policies, _logs, _states, _models):
        for name, write in make(folder):
            content = write() if callable(write) else write
            if content is not None:
                (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    os.mkfifo(folder / "pipe.json") if hasattr(os, "mkfifo") else None
    (folder / "folder.safetensors").mkdir(exist_ok=True)
    return sorted(folder.iterdir())


Crafted = Iterator[tuple[str, bytes | str | Callable[[], bytes | str | None]]]


def _zip(members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
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


def _parts(path: Path) -> tuple[dict[str, Any], bytes, dict[str, Any]]:
    """The header of a file of arrays, its data, and its document."""
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    return header, content[8 + size :], json.loads(header["__metadata__"]["cardgym"])


def _packed(header: str, data: bytes) -> bytes:
    """A file of arrays with a header and its right digest, which the header already has in another value."""
    packed = struct.pack("<Q", len(header.encode())) + header.encode() + data
    found = re.search(rb'"sha256": ?"([0-9a-f]{64})"', packed)
    if found is None:
        return packed
    zeros = packed[: found.start(1)] + b"0" * 64 + packed[found.end(1) :]
    return zeros.replace(b"0" * 64, hashlib.sha256(zeros).hexdigest().encode(), 1)


def _saved(arrays: dict[str, Any], document: dict[str, Any]) -> bytes:
    """A file that holds arrays and a document, written by the safetensors library."""
    content = safetensors.torch.save(arrays, {"sha256": "1" * 64, "cardgym": json.dumps(document)})
    size = int.from_bytes(content[:8], "little")
    return _packed(content[8 : 8 + size].decode(), content[8 + size :])


def _q_tables(folder: Path) -> Crafted:
    path = folder / "good-q-table.safetensors"
    good_q_table(path)
    header, data, document = _parts(path)
    keys = np.arange(8, dtype=np.uint64)

    def table(**changes: Any) -> bytes:
        """The file with other entries for its keys in the header."""
        return _packed(json.dumps({**header, "keys": {**header["keys"], **changes}}), data)

    def arrays(**changes: Any) -> bytes:
        """The file with other arrays."""
        all_arrays = {"keys": keys + np.uint64(1), "actions": np.zeros(8, np.int32), "values": np.zeros(8), **changes}
        kept = {name: array for name, array in all_arrays.items() if array is not None}
        return _saved({name: torch.from_numpy(np.array(array)) for name, array in kept.items()}, document)

    def said(**changes: Any) -> bytes:
        text = json.dumps({**document, **changes})
        return _packed(json.dumps({**header, "__metadata__": {"sha256": "1" * 64, "cardgym": text}}), data)

    names = {
        "huge-shape": table(shape=[10**12]),
        "huge-product": table(shape=[2**32, 2**32]),
        "negative-shape": table(shape=[-8]),
        "bool-shape": table(shape=[True]),
        "float-shape": table(shape=[8.0]),
        "text-shape": table(shape="8"),
        "no-shape": table(shape=None),
        "short-shape": table(shape=[3]),
        "many-dimensions": table(shape=[1] * 10_000),
        "unknown-dtype": table(dtype="F4"),
        "number-dtype": table(dtype=3),
        "list-dtype": table(dtype=["U64"]),
        "overlap": table(data_offsets=header["values"]["data_offsets"]),
        "offsets-text": table(data_offsets="0,64"),
        "offsets-mixed": table(data_offsets=["0", 64]),
        "offsets-digits": table(data_offsets=[10**4000, 10**4000]),
        "entry-list": _packed(json.dumps({**header, "keys": [1]}), data),
        "metadata-list": _packed(json.dumps({**header, "__metadata__": ["cardgym"]}), data),
        "metadata-number": _packed(json.dumps({**header, "__metadata__": {"cardgym": 3}}), data),
        "header-list": _packed("[]", data),
        "header-twice": _packed(json.dumps(header)[:-1] + ', "keys": {}}', data),
        "scalar": arrays(keys=np.array(1, np.uint64)),
        "matrix": arrays(keys=keys.reshape(2, 4)),
        "floats": arrays(keys=keys.astype(np.float64)),
        "no-keys": arrays(keys=None),
        "more-arrays": arrays(more=keys),
        "other-length": arrays(keys=keys[:4]),
        "unsorted": arrays(keys=keys[::-1].copy()),
        "actions": arrays(actions=np.full(8, 2**31 - 1, np.int32)),
        "metadata-nan": said(env=float("nan")),
        "metadata-null": said(options=None),
        "metadata-format": said(format="cardgym-nothing-1"),
        "metadata-format-list": said(format=["cardgym-q-table-1"]),
        "metadata-escapes": said(env=ESCAPES),
        "metadata-lone-surrogate": said(env="\ud800"),
        "metadata-long-name": said(observation="x" * 100_000),
        "metadata-many-options": said(options={str(number): 1 for number in range(50_000)}),
        "metadata-option-list": said(options={"a": [1]}),
        "metadata-huge-config": said(config={str(number): 1 for number in range(50_000)}),
        "pickle": b"\x80\x04cos\nsystem\n(S'true'\ntR.",
    }
    for name, content in names.items():
        yield f"q-table-{name}.safetensors", content


def _flagged(content: bytes, flag: int) -> bytes:
    """A zip archive whose directory says that every member has a flag."""
    parts = content.split(b"PK\x01\x02")
    return b"PK\x01\x02".join([parts[0], *(part[:4] + bytes([flag]) + part[5:] for part in parts[1:])])


def _method(content: bytes, method: int) -> bytes:
    """A zip archive whose directory says that every member is compressed by another method."""
    parts = content.split(b"PK\x01\x02")
    return b"PK\x01\x02".join([parts[0], *(part[:6] + bytes([method]) + part[7:] for part in parts[1:])])


def _checkpoints(folder: Path) -> Crafted:
    good_checkpoint(folder / "good.safetensors")
    content = (folder / "good.safetensors").read_bytes()
    head, body, metadata = _parts(folder / "good.safetensors")

    def packed(head: str) -> bytes:
        return _packed(head, body)

    def said(text: str | None = None, **changes: Any) -> bytes:
        text = json.dumps({**metadata, **changes}) if text is None else text
        return packed(json.dumps({**head, "__metadata__": {"sha256": "1" * 64, "cardgym": text}}))

    def layers(**changes: Any) -> bytes:
        return said(network={**metadata["network"], **changes})

    yield "metadata-deep.safetensors", said('{"format": ' + DEEP)
    yield "metadata-deep-objects.safetensors", said('{"a":' * 100_000)
    yield "metadata-digits.safetensors", said('{"format": ' + "9" * 5000 + "}")
    yield "metadata-infinity.safetensors", said('{"format": 1e999}')
    yield "metadata-twice.safetensors", said('{"format": 1, "format": 2}')
    yield "metadata-none.safetensors", packed(json.dumps({k: v for k, v in head.items() if k != "__metadata__"}))
    yield "metadata-escapes.safetensors", said(observation=ESCAPES)
    yield "metadata-long.safetensors", said(config={"x": "y" * 17_000_000})
    yield "layers-huge.safetensors", layers(hidden_sizes=[20_000, 20_000])
    yield "layers-beyond-memory.safetensors", layers(hidden_sizes=[10**12])
    yield "layers-million.safetensors", layers(hidden_sizes=[1] * 300_000)
    yield "layers-negative.safetensors", layers(hidden_sizes=[-1])
    yield "layers-zero.safetensors", layers(hidden_sizes=[0])
    yield "layers-text.safetensors", layers(hidden_sizes=["8"])
    yield "layers-float.safetensors", layers(hidden_sizes=[8.0])
    yield "layers-nothing.safetensors", layers(hidden_sizes=None)
    yield "inputs-huge.safetensors", layers(inputs=10**12)
    yield "inputs-others.safetensors", layers(inputs=3)
    yield "actions-huge.safetensors", layers(actions=2**31)
    yield "dueling-text.safetensors", layers(dueling="yes")
    yield "network-list.safetensors", said(network=[])
    yield "head-deep.safetensors", packed('{"a":' * 100_000)
    yield "head-huge.safetensors", struct.pack("<Q", 2**62) + body
    yield "head-long.safetensors", packed(json.dumps(head) + " " * (17 << 20))
    yield (
        "head-negative-offset.safetensors",
        packed(json.dumps(head).replace('"data_offsets": [0', '"data_offsets": [-1')),
    )
    yield "head-huge-shape.safetensors", packed(json.dumps({"x": {**head["head.bias"], "shape": [2**62, 2**62]}}))
    surrogate = {**head, "__metadata__": {**head["__metadata__"], "sha256": "\ud800"}}
    yield "digest-lone-surrogate.safetensors", packed(json.dumps(surrogate))
    yield "tensors-missing.safetensors", _saved({}, metadata)
    yield "tensors-others.safetensors", _saved({"x": torch.zeros(1)}, metadata)
    yield "truncated.safetensors", content[:-4]
    yield "longer.safetensors", content + b"more"
    yield "empty.safetensors", b""
    yield "short.safetensors", b"\x01"
    tensors = safetensors.torch.load(content)
    for dtype in (torch.float64, torch.float16, torch.int8):
        other = {name: value.to(dtype) for name, value in tensors.items()}
        name = str(dtype).removeprefix("torch.")
        yield f"tensors-{name}.safetensors", _saved(other, metadata)


def _policies(folder: Path) -> Crafted:
    good_policy(folder / "good.json")
    content = json.loads((folder / "good.json").read_text(encoding="utf-8"))
    label = next(iter(content["actions"]))

    def said(**changes: Any) -> str:
        return json.dumps({**content, **changes})

    yield "deep.json", DEEP
    yield "deep-head.json", '{"format": ' + DEEP
    yield "nan.json", said(actions={label: float("nan")})
    yield "digits.json", '{"format": 1, "actions": {"a": ' + "9" * 5000 + "}}"
    yield "many-digits.json", said(actions={label: 10**4000})
    yield "lone-surrogate.json", said(actions={"\ud800": 1})
    yield "escapes.json", said(actions={ESCAPES: 1})
    yield "escapes-head.json", said(env=ESCAPES)
    yield "long-name.json", said(actions={"x" * 1_000_000: 1})
    yield "long-env.json", said(env="x" * 1_000_000)
    million = ", ".join(f'"{number}": 1' for number in range(1_000_000))
    yield "many-states.json", lambda: said(actions={"0": 1}).replace('"0": 1', million)
    yield "options-list.json", said(options=[1])
    yield "options-deep.json", said(options={"a": {"b": {}}})
    yield "options-many.json", said(options={str(number): 1 for number in range(1000)})
    yield "actions-list.json", said(actions=[1])
    yield "action-list.json", said(actions={label: [1]})
    yield "action-text.json", said(actions={label: "1"})
    yield "action-negative.json", said(actions={label: -1})
    yield "twice.json", '{"a": 1, "a": 2}'
    yield "no-text.json", b"\xff\xfe\x00"
    yield "utf16.json", said().encode("utf-16")
    yield "empty.json", ""
    yield "blanks.json", lambda: " " * 5_000_000
    yield "number.json", "1"


def _logs(folder: Path) -> Crafted:
    good = good_entry()
    (folder / "good.jsonl").write_text(json.dumps(good) + "\n", encoding="utf-8")

    def said(**changes: Any) -> str:
        return json.dumps({**good, **changes}) + "\n"

    def player(**changes: Any) -> str:
        return said(players=[{**good["players"][0], **changes}])

    yield "nan.jsonl", player(score=float("nan"))
    yield "infinity.jsonl", said(max_score=float("inf"))
    yield "digits.jsonl", said(max_score=1).replace('"max_score": 1', '"max_score": ' + "9" * 5000)
    yield "lone-surrogate.jsonl", player(name="\ud800")
    yield "lone-surrogate-env.jsonl", said(env="\ud800")
    yield "options-list.jsonl", said(options=[])
    yield "options-null.jsonl", said(options=None)
    yield "env-number.jsonl", said(env=3)
    yield "players-none.jsonl", said(players=[])
    yield "players-dict.jsonl", said(players={"name": "a"})
    yield "players-many.jsonl", said(players=good["players"] * 1000)
    yield "metrics-list.jsonl", player(metrics=[1])
    yield "metrics-text.jsonl", player(metrics={"x": "y"})
    yield "metrics-differ.jsonl", said(players=[good["players"][0], {**good["players"][0], "metrics": {}}])
    yield "finished-text.jsonl", said(finished="yes")
    yield "moves-text.jsonl", said(moves="ab")
    yield "moves-triples.jsonl", said(moves=[[1, 2, 3]])
    yield "moves-huge.jsonl", said(moves=[[0, 2**40]])
    yield "moves-many.jsonl", said(moves=[[0, 1]] * 110_000)
    yield "long-line.jsonl", player(name="x" * 5_000_000)
    yield "undone-huge.jsonl", said(undone=10**12)
    yield "deep.jsonl", DEEP
    yield "no-text.jsonl", b"\xff\xfe\n"
    yield "list.jsonl", "[1]\n"


def _states(folder: Path) -> Crafted:
    path = folder / "good.resume.safetensors"
    save_state(path, {"config": "{}", "learner": {"a": np.arange(1000), "b": np.ones(5)}})
    header, data, document = _parts(path)

    def said(**changes: Any) -> bytes:
        text = json.dumps({**document, **changes})
        return _packed(json.dumps({**header, "__metadata__": {"sha256": "1" * 64, "cardgym": text}}), data)

    yield "truncated.resume.safetensors", path.read_bytes()[:-50]
    yield "bits.resume.safetensors", path.read_bytes().replace(np.ones(1).tobytes(), np.array([-1.0]).tobytes())
    yield "nan.resume.safetensors", _packed(json.dumps(header), data.replace(np.ones(1).tobytes(), b"\xff" * 8))
    yield "no-array.resume.safetensors", said(state={"learner": {"array": "c"}})
    yield "list-array.resume.safetensors", said(state={"learner": {"array": [1]}})
    yield "number.resume.safetensors", said(state={"whole number x": 1})
    yield "list.resume.safetensors", said(state=[1])
    yield "deep.resume.safetensors", said(state=json.loads('{"a":' * 900 + "1" + "}" * 900))


def _models(folder: Path) -> Crafted:
    good = _zip({"data": b"{}", "policy.pth": b""})
    yield "half.zip", good[: len(good) // 2]
    yield "empty.zip", b""
    yield "bomb.zip", lambda: _bomb("data", {})
    yield "bomb-hidden.zip", lambda: _bomb("other", {"data": b"{}"})
    yield "pickle.zip", b"\x80\x04cos\nsystem\n(S'true'\ntR."
    yield "encrypted.zip", lambda: _flagged(good, 1)
    yield "unknown-compression.zip", lambda: _method(good, 99)
    yield "lzma.zip", _zip({"data": b"{}"}, zipfile.ZIP_LZMA)
    yield "bzip2.zip", _zip({"data": b"{}"}, zipfile.ZIP_BZIP2)
    yield "million-members.zip", lambda: _zip({str(number): b"" for number in range(10_000)})
    yield "same-name-twice.zip", lambda: _zip({"xxxx": b"", "data": b"{}"}).replace(b"xxxx", b"data")
    yield "end-only.zip", b"PK\x05\x06" + bytes(18)
    yield "directory-beyond.zip", b"PK\x05\x06" + bytes(6) + struct.pack("<HIIH", 1, 2**31, 2**31, 0)


if __name__ == "__main__":
    print(f"{len(write_all(Path(sys.argv[1])))} files in {sys.argv[1]}")
