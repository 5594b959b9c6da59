"""Exploration: epsilon-greedy over the legal actions."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt


def random_legal(masks: npt.NDArray[np.int8], generator: np.random.Generator) -> npt.NDArray[np.int64]:
    """An action for each row of masks (rows, actions), uniform over the legal ones, (rows,), int64."""
    legal_so_far = np.cumsum(masks != 0, axis=1)
    drawn = generator.integers(0, legal_so_far[:, -1])
    chosen: npt.NDArray[np.int64] = np.argmax(legal_so_far > drawn[:, None], axis=1)
    return chosen


class EpsilonGreedy:
    """Replaces some greedy actions by random legal ones.

    Sutton and Barto, "Reinforcement Learning", 2nd ed. (2018), section 2.2.
    """

    saved: ClassVar[tuple[str, ...]] = ("_generator",)

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    def __call__(
        self, greedy: npt.NDArray[np.int64], masks: npt.NDArray[np.int8], epsilon: float
    ) -> npt.NDArray[np.int64]:
        """The greedy actions, (rows,), int64, each replaced by a random legal one with probability `epsilon`."""
        exploring = np.flatnonzero(self._generator.random(len(greedy)) < epsilon)
        actions = greedy.copy()
        actions[exploring] = random_legal(masks[exploring], self._generator)
        return actions
