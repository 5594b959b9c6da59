"""Equal observations in a batch, so that a network computes each of them once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from torch import Tensor

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Float32s, Int64s

ALL = slice(None)
"""All rows, in order."""


class Observed(NamedTuple):
    """What a batch's networks read, and the rows of the batch that it belongs to.

    Attributes:
        observations: (observed, size), float32.
        others: what the other seats saw, (observed, others), float32.
        places: for each row of the batch the place of its observation, (rows,), int64; `ALL` if every row has its own.
    """

    observations: Tensor
    others: Tensor
    places: Tensor | slice

    def spread(self, results: Tensor) -> Tensor:
        """A network's results for these observations, (observed, ...), for each row of the batch."""
        return results if isinstance(self.places, slice) else results.index_select(0, self.places)


def distinct(observations: Float32s, others: Float32s | None) -> tuple[Int64s, Int64s]:
    """The first row of each observation that occurs, and for each row the place of its observation among them, int64.

    Rows are equal if what the seat and the `others` saw, both (rows, size), is equal bit by bit. They are compared by
    a hash of 64 bits: one batch in billions takes two different rows for equal.
    """
    hashes = np.zeros(len(observations), np.uint64)
    for seen in (observations,) if others is None else (observations, others):
        _hash(np.ascontiguousarray(seen).view(np.uint32), hashes)
    _, first, places = np.unique(hashes, return_index=True, return_inverse=True)
    return first, places


@compiled
def _hash(words: npt.NDArray[np.uint32], hashes: npt.NDArray[np.uint64]) -> None:
    """Mix the words of each row into its hash: multiply and shift, as in MurmurHash."""
    for row in range(words.shape[0]):
        mixed = hashes[row]
        for column in range(words.shape[1]):
            mixed = (mixed ^ np.uint64(words[row, column])) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        hashes[row] = mixed
