"""Uniformly random legal actions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.generator import Generator, derive, uniform
from cardgym.engine.numba.compilation import compiled
from cardgym.engine.numba.rules import count_32, rule
from cardgym.engine.options import State


@rule
def choose_random(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """The player `random`."""
    return uniform_legal(mask, generator)


@rule
def uniform_legal(mask: npt.NDArray[np.int8], generator: Generator) -> int:
    """A legal action, drawn uniformly."""
    size = mask.shape[0]
    whole = size & ~31
    count = 0
    for start in range(0, whole, 32):
        count += count_32(mask, start)
    for action in range(size - whole):
        count += int(mask[np.uint64(whole + action)])  # Unsigned: no check for a negative index.
    place = uniform(generator, count)
    start = 0
    while start < whole and count_32(mask, start) <= place:
        place -= count_32(mask, start)
        start += 32
    seen = 0
    chosen = start
    for action in range(32 if start < whole else size - whole):
        # No early exit: the branch is unpredictable and costs more than finishing.
        seen += int(mask[np.uint64(start + action)])
        chosen += seen <= place
    return chosen


class LegalSampler:
    """Draws actions uniformly over the legal ones: `actions = sampler(info["action_mask"])`.

    Args:
        seed: samplers with the same seed draw the same actions.
    """

    def __init__(self, seed: int = 0) -> None:
        self._generator: Generator = np.array([derive(np.uint64(seed), np.uint64(0)), 0], np.uint64)

    def __call__(self, masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Actions, (rows,) int64, for masks (rows, actions) int8 with at least one legal action in each row."""
        actions = np.empty(len(masks), np.int64)
        _sample(np.ascontiguousarray(masks), self._generator, actions)
        return actions


@compiled
def _sample(masks: npt.NDArray[np.int8], generator: Generator, actions: npt.NDArray[np.int64]) -> None:
    for row in range(masks.shape[0]):
        actions[row] = uniform_legal(masks[row], generator)
