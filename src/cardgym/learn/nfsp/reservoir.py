"""The reservoir buffer: a uniform sample of all best-response decisions so far."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from cardgym.learn.record_buffer import RecordBuffer


class Decisions(NamedTuple):
    """Decisions, one in each row.

    Attributes:
        observations: what the seat saw, (rows, size), float32.
        masks: what was legal, (rows, actions), bool.
        actions: what it did, (rows,), int64.
    """

    observations: Any
    masks: Any
    actions: Any


class ReservoirBuffer(RecordBuffer[Decisions]):
    """A uniform sample, without replacement, of all decisions that were ever added.

    Once it is full, the n-th decision replaces a random one with probability capacity / n: Vitter, "Random sampling
    with a reservoir", ACM Transactions on Mathematical Software 11 (1985), algorithm R. So a decision of the first
    minute is as likely to be there as one of the last, and what is learned from it is the average best response.

    Attributes:
        added: how many decisions were added, kept or not.
    """

    contents: ClassVar[str] = "decisions"

    def __init__(self, capacity: int, observation_size: int, num_actions: int, generator: np.random.Generator) -> None:
        """Allocate the buffer; `generator` draws which decisions stay, and the samples.

        Raises:
            CardgymError: if there is not enough memory.
        """
        layout: list[tuple[Any, ...]] = [
            ("observations", np.float32, observation_size),
            ("masks", np.bool_, num_actions),
            ("actions", np.int64),
        ]
        super().__init__(Decisions, layout, "reservoir_size", capacity, generator)
        self.added = 0

    def add(self, decisions: Decisions) -> None:
        """Offer decisions, NumPy arrays, one after the other."""
        numbers = np.arange(self.added, self.added + len(decisions.actions))
        places = numbers.copy()
        late = np.flatnonzero(numbers >= self.capacity)
        places[late] = self._generator.integers(0, numbers[late] + 1)
        kept = places < self.capacity
        self._put(places[kept], {name: values[kept] for name, values in decisions._asdict().items()})
        self.added += len(numbers)
        self.size = min(self.added, self.capacity)

    def state_dict(self) -> dict[str, Any]:
        """The contents, how many were added, and the generator's state, as tensors and plain values."""
        return {**super().state_dict(), "added": self.added}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        super().load_state_dict(state)
        self.added = state["added"]
