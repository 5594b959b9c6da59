"""Compiling rules and kernels with Numba, and keeping the compiled code on disk.

Numba's own cache does not notice an edit in an imported file. So the code of each entry point goes into a folder named
by a digest of every function that the code can reach and every value that these read: stale code is never used, and an
edit elsewhere recompiles nothing.

`internals` speeds up compilation with private parts of Numba. If a release of Numba has changed them, or with
`CARDGYM_PLAIN_NUMBA=1`, the same functions go through Numba's public API: it is slower, but the results are identical.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import math
import os
import sys
import time
import types
from collections.abc import Callable, Iterator
from ctypes import c_char
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from cardgym.engine.cache import alone, cache_folder, digest_of
from cardgym.engine.jit import JIT_DISABLED
from cardgym.errors import printable

if not JIT_DISABLED:  # A page has no Numba.
    import numba
    import numba.extending

F = TypeVar("F", bound=Callable[..., Any])

COMPILE_TIME_HINT = "seconds, a minute on a slow machine"
"""How long compiling a game takes, in messages."""
_RETRY_SECONDS = 24 * 3600
"""A failed self-test is repeated after this long."""
_numbers = itertools.count()


class _Unbound:
    """Placeholder for the names of a template that `bind` has not filled in."""

    def __getattr__(self, name: str) -> Any:
        raise NotImplementedError(f"bound.{name}: templates are called through `bind`")


bound: Any = _Unbound()
"""In a template, `bound.NAME` is the value passed to `bind` under that name: a rule, another template or a constant."""


def compiled(function: F) -> F:
    """Compile a function that Python calls, and cache the machine code on disk."""
    return cast(F, _entry_point(function))


def template(function: F) -> F:
    """Mark a function that reads `bound.NAME`, so that `bind` can compile it with different values for the names.

    A closure could do the same, but would never hit Numba's disk cache.
    """
    function.__dict__["template"] = True
    return function


def bind(function: Callable[..., Any], suffix: str, /, *, inline: bool = False, **names: Any) -> Callable[..., Any]:
    """Compile a copy of a template with values for its names.

    Args:
        suffix: distinguishes the copies on disk.
        inline: inline the copy into its compiled callers; it is not cached, and Python must not call it.
        names: the values of `bound.NAME` in the copy.
    """
    if not function.__dict__.get("template"):
        raise NotImplementedError(f"{function.__name__} is not a template")
    suffix = "".join(letter if letter.isalnum() else "_" for letter in suffix)
    namespace = types.ModuleType(f"bound_{next(_numbers)}")  # Numba tells modules apart by their names.
    namespace.__dict__.update(names)
    copy = types.FunctionType(
        function.__code__,
        {**function.__globals__, "bound": namespace},
        f"{function.__name__}_{suffix}",
        function.__defaults__,
    )
    copy.__qualname__ = copy.__name__
    copy.__module__ = function.__module__
    copy.__annotations__ = function.__annotations__
    copy.__doc__ = function.__doc__
    if inline and JIT_DISABLED:
        return _with_records(copy)
    if inline:
        return cast(Callable[..., Any], inlined_rule(copy))
    return cast(Callable[..., Any], _entry_point(copy))


def inlined_rule(function: Callable[..., Any]) -> Any:
    """Return the dispatcher of a function that is inlined into its compiled callers."""
    if not known_internals():
        return numba.njit(error_model="numpy")(function)
    return known_internals().inlined(function)


def rule_for_python(function: Any) -> Callable[..., Any]:
    """Get the entry point that Python calls in place of a rule: a copy, because it gets a name of its own on disk."""
    copy = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__ = function.__module__
    copy.__dict__["is_rule"] = True
    return cast(Callable[..., Any], _entry_point(copy))


def _entry_point(function: Callable[..., Any]) -> Any:
    """Return a compiled function whose code is cached on disk; in a page, one that `prebuilt` finds."""
    if JIT_DISABLED:
        from cardgym.engine.prebuilt import EntryPoint

        return EntryPoint(function, _with_records(function))
    internals = known_internals()
    return internals.cached_entry_point(function, announced) if internals else _PlainEntryPoint(function)


# -- with or without private parts of Numba ---------------------------------------------------------------------------


@cache
def known_internals() -> Any:
    """Return the module `internals`, or None to use only Numba's public API, or nothing of Numba without the JIT."""
    plain = JIT_DISABLED or os.environ.get("CARDGYM_PLAIN_NUMBA", "0") not in ("", "0")
    return None if plain else _try_internals()


def _try_internals() -> Any:
    """Return the module `internals`, or None if it does not work with this version of Numba.

    It is tested once per version, and the result is stored with the compiled code; a failure only for a day, because
    its cause may be temporary.
    """
    verdict = cache_folder(digest_of(None)) / "self_test"
    with alone(verdict.parent):
        known, failed_recently = "", False
        with contextlib.suppress(OSError, ValueError):
            known = verdict.read_text(encoding="utf-8")
            failed_recently = known.startswith("failed") and time.time() - verdict.stat().st_mtime < _RETRY_SECONDS
        if failed_recently:
            return None
        try:
            internals = importlib.import_module("cardgym.engine.internals")
            if known == "passed":
                return internals
            internals.self_test()
            known = "passed"
        except (OSError, MemoryError) as error:  # A temporary problem, not an incompatible version.
            print(f"cardgym: compiling takes longer: {printable(str(error))}", file=sys.stderr, flush=True)
            return None
        except Exception as error:  # Missing names fail in many ways.
            internals, known = None, f"failed: {type(error).__name__}: {error}"
            newer = f"Numba {numba.__version__} is newer than cardgym knows: compiling takes longer"
            print(f"cardgym: {newer}", file=sys.stderr, flush=True)
        with contextlib.suppress(OSError):
            verdict.write_text(known, encoding="utf-8")
        return internals


