"""Files of arrays: what is written comes back, and the bytes are those of the safetensors library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import safetensors.numpy

from cardgym import CardgymError
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
    write_tensors(path, DOCUMENT, ARRAYS)
    document, arrays = read_tensors(path, "file a", Example, LAYOUT)
    assert document.rows == 3
    assert arrays.keys() == ARRAYS.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, ARRAYS[name], strict=True)
        assert array.flags.writeable
    assert read_document(path, "file a") == DOCUMENT


def test_bytes_are_those_of_the_safetensors_library(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    write_tensors(path, DOCUMENT, ARRAYS)
    contiguous = {name: np.ascontiguousarray(array).reshape(array.shape) for name, array in ARRAYS.items()}
    assert path.read_bytes() == safetensors.numpy.save(contiguous, {"cardgym": json.dumps(DOCUMENT)})


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
        ({}, "a should be missing, and is F64 \\(3\\)"),
        ({"a": (np.float64, (3,)), "b": (np.int8, (2, None))}, "b should be I8 \\(2, any\\), and is missing"),
        ({"a": (np.float32, (3,))}, "a should be F32 \\(3\\), and is F64 \\(3\\)"),
        ({"a": (np.float64, (None, 3))}, "a should be F64 \\(any, 3\\), and is F64 \\(3\\)"),
    ],
)
def test_other_arrays_are_refused(layout: Layout, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    write_tensors(path, DOCUMENT, {"a": np.zeros(3)})
    with pytest.raises(CardgymError, match=f"file a: its metadata and its arrays do not match: {message}"):
        read_tensors(path, "file a", Example, layout)
