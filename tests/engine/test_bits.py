"""Sets written and read as numbers, many at a time."""

import numpy as np
import numpy.typing as npt
import pytest

from cardgym.engine.batch import LegalSampler
from cardgym.engine.compilation import compiled
from cardgym.engine.contract import write_bits, write_zeros


@compiled
def _write(values: int, count: int, out: npt.NDArray[np.generic], start: int) -> None:
    write_bits(values, count, out, start)


@compiled
def _write_zeros(out: npt.NDArray[np.generic], start: int, stop: int) -> None:
    write_zeros(out, start, stop)


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


@pytest.mark.parametrize("dtype", [np.int8, np.float32])
def test_write_zeros_writes_its_range_and_nothing_else(dtype: type[np.generic]) -> None:
    for start, stop in ((0, 80), (3, 70), (5, 5), (9, 4)):
        out = np.full(80, 7, dtype)
        _write_zeros(out, start, stop)
        assert out.tolist() == [0 if start <= place < stop else 7 for place in range(80)]


def test_sampler_reaches_every_legal_action_and_no_other() -> None:
    generator = np.random.default_rng(0)
    for size in (1, 7, 31, 32, 33, 64, 100, 576):
        mask = (generator.random(size) < 0.3).astype(np.int8)
        mask[size - 1] = 1
        drawn = LegalSampler(0)(np.repeat(mask[None], 5000, axis=0))
        assert set(drawn.tolist()) == set(np.flatnonzero(mask).tolist())
        strided = np.repeat(mask[None], 5000, axis=0)[::2]
        np.testing.assert_array_equal(LegalSampler(0)(strided), drawn[:2500])
