"""Draws for players outside the kernel are those of the kernel's own generators."""

import numpy as np

from cardgym.engine.rules import draws_of, uniform_float


def test_many_generators_draw_as_each_does_alone() -> None:
    keys = np.array([0, 1, 2**63, 2**64 - 1], np.uint64)
    counters = np.array([0, 5, 2**40, 2**64 - 2], np.uint64)
    expected = [uniform_float(np.array(pair, np.uint64)) for pair in zip(keys, counters, strict=True)]
    assert draws_of(keys, counters).tolist() == expected
