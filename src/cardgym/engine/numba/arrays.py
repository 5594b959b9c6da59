"""Arrays at given addresses, for compiled entry points that Python calls often.

Each array that a compiled function takes costs its caller some 60 ns, a whole number half as much, and an env's step
has a dozen arrays. So a batch writes down once where its arrays are, and passes the address of that.
"""

from __future__ import annotations

from ctypes import c_char
from math import prod
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import np_cfarray

from cardgym.engine.numba.compilation import config


def _interpreted(address: int, shape: tuple[int, ...], dtype: Any) -> Any:
    memory = (c_char * (prod(shape) * dtype.itemsize)).from_address(int(address))
    return np.recarray(shape, dtype, memory) if dtype.names else np.ndarray(shape, dtype, memory)


@intrinsic
def _compiled(typing_context: Any, address: Any, shape: Any, dtype: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], cgutils.voidptr_t)
        with_pointer = signature.return_type(types.voidptr, shape, dtype)
        return np_cfarray(context, builder, with_pointer, (pointer, *arguments[1:]))  # type: ignore[no-untyped-call]

    return types.Array(dtype.dtype, len(shape), "C")(types.intp, shape, dtype), generate


array_at: Any = _interpreted if config.DISABLE_JIT else _compiled
"""`array_at(address, shape, dtype)`: the array that lies at an address, C-contiguous; its owner keeps the memory."""
