"""Transitions from one turn of a seat to its next, and buffers that learners sample them from.

A buffer keeps its records in one array, allocated once, and samples them uniformly with replacement.
"""

from __future__ import annotations

from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from cardgym.engine.contract import Float64s, Int64s
from cardgym.errors import CardgymError
from cardgym.files.limits import check_memory
from cardgym.learn.rollouts import Turns

R = TypeVar("R", bound=tuple[Any, ...])


class Transitions(NamedTuple):
    """Transitions, one in each row: from a turn of a seat to its next turn, or to the game's end.

    Attributes:
        observations: what the seat saw, (rows, size), float32.
        actions: what it did, (rows,), int64.
        rewards: what it was paid until then, (rows,), float32.
        next_observations: what it saw at that next turn, (rows, size), float32.
        next_masks: what was legal then, (rows, actions), bool.
        done: whether the game ended first, (rows,), bool. The next observation and mask then mean nothing.
    """

    observations: Any
    actions: Any
    rewards: Any
    next_observations: Any
    next_masks: Any
    done: Any


class TransitionBuilder:
    """Builds transitions from the turns of a rollout.

    A transition spans everything between two turns of its stream: the other players' turns, chance, and all rewards
    paid to the stream. A reward before the stream's first turn belongs to no action and is dropped.
    """

    saved: ClassVar[tuple[str, ...]] = ("_observations", "_actions", "_rewards", "_open")

    def __init__(self, num_streams: int, observation_size: int, num_actions: int) -> None:
        needed = num_streams * (4 * observation_size + 17)
        check_memory(f"the last turns of {num_streams:,} streams", needed, "lower num_envs")
        self._num_actions = num_actions
        # The last turn of each stream, what it was paid since, and whether it waits for more.
        self._observations = np.zeros((num_streams, observation_size), np.float32)
        self._actions = np.zeros(num_streams, np.int64)
        self._rewards = np.zeros(num_streams, np.float64)
        self._open = np.zeros(num_streams, np.bool_)

    def act(self, turns: Turns, actions: Int64s) -> None:
        """Record the actions, (turns,), int64, that were chosen at these turns."""
        streams = turns.streams
        self._observations[streams] = turns.observations
        self._actions[streams] = actions
        self._rewards[streams] = 0.0
        self._open[streams] = True

    def complete(self, rewards: Float64s, turns: Turns, ended: Int64s) -> tuple[Transitions, Transitions]:
        """Return the transitions that the last step completed, by another turn of their stream or their game's end.

        `turns` follow the step; it paid each stream `rewards`, (streams,), float64, and ended the games of the streams
        `ended`, (ended,), int64.
        """
        self._rewards += rewards
        again = np.flatnonzero(self._open[turns.streams])
        going = self._closed(turns.streams[again], turns.observations[again], turns.masks[again] != 0, done=False)
        over = ended[self._open[ended]]
        nothing = np.zeros((len(over), self._observations.shape[1]), np.float32)
        return going, self._closed(over, nothing, np.ones((len(over), self._num_actions), np.bool_), done=True)

    def _closed(
        self, streams: Int64s, observations: npt.NDArray[Any], masks: npt.NDArray[np.bool_], *, done: bool
    ) -> Transitions:
        """Return the transitions from the open turns of streams to what comes next, and close them."""
        self._open[streams] = False
        rewards = self._rewards[streams].astype(np.float32)
        ends = np.full(len(streams), done)
        return Transitions(self._observations[streams], self._actions[streams], rewards, observations, masks, ends)


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
        """Allocate the buffer; raise `CardgymError` if it does not fit in memory.

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
        """Return `batch_size` records drawn uniformly, as tensors on `device`."""
        indices = self._generator.integers(0, self.size, batch_size)
        # PyTorch allocates aligned memory, so the same numbers always give the same bits.
        memory = torch.empty(batch_size * self._records.itemsize, dtype=torch.uint8, device="cpu")
        records = memory.numpy().view(self._records.dtype)
        np.take(self._records, indices, out=records, mode="clip")  # Other modes copy twice.
        fields = (torch.from_numpy(records[name]).to(device, non_blocking=True) for name in records.dtype.names or ())
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
