"""What replay and reservoir buffers share: records in an array allocated once, drawn uniformly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from cardgym.errors import CardgymError
from cardgym.files.limits import check_memory
from cardgym.learn.resume import generator_state, set_generator_state

R = TypeVar("R", bound=tuple[Any, ...])


class RecordBuffer(Generic[R]):
    """Up to `capacity` records, sampled uniformly with replacement; a subclass decides which it keeps.

    Attributes:
        capacity: how many records it holds at most.
        size: how many it holds now.
    """

    contents: ClassVar[str] = "records"
    """What the records are, in messages and as a key of the state."""

    def __init__(
        self,
        kind: Callable[..., R],
        layout: list[tuple[Any, ...]],
        key: str,
        capacity: int,
        generator: np.random.Generator,
    ) -> None:
        """Allocate the buffer.

        Args:
            kind: makes a sample from one tensor for each field.
            layout: the fields of a record, as `numpy.dtype` takes them.
            key: the key of the config that holds the capacity, for errors.
            capacity: how many records it holds at most.
            generator: draws the samples.

        Raises:
            CardgymError: if there is not enough memory.
        """
        self.capacity = capacity
        self.size = 0
        self._generator = generator
        self._kind = kind
        self._names = [field[0] for field in layout]
        # A record lies in one stretch of memory: to draw it touches one place instead of one for each field.
        record = np.dtype(layout, align=True)
        what = f"{key}={capacity}: that many {self.contents} of {record.itemsize} bytes each"
        check_memory(what, capacity * record.itemsize, "lower it")
        try:
            self._records = np.zeros(capacity, record)
        except (MemoryError, ValueError):
            raise CardgymError(f"{what} would need more memory than there is left; lower it") from None

    def _put(self, places: slice | npt.NDArray[np.int64], records: dict[str, Any]) -> None:
        """Write records, arrays by field, into these places; where a place comes twice, the later record stays."""
        for name, values in records.items():
            self._records[name][places] = values

    def sample(self, batch_size: int, device: torch.device | str = "cpu") -> R:
        """Draw records, as tensors on `device`."""
        indices = self._generator.integers(0, self.size, batch_size)
        # PyTorch's memory is aligned, so that the same numbers always give the same bits.
        records = torch.empty(batch_size * self._records.itemsize, dtype=torch.uint8).numpy().view(self._records.dtype)
        np.take(self._records, indices, out=records, mode="clip")  # Other modes copy twice.
        return self._kind(*(torch.from_numpy(records[name]).to(device, non_blocking=True) for name in self._names))

    def state_dict(self) -> dict[str, Any]:
        """The contents and the generator's state, as tensors and plain values."""
        filled = {name: torch.from_numpy(self._records[name][: self.size].copy(order="C")) for name in self._names}
        return {"size": self.size, self.contents: filled, "generator": generator_state(self._generator)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        self.size = state["size"]
        for name in self._names:
            self._records[name][: self.size] = state[self.contents][name].numpy()
        set_generator_state(self._generator, state["generator"])