class _PlainEntryPoint:
    """A function that Python calls, compiled and cached on disk through Numba's public API alone."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function

    @cached_property
    def _folder(self) -> Path:
        folder = cache_folder(digest_of(self))
        # In its symbols: code of two versions may be loaded in one process.
        self.py_func.__qualname__ = f"{self.py_func.__name__}_{folder.name}"
        return folder

    @cached_property
    def dispatcher(self) -> Any:
        # Made at the first call: until then the functions called here may not be defined.
        dispatcher: Any = numba.njit(error_model="numpy", nogil=True)(self.py_func)
        config: Any = numba.config
        before, config.CACHE_DIR = config.CACHE_DIR, str(self._folder)
        try:
            if os.access(self._folder, os.W_OK):
                dispatcher.enable_caching()
        except RuntimeError:  # Numba cannot cache functions that have no source file.
            pass
        finally:
            config.CACHE_DIR = before
        return dispatcher

    @property
    def _numba_type_(self) -> Any:
        """The dispatcher's type in Numba."""
        return numba.typeof(self.dispatcher)  # type: ignore[no-untyped-call]

    def forget_code(self) -> None:
        self.__dict__.pop("dispatcher", None)
        self.__dict__.pop("_folder", None)

    def __call__(self, *arguments: Any) -> Any:
        if "dispatcher" in self.__dict__ or any(self._folder.glob("*/*.nbc")):
            return self.dispatcher(*arguments)
        with announced(self):
            return self.dispatcher(*arguments)


# -- arrays at addresses ----------------------------------------------------------------------------------------------
# Passing an array to a compiled function takes about 60 ns, an integer half of that, and an env step uses a dozen
# arrays. So a batch stores the addresses of its arrays in a table once, and passes the address of that table.


def array_at(address: int, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return a C-contiguous array over memory that it does not own."""
    memory = (c_char * (math.prod(shape) * dtype.itemsize)).from_address(int(address))
    return np.recarray(shape, dtype, memory) if dtype.names else np.ndarray(shape, dtype, memory)


array_at.__dict__["owns_memory"] = False  # For `internals`.


if not JIT_DISABLED:
    # Lowered in the caller: `numba.carray` would be two more functions to compile for each kind of array.
    @numba.extending.type_callable(array_at)
    def _type_of_array(context: Any) -> Any:
        return lambda address, shape, dtype: numba.types.Array(dtype.dtype, len(shape), "C")

    @numba.extending.lower_builtin(array_at, numba.types.Integer, numba.types.BaseTuple, numba.types.DType)  # type: ignore[no-untyped-call, untyped-decorator]
    def _make_array(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        integer = numba.types.intp
        item = context.get_data_type(signature.return_type.dtype)
        size, length = context.get_constant(integer, context.get_abi_sizeof(item)), context.get_constant(integer, 1)
        shape: list[Any] = []
        strides: list[Any] = []
        for axis, kind in reversed(list(enumerate(signature.args[1]))):
            strides.insert(0, builder.mul(size, length))
            shape.insert(0, context.cast(builder, builder.extract_value(arguments[1], axis), kind, integer))
            length = builder.mul(length, shape[0])
        axes = numba.types.UniTuple(integer, len(shape))  # type: ignore[no-untyped-call]
        array = context.make_array(signature.return_type)(context, builder)
        array.data = builder.inttoptr(arguments[0], item.as_pointer())
        array.shape, array.strides = (context.make_tuple(builder, axes, numbers) for numbers in (shape, strides))
        array.itemsize, array.nitems = size, length
        return array._getvalue()


def _with_records(function: Callable[..., Any]) -> Callable[..., Any]:
    """For interpreted code: pass structured arrays as `np.recarray`, whose rows have their fields as attributes."""

    @functools.wraps(function)
    def interpreted(*args: Any) -> Any:
        return function(
            *(
                arg.view(np.recarray) if isinstance(arg, np.ndarray) and arg.dtype.names is not None else arg
                for arg in args
            )
        )

    return interpreted


# -- progress messages -----------------------------------------------------------------------------------------------

_compiled_here: list[str] = []
"""The names of the entry points that this process has compiled."""


def name_entry_point(what: str, entry_point: Callable[..., Any]) -> None:
    """Name an entry point, for example by a game's id, in the message shown while it is compiled."""
    entry_point.__dict__["what"] = what


def num_compiled() -> int:
    """How many entry points this process has compiled because they were not on disk."""
    return len(_compiled_here)


_compiling: dict[str, float] = {}
"""What is being compiled now, and since when (`time.monotonic`)."""


def compiling() -> tuple[str, float] | None:
    """Name what this process is compiling, and for how many seconds; None if it compiles nothing."""
    what, start = next(iter(_compiling.copy().items()), ("", 0.0))
    return (what, time.monotonic() - start) if what else None


@contextlib.contextmanager
def announced(dispatcher: Any) -> Iterator[None]:
    """Show what is being compiled: in the progress display, or once on stderr if that is not a terminal."""
    what = dispatcher.__dict__.get("what", "")
    reason = f"compiling {what or 'a part'}, once for this version"
    if what and what not in _compiled_here and not sys.stderr.isatty():
        print(f"cardgym: {reason} ({COMPILE_TIME_HINT}) ...", file=sys.stderr, flush=True)
    from cardgym.console.progress import waiting  # Imported late: most processes compile nothing.

    _compiling[what or "a part"] = time.monotonic()
    try:
        with waiting(reason):
            yield
    finally:
        _compiling.pop(what or "a part", None)
    _compiled_here.append(what)  # Not before: after an interruption the message appears again.
