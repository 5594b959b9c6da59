"""The replay memory: the last transitions, in arrays made once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from cardgym.errors import CardgymError


class Transitions(NamedTuple):
    """Transitions, one a row: from one of a seat's turns to its next (or its n-th next), or to the end.

    Attributes:
        observations: what the seat knew, (rows, size), float32.
        actions: what it did, (rows,), int64.
        rewards: what it was paid until the next turn, over n steps their discounted sum, (rows,), float32.
        next_observations: what it knew at that next turn, (rows, size), float32.
        next_masks: what it could then do, (rows, actions), bool.
        done: whether the game ended instead, (rows,), bool; the next observation and mask then mean nothing.
    """

    observations: Any
    actions: Any
    rewards: Any
    next_observations: Any
    next_masks: Any
    done: Any


class Replay:
    """The last `capacity` transitions, sampled uniformly with replacement.

    Attributes:
        capacity: how many it holds at most.
        size: how many it holds.
    """

    def __init__(self, capacity: int, observation_size: int, num_actions: int) -> None:
        self.capacity = capacity
        self.size = 0
        self._at = 0
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
            raise CardgymError(
                f"replay_capacity={capacity}: not enough memory for so many transitions of "
                f"{8 * observation_size + num_actions + 13} bytes; lower it"
            ) from None
        self._arrays = [field.numpy() for field in self._fields]

    def add(self, transitions: Transitions) -> None:
        """Keep transitions (NumPy arrays), each in the place of the oldest."""
        count = len(transitions.actions)
        start = 0
        while start < count:
            stop = min(count, start + self.capacity - self._at)
            for array, values in zip(self._arrays, transitions, strict=True):
                array[self._at : self._at + stop - start] = values[start:stop]
            self.size = max(self.size, self._at + stop - start)
            self._at = (self._at + stop - start) % self.capacity
            start = stop

    def sample(self, rows: int, generator: np.random.Generator, device: torch.device | str = "cpu") -> Transitions:
        """`rows` transitions as tensors on `device`, drawn with NumPy's generator."""
        places = torch.from_numpy(generator.integers(0, self.size, rows))
        drawn: list[Tensor] = [field.index_select(0, places) for field in self._fields]
        return Transitions(*(field.to(device, non_blocking=True) for field in drawn))

    def state_dict(self) -> dict[str, Any]:
        """All it holds, as tensors and plain values."""
        filled = {
            name: value[: self.size].clone() for name, value in zip(Transitions._fields, self._fields, strict=True)
        }
        return {"size": self.size, "at": self._at, "transitions": filled}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take up what `state_dict` gave."""
        self.size, self._at = state["size"], state["at"]
        for name, field in zip(Transitions._fields, self._fields, strict=True):
            field[: self.size] = state["transitions"][name]
