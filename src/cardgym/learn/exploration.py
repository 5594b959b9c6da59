"""Exploration: epsilon-greedy over the legal actions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.learn.resume import generator_state, set_generator_state


def random_legal(masks: npt.NDArray[np.int8], generator: np.random.Generator) -> npt.NDArray[np.int64]:
    """An action for each row of masks (rows, actions), uniform over the legal ones, (rows,), int64."""
    legal_so_far = np.cumsum(masks != 0, axis=1)
    drawn = generator.integers(0, legal_so_far[:, -1])
    chosen: npt.NDArray[np.int64] = np.argmax(legal_so_far > drawn[:, None], axis=1)
    return chosen


class EpsilonGreedy:
    """Replaces greedy actions by random legal ones, with a generator of its own.

    Sutton and Barto, "Reinforcement Learning", 2nd ed. (2018), section 2.2.
    """

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

    def state_dict(self) -> dict[str, Any]:
        """The generator's state, as plain values."""
        return {"generator": generator_state(self._generator)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        set_generator_state(self._generator, state["generator"])
