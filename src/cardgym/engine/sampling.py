"""Uniformly random legal actions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cardgym.engine.generator import Generator, derive, uniform_legal
from cardgym.engine.numba.compilation import compiled


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
