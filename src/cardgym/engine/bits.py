"""Sets as the bits of a number, written to observations and masks eight numbers at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from cardgym.engine.compilation import config, rule

create_struct_proxy: Any = cgutils.create_struct_proxy


@rule
def write_bits(values: int, count: int, out: npt.NDArray[Any], start: int) -> None:
    """Write the lowest `count` bits of a number to `out` from `start` on, as 0 and 1, the lowest first.

    Args:
        values: the bits.
        count: how many of them.
        out: int8 or float32, with a stride of one number; indices are not checked.
        start: where the lowest bit goes.
    """
    whole = count & ~7
    for first in range(0, whole, 8):
        _write_eight(values >> first, out, start + first)
    for place in range(whole, count):
        out[np.uint64(start + place)] = (values >> place) & 1


def _eight_interpreted(values: int, out: npt.NDArray[Any], start: int) -> None:
    for place in range(8):
        out[start + place] = (values >> place) & 1


@intrinsic
def _eight_compiled(context: Any, values: Any, out: Any, start: Any) -> Any:
    """Two or three instructions. LLVM makes dozens of a loop of eight, because Numba leaves out one of its passes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values, array, start = args
        out_type = signature.args[1]
        bits = builder.bitcast(builder.trunc(values, ir.IntType(8)), ir.VectorType(ir.IntType(1), 8))
        number = context.get_data_type(out_type.dtype)
        vector = ir.VectorType(number, 8)
        numbers = (
            builder.uitofp(bits, vector) if isinstance(out_type.dtype, types.Float) else builder.zext(bits, vector)
        )
        data = create_struct_proxy(out_type)(context, builder, array).data
        place = builder.bitcast(builder.gep(data, [start]), vector.as_pointer())
        builder.store(numbers, place, align=out_type.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(values, out, start), generate


_write_eight: Any = _eight_interpreted if config.DISABLE_JIT else _eight_compiled
