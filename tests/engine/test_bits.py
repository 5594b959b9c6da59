"""Sets written as numbers, eight at a time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import write_bits


@compiled
def _write(values: int, count: int, out: npt.NDArray[np.generic], start: int) -> None:
    write_bits(values, count, out, start)


@pytest.mark.parametrize("dtype", [np.int8, np.float32])
def test_write_bits_writes_each_bit_and_nothing_else(dtype: type[np.generic]) -> None:
    generator = np.random.default_rng(0)
    for count in range(64):
        values = int(generator.integers(2**62))
        start = int(generator.integers(8))
        out = np.full(80, 7, dtype)
        _write(values, count, out, start)
        expected = [7] * start + [(values >> bit) & 1 for bit in range(count)] + [7] * (80 - start - count)
        assert out.tolist() == expected
