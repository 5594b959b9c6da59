"""Buffers that learners sample from: what they share, and the replay buffer of the last transitions.

A buffer keeps its records in one array, allocated once, and samples them uniformly with replacement.
"""

from __future__ import annotations

from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from cardgym.errors import CardgymError
from cardgym.files.limits import check_memory
from cardgym.learn.transitions import Transitions


class Decisions(NamedTuple):
    """Decisions, one per row.

    Attributes:
        observations: what the seat saw, (rows, size), float32.
        masks: what was legal, (rows, actions), bool.
        actions: what it did, (rows,), int64.
    """

    observations: Any
    masks: Any
    actions: Any


R = TypeVar("R", bound=Transitions | Decisions)


class SampledBuffer(Generic[R]):
    """Up to `capacity` records; a subclass decides which it keeps.

    Attributes:
        capacity: the maximum number of records.
        size: the current number of records.
    """

    saved: ClassVar[tuple[str, ...]] = ("size", "filled", "_generator")

    def __init__(
        self, kind: type[R], layout: list[tuple[Any, ...]], key: str, capacity: int, generator: np.random.Generator
    ) -> None:
        """Allocate the buffer.

        Args:
            kind: the named tuple that samples are returned as.
            layout: the fields of a record in the same order, as `numpy.dtype` takes them.
            key: the config key of the capacity, for errors.
        """
        self.capacity = capacity
        self.size = 0
        self._generator = generator
        self._kind: type[R] = kind
        # The fields of a record are adjacent in memory, so sampling it touches one place instead of one per field.
        record = np.dtype(layout, align=True)
        what = f"{key}={capacity}: that many {kind.__name__.lower()} of {record.itemsize} bytes each"
        check_memory(what, capacity * record.itemsize, "lower it")
        try:
            self._records = np.zeros(capacity, record)
        except (MemoryError, ValueError):
            raise CardgymError(f"{what} would need more memory than there is left; lower it") from None

    @property
    def filled(self) -> npt.NDArray[Any]:
        """The records, (size,): a view, in no particular order."""
        return self._records[: self.size]

    def sample(self, batch_size: int, device: torch.device | str = "cpu") -> R:
        """Draw records, as tensors on `device`."""
        indices = self._generator.integers(0, self.size, batch_size)
        # PyTorch allocates aligned memory, so the same numbers always give the same bits.
        records = torch.empty(batch_size * self._records.itemsize, dtype=torch.uint8).numpy().view(self._records.dtype)
        np.take(self._records, indices, out=records, mode="clip")  # Other modes copy twice.
        fields = (torch.from_numpy(records[name]).to(device, non_blocking=True) for name in self._kind._fields)
        return self._kind(*fields)


class ReplayBuffer(SampledBuffer[Transitions]):
    """The last `capacity` transitions.

    Mnih et al., "Human-level control through deep reinforcement learning", Nature 518 (2015).
    """

    saved = (*SampledBuffer.saved, "_position")

    def __init__(self, capacity: int, observation_size: int, num_actions: int, generator: np.random.Generator) -> None:
        """Allocate the buffer; `generator` draws the samples."""
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
        """Store transitions, NumPy arrays; each replaces the oldest."""
        count = len(transitions.actions)
        start = 0
        while start < count:
            stop = min(count, start + self.capacity - self._position)
            end = self._position + stop - start
            for name, values in transitions._asdict().items():
                self._records[name][self._position : end] = values[start:stop]
            self.size = max(self.size, end)
            self._position = end % self.capacity
            start = stop
