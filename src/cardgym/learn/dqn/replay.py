"""The replay buffer: the last transitions, in an array allocated once."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from cardgym.learn.record_buffer import RecordBuffer
from cardgym.learn.transitions import Transitions


class ReplayBuffer(RecordBuffer[Transitions]):
    """The last `capacity` transitions, sampled uniformly with replacement.

    Mnih et al., "Human-level control through deep reinforcement learning", Nature 518 (2015).
    """

    contents: ClassVar[str] = "transitions"

    def __init__(self, capacity: int, observation_size: int, num_actions: int, generator: np.random.Generator) -> None:
        """Allocate the buffer; `generator` draws the samples.

        Raises:
            CardgymError: if there is not enough memory.
        """
        layout: list[tuple[Any, ...]] = [
            ("observations", np.float32, observation_size),
            ("actions", np.int64),
            ("rewards", np.float32),
            ("next_observations", np.float32, observation_size),
            ("next_masks", np.bool_, num_actions),
            ("done", np.bool_),
        ]
        super().__init__(Transitions, layout, "buffer_size", capacity, generator)
        self._position = 0

    def add(self, transitions: Transitions) -> None:
        """Store transitions, NumPy arrays, each in the place of the oldest."""
        count = len(transitions.actions)
        start = 0
        while start < count:
            stop = min(count, start + self.capacity - self._position)
            end = self._position + stop - start
            chunk = {name: values[start:stop] for name, values in transitions._asdict().items()}
            self._put(slice(self._position, end), chunk)
            self.size = max(self.size, end)
            self._position = end % self.capacity
            start = stop

    def state_dict(self) -> dict[str, Any]:
        """The contents, where the next transition goes, and the generator's state, as tensors and plain values."""
        return {**super().state_dict(), "position": self._position}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        super().load_state_dict(state)
        self._position = state["position"]
