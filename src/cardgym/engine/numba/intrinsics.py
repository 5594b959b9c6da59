"""Low-level compiled code: bits of integers as arrays of 0 and 1, and arrays at given addresses.

Passing an array to a compiled function takes about 60 ns, an integer half of that, and an env step uses a dozen arrays.
So a batch stores the addresses of its arrays once, and passes the address of that table.
"""

from __future__ import annotations

from ctypes import c_char
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numba.np.arrayobj import np_cfarray

from cardgym.engine.numba.compilation import config, rule

create_struct_proxy: Any = cgutils.create_struct_proxy


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


def _writing(width: int) -> Any:
    """Make the function that writes the lowest `width` bits of an integer."""

    def write_interpreted(values: int, out: npt.NDArray[Any], start: int) -> None:
        for place in range(width):
            out[start + place] = (values >> place) & 1

    def write_compiled(context: Any, values: Any, out: Any, start: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = ir.VectorType(context.get_data_type(out.dtype), width)
            bits = builder.trunc(args[0], ir.IntType(width))
            bits = builder.bitcast(bits, ir.VectorType(ir.IntType(1), width))
            numbers = builder.select(bits, ir.Constant(vector, [1] * width), ir.Constant(vector, [0] * width))
            data = create_struct_proxy(out)(context, builder, args[1]).data
            builder.store(numbers, builder.bitcast(builder.gep(data, [args[2]]), vector.as_pointer()), align=1)
            return context.get_dummy_value()

        _check_contiguous(out)
        return types.void(values, out, start), generate

    return write_interpreted if config.DISABLE_JIT else intrinsic(write_compiled)


def _read_interpreted(mask: npt.NDArray[Any], start: int) -> int:
    return sum(1 << place for place in range(32) if mask[start + place])


@intrinsic
def _read_compiled(context: Any, mask: Any, start: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = ir.VectorType(ir.IntType(8), 32)
        data = create_struct_proxy(mask)(context, builder, args[0]).data
        numbers = builder.load(builder.bitcast(builder.gep(data, [args[1]]), vector.as_pointer()), align=1)
        bits = builder.icmp_unsigned("!=", numbers, ir.Constant(vector, None))
        return builder.zext(builder.bitcast(bits, ir.IntType(32)), ir.IntType(64))

    _check_contiguous(mask)
    return types.int64(mask, start), generate


def _check_contiguous(array: Any) -> None:
    if array.layout != "C" or array.ndim != 1:
        raise TypingError(f"bits can only be read from or written to contiguous one-dimensional arrays, not {array}")


_write_8, _write_16 = _writing(8), _writing(16)
_read_32: Any = _read_interpreted if config.DISABLE_JIT else _read_compiled


# -- arrays at addresses ----------------------------------------------------------------------------------------------


def _array_interpreted(address: int, shape: tuple[int, ...], dtype: Any) -> Any:
    memory = (c_char * (prod(shape) * dtype.itemsize)).from_address(int(address))
    return np.recarray(shape, dtype, memory) if dtype.names else np.ndarray(shape, dtype, memory)


@intrinsic
def _array_compiled(typing_context: Any, address: Any, shape: Any, dtype: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], cgutils.voidptr_t)
        with_pointer = signature.return_type(types.voidptr, shape, dtype)
        return np_cfarray(context, builder, with_pointer, (pointer, *arguments[1:]))  # type: ignore[no-untyped-call]

    return types.Array(dtype.dtype, len(shape), "C")(types.intp, shape, dtype), generate


array_at: Any = _array_interpreted if config.DISABLE_JIT else _array_compiled
"""`array_at(address, shape, dtype)`: a C-contiguous array over memory that somebody else owns."""
