"""Networks read equal rows once: in a small game, most of what a batch sees is there many times."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from cardgym.engine.compilation import compiled
from cardgym.engine.contract import Int64s

_TRIED = 512
"""Rows, about, after which rows that are mostly new are taken as all different."""


class Distinct(NamedTuple):
    """Rows of which equal ones may be kept once.

    Attributes:
        table: the rows kept, (kept, columns), on any device.
        numbers: which of them each row is, (rows,), int64; None if the table has every row.
    """

    table: Tensor
    numbers: Tensor | None = None

    @classmethod
    def of(cls, rows: Tensor) -> Self:
        """Return rows, (rows, columns), float32, without repetition, if that is at most about half of them."""
        if rows.device.type != "cpu":
            return cls(rows)
        first, numbers = distinct(rows.numpy())
        return cls(rows[torch.from_numpy(first)], torch.from_numpy(numbers)) if len(first) else cls(rows)

    def take(self, rows: Tensor) -> Self:
        """Return some of the rows, `rows` (taken,), int64, in this order."""
        if self.numbers is None:
            return type(self)(self.table.index_select(0, rows.to(self.table.device)))
        chosen = self.numbers[rows]
        first, numbers = distinct(chosen.numpy().astype(np.float32)[:, None])
        if not len(first):
            return type(self)(self.table[chosen])
        return type(self)(self.table[chosen[torch.from_numpy(first)]], torch.from_numpy(numbers))

    def through(self, network: nn.Module) -> Any:
        """Return what the network gives for each row: a tensor, or a tuple of tensors, (rows, ...)."""
        outputs = network(self.table)
        if self.numbers is None:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs.index_select(0, self.numbers)
        return tuple(output.index_select(0, self.numbers) for output in outputs)


def distinct(rows: npt.NDArray[np.float32]) -> tuple[Int64s, Int64s]:
    """Return where each different one of `rows`, (rows, columns), is first, and which of these each row is, (rows,).

    Both are empty if most rows are different.
    """
    bits = np.ascontiguousarray(rows).view(np.uint32)
    factors = _factors(bits.shape[1])
    first, numbers = np.empty(len(bits), np.int64), np.empty(len(bits), np.int64)
    table = np.full(1 << (2 * len(bits)).bit_length(), -1)
    count = _number(bits, factors, table, first, numbers)
    return first[:count].copy(), numbers[: len(bits) if count else 0]


@cache
def _factors(count: int) -> npt.NDArray[np.uint64]:
    """Return random odd numbers to make keys with."""
    return np.random.default_rng(0).integers(2**63, size=count, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


@compiled
def _number(bits: Any, factors: Any, table: Int64s, first: Int64s, numbers: Int64s) -> int:
    """Write the results of `distinct`, by a hash table; return how many rows differ, or 0 if most do."""
    count = 0
    last = np.uint64(table.shape[0] - 1)
    for row in range(bits.shape[0]):
        key = np.uint64(0)
        for column in range(bits.shape[1]):
            key += np.uint64(bits[row, column]) * factors[column]
        place = np.int64((key ^ (key >> np.uint64(32))) & last)
        while True:
            known = table[place]
            if known < 0:
                table[place], first[count], numbers[row] = count, row, count
                count += 1
                break
            difference = np.uint32(0)
            for column in range(bits.shape[1]):
                difference |= bits[row, column] ^ bits[first[known], column]
            if difference == 0:
                numbers[row] = known
                break
            place = (place + 1) & np.int64(last)
        if 2 * count > row + _TRIED:
            return 0
    return count if 2 * count <= bits.shape[0] else 0
