"""Entry points that were compiled when a site was made, for a page: made by `targets`, loaded by Pyodide's `ctypes`.

In the page Numba's JIT is off, and what `compilation` would compile is looked up here by its name. Compiled code works
on NumPy's own memory. What is missing is interpreted, which gives the same answers slowly.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

_POINTER, _INT64 = ctypes.c_void_p, ctypes.c_int64
_SCALARS: dict[str, Any] = {
    "bool": ctypes.c_int32,
    **{f"{sign}int{bits}": ctypes.c_int32 for sign in ("", "u") for bits in (8, 16, 32)},
    **{"int64": _INT64, "uint64": ctypes.c_uint64, "float32": ctypes.c_float, "float64": ctypes.c_double},
}
_functions: dict[str, list[_Function]] = {}
"""The functions of each entry point, one for each signature, of all modules that were loaded."""


def name_of(function: Callable[..., Any]) -> str:
    """Return what manifests call an entry point; it is the same in every version of Python."""
    return f"{function.__module__}:{function.__name__}"


def load(module: Path) -> None:
    """Load a module and the manifest beside it; twice does no harm."""
    library = ctypes.CDLL(str(module))
    for name, entries in json.loads(module.with_suffix(".json").read_text()).items():
        known = _functions.setdefault(name, [])  # Games share some entry points, each with signatures of its own.
        known += [_Function(name, library, entry) for entry in entries]


class EntryPoint:
    """What Python calls in place of a compiled function."""

    def __init__(self, function: Callable[..., Any], interpreted: Callable[..., Any]) -> None:
        self.py_func = function
        self._interpreted = interpreted

    def __call__(self, *arguments: Any) -> Any:
        """Call the loaded function whose signature fits.

        Raises:
            TypeError: if it was compiled for other types; guessing would read foreign memory.
        """
        found = _functions.get(name_of(self.py_func))
        if found is None:
            return self._interpreted(*arguments)
        flat = list(_flat(arguments))
        kinds = [_kind_of(argument) for argument in flat]
        for function in found:
            if function.fits(kinds):
                return function(flat)
        raise TypeError(f"{name_of(self.py_func)}: compiled for other types than {', '.join(kinds)}")


def _flat(arguments: Any) -> Iterator[Any]:
    """Yield the arguments, with the parts of tuples in their place, as compiled code takes them."""
    for argument in arguments:
        if isinstance(argument, tuple):
            yield from _flat(argument)
        else:
            yield argument


def kind_of_array(dtype: np.dtype[Any], ndim: int, layout: str) -> str:
    """Return what manifests call arrays of a dtype; records with the same fields at the same places are the same."""
    return f"{layout}{ndim} {_kind_of_dtype(dtype)}"


@lru_cache(maxsize=256)
def _kind_of_dtype(dtype: np.dtype[Any]) -> str:
    if dtype.subdtype is not None:
        return f"{dtype.shape} {_kind_of_dtype(dtype.base)}"
    if dtype.fields is None:
        return dtype.str
    parts = [(name, place, _kind_of_dtype(kind)) for name, (kind, place, *_) in dtype.fields.items()]
    return f"record {hashlib.sha256(repr((dtype.itemsize, parts)).encode()).hexdigest()[:12]}"


def _kind_of(value: Any) -> str:
    if isinstance(value, np.ndarray):
        layout = "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"
        return kind_of_array(value.dtype, value.ndim, layout)
    return str(value.dtype) if isinstance(value, np.generic) else type(value).__name__


_PLAIN = {"int": ("int64", "uint64"), "float": ("float64",)}
"""The kinds of Python's own numbers. NumPy's default integer has 32 bits in a page."""


def _passes(kind: str, wanted: str) -> bool:
    """Whether a value of one kind can be passed as another: strides of any layout fit where any array is taken."""
    return kind == wanted or wanted in _PLAIN.get(kind, ()) or (wanted[0] == "A" and kind[1:] == wanted[1:])


class _Function:
    """A function of a module, for arguments of certain types."""

    def __init__(self, name: str, library: Any, entry: dict[str, Any]) -> None:
        self._name = name
        self._kinds: list[str] = entry["arguments"]
        self._code = library[entry["function"]]
        self._code.restype = ctypes.c_int32
        self._code.argtypes = [_POINTER, _POINTER, *(part for kind in self._kinds for part in _parts(kind))]
        self._room = np.zeros(16, np.int64)  # The answer, then where an exception would be.
        self._answer = entry["answer"]
        names = self._answer if isinstance(self._answer, list) else [self._answer]
        scalars = [] if names[0] == "" or names[0].startswith("array") else [(f"{i}", n) for i, n in enumerate(names)]
        kind = np.dtype(scalars, align=True)
        self._values = self._room.view(np.uint8)[: kind.itemsize].view(kind) if scalars else None

    def fits(self, kinds: list[str]) -> bool:
        """Whether arguments of these kinds can be passed."""
        return len(kinds) == len(self._kinds) and all(map(_passes, kinds, self._kinds))

    def __call__(self, arguments: list[Any]) -> Any:
        at = self._room.ctypes.data
        flat: list[Any] = [at, at + 96]
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                sizes = (*argument.shape, *argument.strides)
                flat += [None, None, argument.size, argument.itemsize, argument.ctypes.data, *sizes]
            else:
                flat.append(argument.item() if isinstance(argument, np.generic) else argument)
        if self._code(*flat):
            raise RuntimeError(f"{self._name}: an exception in compiled code")
        if self._values is not None:
            values = self._values[0].item()
            return values if isinstance(self._answer, list) else values[0]
        return self._array() if self._answer else None

    def _array(self) -> Any:
        """Return the array that the answer describes: owner and parent, size, item size, address."""
        dtype = np.dtype(self._answer.removeprefix("array "))
        size, address = int(self._room[1]), int(self._room[3]) & 0xFFFFFFFF
        return np.frombuffer(ctypes.string_at(address, size * dtype.itemsize), dtype).copy()


def _parts(kind: str) -> list[Any]:
    """Return the types of the numbers that an argument is passed as."""
    if kind in _SCALARS:
        return [_SCALARS[kind]]
    return [_POINTER, _POINTER, _INT64, _INT64, _POINTER] + [_INT64] * (2 * int(kind.split()[0][1:]))
