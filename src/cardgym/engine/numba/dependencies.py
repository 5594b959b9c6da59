"""What compiled code depends on: the functions it can reach, their modules, and the constants they read."""

from __future__ import annotations

import hashlib
import inspect
import sys
import types
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

_VERSIONS = repr((sys.version_info[:2], numba.__version__, llvmlite.__version__, np.__version__))
_COMPILER = tuple(f"{__package__}.{name}" for name in ("compilation", "dependencies", "internals"))
"""The modules that decide how all others are compiled."""


def reachable_modules(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the modules that a compiled function depends on, its own included."""
    functions, _ = _reach(function)
    return tuple(sorted({plain.__module__ for plain in functions}))


def digest_of(function: Callable[..., Any] | None) -> str:
    """A digest of the modules that a function can reach and of the constants read there; of the compiler if None."""
    functions, constants = ((), frozenset()) if function is None else _reach(function)
    modules = {plain.__module__ for plain in functions}
    digest = hashlib.sha256(_VERSIONS.encode())
    for name in sorted({*modules, *_COMPILER}):
        digest.update(name.encode())
        digest.update(_source(name))
    for constant in sorted(constants):
        digest.update(constant)
    return digest.hexdigest()[:16]


@cache
def _reach(function: Callable[..., Any]) -> tuple[tuple[types.FunctionType, ...], frozenset[bytes]]:
    """The functions that a compiled function can reach, itself included, and the constants that they read."""
    functions: dict[int, types.FunctionType] = {}
    constants: set[bytes] = set()
    waiting: list[Any] = [plain_function(function)]
    while waiting:
        plain = waiting.pop()
        if id(plain) in functions:
            continue
        functions[id(plain)] = plain
        waiting += _called(plain)
        for name, value in _globals_read(plain):
            if not isinstance(plain_function(value), types.FunctionType):
                constants.update(_constants(name, value))
    return tuple(functions.values()), frozenset(constants)


def _called(plain: types.FunctionType) -> list[types.FunctionType]:
    """The functions outside libraries that a function refers to, and so may call."""
    read = (plain_function(value) for _, value in _globals_read(plain))
    return [inner for inner in read if isinstance(inner, types.FunctionType) and not _is_library(inner.__module__)]


def plain_function(value: Any) -> Any:
    """The Python function behind a compiled or wrapped one; any other value unchanged."""
    value = getattr(value, "py_func", value)
    return inspect.unwrap(value) if callable(value) else value


def _constants(name: str, value: Any) -> Iterator[bytes]:
    if isinstance(value, np.ndarray):
        yield f"{name} {value.dtype} {value.shape} ".encode() + value.tobytes()
    elif isinstance(value, tuple):
        for place, part in enumerate(value):
            yield from _constants(f"{name}[{place}]", part)
    elif isinstance(value, bool | int | float | str | np.generic | np.dtype):
        yield f"{name} {value!r}".encode()


def _globals_read(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The names and values of the globals that a function reads, including attributes of modules and of `bound`."""
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
        for name in code.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, types.ModuleType):
                if not _is_library(value.__name__):
                    yield from ((f"{name}.{part}", vars(value)[part]) for part in code.co_names if part in vars(value))
            elif name in function.__globals__:
                yield name, value
    for number, cell in enumerate(function.__closure__ or ()):
        yield f"cell {number}", cell.cell_contents


def _is_library(module: str) -> bool:
    return module.partition(".")[0] in ("numpy", "numba", "builtins", "math")


@cache
def _source(module: str) -> bytes:
    path = getattr(sys.modules.get(module), "__file__", None)
    return Path(path).read_bytes() if path else b""
