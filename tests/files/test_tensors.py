"""Files of arrays: what is written comes back, and the safetensors library reads it."""

import json
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import safetensors.numpy

from cardgym import CardgymError
from cardgym.files import tensors
from cardgym.files.documents import Document
from cardgym.files.tensors import Arrays, Layout, read_document, read_tensors, write_tensors


class Example(Document):
    format: Literal["example-1"]
    rows: int


DOCUMENT = {"format": "example-1", "rows": 3, "note": "é"}
ARRAYS: Arrays = {
    "b": np.arange(6, dtype=np.float32).reshape(3, 2),
    "a": np.arange(3, dtype=np.uint64),
    "c": np.array([True, False, True]),
    "empty": np.zeros((0, 4)),
    "scalar": np.array(3, np.int32),
    "transposed": np.arange(6, dtype=np.int16).reshape(3, 2).T,
}
LAYOUT: Layout = {name: (array.dtype, array.shape) for name, array in ARRAYS.items()}


def test_arrays_and_document_come_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.safetensors"
    (tmp_path / "linked.safetensors").symlink_to(path)
    write_tensors(tmp_path / "linked.safetensors", DOCUMENT, ARRAYS)  # Written where the link leads.
    document, arrays = read_tensors(path, "file a", Example, LAYOUT)
    assert document.rows == 3
    assert arrays.keys() == ARRAYS.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, ARRAYS[name], strict=True)
        assert array.flags.writeable
    assert read_document(path, "file a") == DOCUMENT


def test_safetensors_library_reads_the_same_arrays_and_the_same_bytes_follow_its_header(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    write_tensors(path, DOCUMENT, ARRAYS)
    contiguous = {name: np.ascontiguousarray(array).reshape(array.shape) for name, array in ARRAYS.items()}
    for name, array in safetensors.numpy.load_file(path).items():
        np.testing.assert_array_equal(array, ARRAYS[name], strict=True)
    size = sum(array.nbytes for array in ARRAYS.values())
    assert path.read_bytes()[-size:] == safetensors.numpy.save(contiguous)[-size:]


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_neither_written_nor_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: float
) -> None:
    path = tmp_path / "a.safetensors"
    with pytest.raises(CardgymError, match="a has a number that is not finite"):
        write_tensors(path, DOCUMENT, {"a": np.array([1.0, number])})
    assert not path.exists()
    with monkeypatch.context() as without:
        without.setattr(tensors, "_is_finite", lambda array: True)
        write_tensors(path, DOCUMENT, {"a": np.array([1.0, number])})
    with pytest.raises(CardgymError, match="file a: a has a number that is not finite"):
        read_tensors(path, "file a", Example, None)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (None, "not a file of cardgym"),
        ({"cardgym": json.dumps(DOCUMENT)}, "has no checksum: an earlier version of cardgym wrote it"),
    ],
)
def test_a_file_of_another_program_or_version_is_refused(tmp_path: Path, metadata: Any, message: str) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(safetensors.numpy.save({"a": np.zeros(3)}, metadata))
    with pytest.raises(CardgymError, match=f"file a: {message}"):
        read_tensors(path, "file a", Example, None)


def test_every_flipped_bit_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    write_tensors(path, DOCUMENT, ARRAYS)
    content = path.read_bytes()
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        with pytest.raises(CardgymError, match="file a: "):
            read_tensors(path, "file a", Example, None)


def test_layout_may_depend_on_the_document_and_leave_lengths_open(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    write_tensors(path, DOCUMENT, {"a": np.zeros((3, 5)), "b": np.zeros(7)})

    def layout(document: Example) -> Layout:
        return {"a": (np.float64, (document.rows, None)), "b": (np.float64, (None,))}

    _, arrays = read_tensors(path, "file a", Example, layout)
    assert (arrays["a"].shape, arrays["b"].shape) == ((3, 5), (7,))


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ({}, "a should be missing, and is float64 \\(3\\)"),
        ({"a": (np.float64, (3,)), "b": (np.int8, (2, None))}, "b should be int8 \\(2, any\\), and is missing"),
        ({"a": (np.float32, (3,))}, "a should be float32 \\(3\\), and is float64 \\(3\\)"),
        ({"a": (np.float64, (None, 3))}, "a should be float64 \\(any, 3\\), and is float64 \\(3\\)"),
    ],
)
def test_other_arrays_are_refused(layout: Layout, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    write_tensors(path, DOCUMENT, {"a": np.zeros(3)})
    with pytest.raises(CardgymError, match=f"file a: its metadata and its arrays do not match: {message}"):
        read_tensors(path, "file a", Example, layout)
