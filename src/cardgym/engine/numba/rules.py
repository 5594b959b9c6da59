"""Rules of games, which Numba compiles when they are first used, and the low-level functions that rules call.

Numba takes seconds to import. A program that only lists games, with their options and players, never loads it.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from ctypes import c_char
from functools import cached_property
from math import prod
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

F = TypeVar("F", bound=Callable[..., Any])

JIT_DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
"""Whether Numba's JIT is off in this process. Reading Numba's own setting would import it."""


def rule(function: F) -> F:
    """Compile a rule of a game. With Numba's JIT off (`NUMBA_DISABLE_JIT=1`) it stays plain Python.

    A rule may call other rules. Only the entry points that contain it are cached on disk.
    """
    return function if JIT_DISABLED else cast(F, Rule(function))


class Rule:
    """A compiled function. Compiled code that reads it sees Numba's dispatcher, by way of `_numba_type_`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function

    @cached_property
    def dispatcher(self) -> Any:
        """What compiled code calls."""
        from cardgym.engine.numba.compilation import inlined_rule

        return inlined_rule(self.py_func)

    @cached_property
    def _for_python(self) -> Callable[..., Any]:
        from cardgym.engine.numba.compilation import rule_for_python

        return rule_for_python(self)

    @property
    def _numba_type_(self) -> Any:
        """The type under which Numba knows the dispatcher."""
        from numba import typeof

        return typeof(self.dispatcher)  # type: ignore[no-untyped-call]

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        return self._for_python(*arguments)

    def __reduce__(self) -> str:
        return cast(str, self.__qualname__)  # type: ignore[attr-defined]  # Pickled by name, like a function.


# -- bits of numbers as arrays of 0 and 1 -----------------------------------------------------------------------------


@rule
def count_bits(values: int) -> int:
    """The number of bits that are 1."""
    count = 0
    while values:  # LLVM turns this loop into one instruction.
        values &= values - 1
        count += 1
    return count


@rule
def write_bits(values: int, count: int, out: npt.NDArray[Any], start: int) -> None:
    """Write the lowest `count` bits of `values` to `out[start:]` as 0 and 1, lowest bit first.

    `out` is int8 or float32 and contiguous; indices are not checked.
    """
    # The last block overlaps the one before and writes the same bits again: cheaper than a loop over the rest.
    if count >= 16:
        write_16(values, out, start)
        for first in range(16, count - 16, 16):
            write_16(values >> first, out, start + first)
        write_16(values >> (count - 16), out, start + count - 16)
    elif count >= 8:
        write_8(values, out, start)
        write_8(values >> (count - 8), out, start + count - 8)
    else:
        for place in range(count):
            out[np.uint64(start + place)] = (values >> place) & 1


@rule
def write_zeros(out: npt.NDArray[Any], start: int, stop: int) -> None:
    """Set `out[start:stop]` to 0; indices are not checked."""
    for place in range(start, stop):
        out[np.uint64(place)] = 0


@rule
def count_32(mask: npt.NDArray[np.int8], start: int) -> int:
    """How many of `mask[start : start + 32]`, each 0 or 1, are 1; indices are not checked."""
    counts = 0
    for first in range(start, start + 32, 8):
        word = 0
        for place in range(8):  # LLVM turns this loop into one instruction: it reads the bytes of a number.
            word |= (int(mask[np.uint64(first + place)]) & 255) << (8 * place)
        counts += word
    return ((counts * 0x0101010101010101) >> 56) & 255  # The sum of the eight bytes.


def write_8(values: int, out: npt.NDArray[Any], start: int) -> None:
    """Write the lowest 8 bits of an integer. (`internals` makes it three instructions on vectors.)"""
    for place in range(8):
        out[np.uint64(start + place)] = (values >> place) & 1


def write_16(values: int, out: npt.NDArray[Any], start: int) -> None:
    """Write the lowest 16 bits of an integer, likewise."""
    for place in range(16):
        out[np.uint64(start + place)] = (values >> place) & 1


# -- arrays at addresses ----------------------------------------------------------------------------------------------
# Passing an array to a compiled function takes about 60 ns, an integer half of that, and an env step uses a dozen
# arrays. So a batch stores the addresses of its arrays once, and passes the address of that table.


def array_at(address: int, shape: tuple[int, ...], dtype: Any) -> Any:
    """A C-contiguous array over memory that somebody else owns. (`compilation` has the compiled function.)"""
    memory = (c_char * (prod(shape) * dtype.itemsize)).from_address(int(address))
    return np.recarray(shape, dtype, memory) if dtype.names else np.ndarray(shape, dtype, memory)
