"""The replay buffer: the last transitions, in arrays allocated once."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from cardgym.errors import CardgymError
from cardgym.learn.resume import generator_state, set_generator_state
from cardgym.learn.transitions import Transitions


class ReplayBuffer:
    """The last `capacity` transitions, sampled uniformly with replacement.

    Mnih et al., "Human-level control through deep reinforcement learning", Nature 518 (2015).

    Attributes:
        capacity: how many transitions it holds at most.
        size: how many it holds now.
    """

    def __init__(self, capacity: int, observation_size: int, num_actions: int, generator: np.random.Generator) -> None:
        """Allocate the buffer; `generator` draws the samples.

        Raises:
            CardgymError: if there is not enough memory.
        """
        self.capacity = capacity
        self.size = 0
        self._generator = generator
        self._position = 0
        try:
            self._fields = Transitions(
                torch.zeros(capacity, observation_size),
                torch.zeros(capacity, dtype=torch.int64),
                torch.zeros(capacity),
                torch.zeros(capacity, observation_size),
                torch.zeros(capacity, num_actions, dtype=torch.bool),
                torch.zeros(capacity, dtype=torch.bool),
            )
        except RuntimeError:
            bytes_each = 8 * observation_size + num_actions + 13
            raise CardgymError(
                f"buffer_size={capacity}: not enough memory for that many transitions of {bytes_each} bytes each; "
                "lower it"
            ) from None
        self._arrays = [field.numpy() for field in self._fields]

    def add(self, transitions: Transitions) -> None:
        """Store transitions, NumPy arrays, each in the place of the oldest."""
        count = len(transitions.actions)
        start = 0
        while start < count:
            stop = min(count, start + self.capacity - self._position)
            end = self._position + stop - start
            for array, values in zip(self._arrays, transitions, strict=True):
                array[self._position : end] = values[start:stop]
            self.size = max(self.size, end)
            self._position = end % self.capacity
            start = stop

    def sample(self, batch_size: int, device: torch.device | str = "cpu") -> Transitions:
        """Draw transitions, as tensors on `device`."""
        indices = torch.from_numpy(self._generator.integers(0, self.size, batch_size))
        drawn = [field.index_select(0, indices) for field in self._fields]
        return Transitions(*(field.to(device, non_blocking=True) for field in drawn))

    def state_dict(self) -> dict[str, Any]:
        """The contents and the generator's state, as tensors and plain values."""
        filled = {
            name: field[: self.size].clone() for name, field in zip(Transitions._fields, self._fields, strict=True)
        }
        return {
            "size": self.size,
            "position": self._position,
            "transitions": filled,
            "generator": generator_state(self._generator),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        self.size, self._position = state["size"], state["position"]
        for name, field in zip(Transitions._fields, self._fields, strict=True):
            field[: self.size] = state["transitions"][name]
        set_generator_state(self._generator, state["generator"])
