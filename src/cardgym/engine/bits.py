"""Sets as the bits of a number, and the same as arrays of 0 and 1, read and written many numbers at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from cardgym.engine.compilation import config, rule

create_struct_proxy: Any = cgutils.create_struct_proxy


@rule
def count_bits(values: int) -> int:
    """How many bits of a number are 1."""
    count = 0
    while values:  # LLVM knows this loop: it becomes one instruction.
        values &= values - 1
        count += 1
    return count


@rule
def write_bits(values: int, count: int, out: npt.NDArray[Any], start: int) -> None:
    """Write the lowest `count` bits of a number to `out` from `start` on, as 0 and 1, the lowest first.

    Args:
        values: the bits.
        count: how many of them.
        out: int8 or float32, contiguous; indices are not checked.
        start: where the lowest bit goes.
    """
    whole = count & ~7
    for first in range(0, whole, 8):
        _write_8(values >> first, out, start + first)
    for place in range(whole, count):
        out[np.uint64(start + place)] = (values >> place) & 1


@rule
def count_32(mask: npt.NDArray[np.int8], start: int) -> int:
    """How many of the 32 numbers of a mask from `start` on are not 0; the mask is contiguous and has that many."""
    return count_bits(_read_32(mask, start))


# -- the vectors ------------------------------------------------------------------------------------------------------
# LLVM makes dozens of instructions of such a loop, because Numba leaves out one of its passes. These are two or three.


def _write_interpreted(values: int, out: npt.NDArray[Any], start: int) -> None:
    for place in range(8):
        out[start + place] = (values >> place) & 1


def _read_interpreted(mask: npt.NDArray[Any], start: int) -> int:
    return sum(1 << place for place in range(32) if mask[start + place])


@intrinsic
def _write_compiled(context: Any, values: Any, out: Any, start: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number = context.get_data_type(out.dtype)
        vector = ir.VectorType(number, 8)
        bits = builder.bitcast(builder.trunc(args[0], ir.IntType(8)), ir.VectorType(ir.IntType(1), 8))
        numbers = builder.uitofp(bits, vector) if isinstance(out.dtype, types.Float) else builder.zext(bits, vector)
        data = create_struct_proxy(out)(context, builder, args[1]).data
        builder.store(numbers, builder.bitcast(builder.gep(data, [args[2]]), vector.as_pointer()), align=1)
        return context.get_dummy_value()

    _check_contiguous(out)
    return types.void(values, out, start), generate


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
        raise TypingError(f"bits are read from and written to contiguous arrays of one dimension, not {array}")


_write_8: Any = _write_interpreted if config.DISABLE_JIT else _write_compiled
_read_32: Any = _read_interpreted if config.DISABLE_JIT else _read_compiled
