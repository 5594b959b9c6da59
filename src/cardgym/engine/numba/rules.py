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
    return function if JIT_DISABLED else cast(F, _Rule(function))


class _Rule:
    """A rule. Compiled code that reads it sees Numba's dispatcher, by way of `_numba_type_`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function

    @cached_property
    def dispatcher(self) -> Any:
        from cardgym.engine.numba.compilation import inlined_rule

        return inlined_rule(self.py_func)

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)

    def __reduce__(self) -> str:
        return cast(str, self.__qualname__)  # type: ignore[attr-defined]  # Pickled by name, like a function.


class Intrinsic:
    """A function of LLVM instructions, for rules. Numba sees it when a rule that reads it is compiled.

    Args:
        definition: what `numba.extending.intrinsic` takes.
        interpreted: the same function in Python.
    """

    def __init__(self, definition: Callable[..., Any], interpreted: Callable[..., Any]) -> None:
        self._definition = definition
        self._interpreted = interpreted

    @cached_property
    def _numba_type_(self) -> Any:
        from numba.core.registry import cpu_target
        from numba.extending import intrinsic

        context = cpu_target.typing_context
        self._registered = intrinsic(self._definition)
        context.refresh()  # Compiling began before this one was registered.
        return context.resolve_value_type(self._registered)

    def __call__(self, *arguments: Any) -> Any:
        """Call the Python function: only interpreted code gets here."""
        return self._interpreted(*arguments)


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
        _write_16(values, out, start)
        for first in range(16, count - 16, 16):
            _write_16(values >> first, out, start + first)
        _write_16(values >> (count - 16), out, start + count - 16)
    elif count >= 8:
        _write_8(values, out, start)
        _write_8(values >> (count - 8), out, start + count - 8)
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
    """How many of `mask[start : start + 32]` are not 0; indices are not checked."""
    return count_bits(_read_32(mask, start))


# -- the vectors ------------------------------------------------------------------------------------------------------
# Two or three instructions each. A loop would become dozens, because Numba omits one of LLVM's passes.


def _writing(width: int) -> Intrinsic:
    """Make the function that writes the lowest `width` bits of an integer."""

    def write_interpreted(values: int, out: npt.NDArray[Any], start: int) -> None:
        for place in range(width):
            out[start + place] = (values >> place) & 1

    def write_compiled(context: Any, values: Any, out: Any, start: Any) -> Any:
        from llvmlite import ir
        from numba.core import types

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = ir.VectorType(context.get_data_type(out.dtype), width)
            bits = builder.trunc(args[0], ir.IntType(width))
            bits = builder.bitcast(bits, ir.VectorType(ir.IntType(1), width))
            numbers = builder.select(bits, ir.Constant(vector, [1] * width), ir.Constant(vector, [0] * width))
            data = _data(out, context, builder, args[1])
            builder.store(numbers, builder.bitcast(builder.gep(data, [args[2]]), vector.as_pointer()), align=1)
            return context.get_dummy_value()

        _check_contiguous(out)
        return types.void(values, out, start), generate

    return Intrinsic(write_compiled, write_interpreted)


def _read_interpreted(mask: npt.NDArray[Any], start: int) -> int:
    return sum(1 << place for place in range(32) if mask[start + place])


def _read_compiled(context: Any, mask: Any, start: Any) -> Any:
    from llvmlite import ir
    from numba.core import types

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = ir.VectorType(ir.IntType(8), 32)
        data = _data(mask, context, builder, args[0])
        numbers = builder.load(builder.bitcast(builder.gep(data, [args[1]]), vector.as_pointer()), align=1)
        bits = builder.icmp_unsigned("!=", numbers, ir.Constant(vector, None))
        return builder.zext(builder.bitcast(bits, ir.IntType(32)), ir.IntType(64))

    _check_contiguous(mask)
    return types.int64(mask, start), generate


def _data(array: Any, context: Any, builder: Any, value: Any) -> Any:
    """The pointer to the numbers of an array."""
    from numba.core import cgutils

    create_struct_proxy: Any = cgutils.create_struct_proxy
    return create_struct_proxy(array)(context, builder, value).data


def _check_contiguous(array: Any) -> None:
    from numba.core.errors import TypingError

    if array.layout != "C" or array.ndim != 1:
        raise TypingError(f"bits can only be read from or written to contiguous one-dimensional arrays, not {array}")


_write_8, _write_16 = _writing(8), _writing(16)
_read_32 = Intrinsic(_read_compiled, _read_interpreted)


# -- arrays at addresses ----------------------------------------------------------------------------------------------
# Passing an array to a compiled function takes about 60 ns, an integer half of that, and an env step uses a dozen
# arrays. So a batch stores the addresses of its arrays once, and passes the address of that table.


def _array_interpreted(address: int, shape: tuple[int, ...], dtype: Any) -> Any:
    memory = (c_char * (prod(shape) * dtype.itemsize)).from_address(int(address))
    return np.recarray(shape, dtype, memory) if dtype.names else np.ndarray(shape, dtype, memory)


def _array_compiled(typing_context: Any, address: Any, shape: Any, dtype: Any) -> Any:
    from numba.core import cgutils, types
    from numba.np.arrayobj import np_cfarray

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], cgutils.voidptr_t)
        with_pointer = signature.return_type(types.voidptr, shape, dtype)
        return np_cfarray(context, builder, with_pointer, (pointer, *arguments[1:]))  # type: ignore[no-untyped-call]

    return types.Array(dtype.dtype, len(shape), "C")(types.intp, shape, dtype), generate


array_at = Intrinsic(_array_compiled, _array_interpreted)
"""`array_at(address, shape, dtype)`: a C-contiguous array over memory that somebody else owns."""
