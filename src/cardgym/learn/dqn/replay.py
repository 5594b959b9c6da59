"""The replay buffer: the last transitions, in an array allocated once."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from cardgym.errors import CardgymError
from cardgym.learn.resume import generator_state, set_generator_state
from cardgym.learn.transitions import Transitions
from cardgym.limits import check_memory


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
        # A transition is one record: to draw it touches one stretch of memory instead of six.
        layout = np.dtype(
            [
                ("observations", np.float32, observation_size),
                ("next_observations", np.float32, observation_size),
                ("actions", np.int64),
                ("rewards", np.float32),
                ("done", np.bool_),
                ("next_masks", np.bool_, num_actions),
            ],
            align=True,
        )
        what = f"buffer_size={capacity}: that many transitions of {layout.itemsize} bytes each"
        check_memory(what, capacity * layout.itemsize, "lower it")
        try:
            self._records = np.zeros(capacity, layout)
        except (MemoryError, ValueError):
            raise CardgymError(f"{what} would need more memory than there is left; lower it") from None

    def add(self, transitions: Transitions) -> None:
        """Store transitions, NumPy arrays, each in the place of the oldest."""
        count = len(transitions.actions)
        start = 0
        while start < count:
            stop = min(count, start + self.capacity - self._position)
            end = self._position + stop - start
            for name, values in zip(Transitions._fields, transitions, strict=True):
                self._records[name][self._position : end] = values[start:stop]
            self.size = max(self.size, end)
            self._position = end % self.capacity
            start = stop

    def sample(self, batch_size: int, device: torch.device | str = "cpu") -> Transitions:
        """Draw transitions, as tensors on `device`."""
        indices = self._generator.integers(0, self.size, batch_size)
        # PyTorch's memory is aligned, so that the same numbers always give the same bits.
        records = torch.empty(batch_size * self._records.itemsize, dtype=torch.uint8).numpy().view(self._records.dtype)
        np.take(self._records, indices, out=records, mode="clip")  # Other modes copy twice.
        drawn = (torch.from_numpy(records[name]) for name in Transitions._fields)
        return Transitions(*(field.to(device, non_blocking=True) for field in drawn))

    def state_dict(self) -> dict[str, Any]:
        """The contents and the generator's state, as tensors and plain values."""
        filled = {
            name: torch.from_numpy(self._records[name][: self.size].copy(order="C")) for name in Transitions._fields
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
        for name in Transitions._fields:
            self._records[name][: self.size] = state["transitions"][name].numpy()
        set_generator_state(self._generator, state["generator"])
