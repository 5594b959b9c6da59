"""Exploring: epsilon-greedy over the legal actions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def random_legal(masks: npt.NDArray[np.int8], generator: np.random.Generator) -> npt.NDArray[np.int64]:
    """One action for each mask (rows, actions), uniform over the legal ones, (rows,) int64."""
    so_far = np.cumsum(masks != 0, axis=1)
    place = generator.integers(0, so_far[:, -1])
    chosen: npt.NDArray[np.int64] = np.argmax(so_far > place[:, None], axis=1)
    return chosen


def epsilon_greedy(
    greedy: npt.NDArray[np.int64],
    masks: npt.NDArray[np.int8],
    epsilon: float,
    generator: np.random.Generator,
) -> npt.NDArray[np.int64]:
    """The greedy actions (rows,), each replaced by a random legal one with probability `epsilon`."""
    exploring = np.flatnonzero(generator.random(len(greedy)) < epsilon)
    actions = greedy.copy()
    actions[exploring] = random_legal(masks[exploring], generator)
    return actions
