"""Compiling rules and kernels with Numba, and keeping the compiled code on disk.

Numba's own cache does not notice an edit in an imported file. So each entry point has a folder of its own, named by a
digest of every module that its code can reach and of every constant that it reads: stale code is never served, and an
edit elsewhere recompiles nothing.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import hashlib
import inspect
import itertools
import sys
import types
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import filelock
import llvmlite
import numba
import numba.core
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.extending import _Intrinsic

from cardgym.engine.numba.cache import CodeFiles, cache_folder
from cardgym.engine.numba.linking import entry_point, inlined, no_collections

F = TypeVar("F", bound=Callable[..., Any])

config: Any = numba.core.config
"""Numba's settings, which it does not type."""

COMPILE_TIME_HINT = "seconds, a minute on a slow machine"
"""How long compiling a game takes, in messages."""
_numbers = itertools.count()
_LOCK_SECONDS = 600
"""After this long, compile beside whoever holds the lock: slower, and no harm is done."""
_VERSIONS = repr((sys.version_info[:2], numba.__version__, llvmlite.__version__, np.__version__))


class _Unbound:
    """Stands for the names of a template until `bind` gives them."""

    def __getattr__(self, name: str) -> Any:
        raise NotImplementedError(f"bound.{name}: templates are called through `bind`")


bound: Any = _Unbound()
"""In a template, `bound.NAME` is what `bind` is given under that name: a game's rule, another template, a constant."""


def rule(function: F) -> F:
    """Compile one rule of a game; with Numba's JIT off (`NUMBA_DISABLE_JIT=1`) it stays plain Python.

    A rule may call other rules. It is not cached by itself: the entry points that contain it are.
    """
    return cast(F, _jit(function))


def compiled(function: F) -> F:
    """Compile an entry point that Python calls, and keep the result on disk."""
    return cast(F, _entry_point(function))


def template(function: F) -> F:
    """Mark a function that reads `bound.NAME`: it is compiled once for each set of names, by `bind`.

    A closure would do the same but never hits Numba's disk cache.
    """
    function.__dict__["template"] = True
    return function


def bind(function: Callable[..., Any], suffix: str, /, *, inline: bool = False, **names: Any) -> Callable[..., Any]:
    """Compile a template with names given: one text, a kernel for each game.

    Args:
        function: a template.
        suffix: tells the copies apart on disk.
        inline: for compiled code only, which keeps it as a part of itself: not cached, and not to be called by Python.
        names: what `bound.NAME` is in the copy.
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
    if config.DISABLE_JIT:
        return _with_records(copy)
    if inline:
        return cast(Callable[..., Any], _jit(copy))
    return cast(Callable[..., Any], _entry_point(copy))


def _jit(function: Callable[..., Any]) -> Any:
    """A function for compiled callers, which take it in as a part of themselves.

    Inlining and no reference counting make a kernel up to twice as fast. Whatever allocates needs the counting, and is
    too large to be worth inlining everywhere: that would double the time to compile.
    """
    if config.DISABLE_JIT:
        return numba.njit(function)
    dispatcher = inlined(function)
    compile_now = dispatcher.compile

    @functools.wraps(compile_now)
    def compile_lean(signature: Any) -> Any:
        dispatcher.targetoptions["_nrt"] = allocates(dispatcher)
        dispatcher.targetoptions["forceinline"] = not allocates(dispatcher)
        return compile_now(signature)

    dispatcher.compile = compile_lean
    return dispatcher


def _entry_point(function: Callable[..., Any]) -> Any:
    """A compiled function cached on disk, that one process at a time compiles or loads."""
    if config.DISABLE_JIT:
        return _with_records(function)
    dispatcher = entry_point(function, nogil=True)
    compile_now = dispatcher.compile

    @functools.wraps(compile_now)
    def compile_alone(signature: Any) -> Any:
        # Numba's lock first: a thread that compiles a caller of this function holds it, and waits for this folder.
        with (
            global_compiler_lock,
            _alone(_folder_of(dispatcher)),
            no_collections(),
            contextlib.ExitStack() as while_compiling,
        ):
            if "caching" not in dispatcher.__dict__:
                dispatcher._cache = _DiskCache(dispatcher.py_func)  # type: ignore[no-untyped-call]
                dispatcher.caching = True
                dispatcher.targetoptions["_nrt"] = allocates(dispatcher)
            # Said where the code is found missing: neither before it is known nor by what an interrupted run left.
            dispatcher._cache.if_missing = lambda: while_compiling.enter_context(_announced(dispatcher))
            return compile_now(signature)

    dispatcher.compile = compile_alone
    return dispatcher


class _Locator:
    """Where Numba looks for a function's code: the folder of its digest, which says that the code is up to date.

    Numba's own locators add the source's path and time, and compile again for a second checkout or a fresh clone.
    """

    def __init__(self, py_func: Callable[..., Any], source: str) -> None:
        self._folder = cache_folder(digest_of(py_func))
        self._line = py_func.__code__.co_firstlineno

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], source: str) -> _Locator:
        return cls(py_func, source)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)


class _DiskCache(CodeFiles):
    if_missing: Callable[[], object]
    """Called where code has to be compiled."""

    class _impl_class(FunctionCache._impl_class):  # type: ignore[valid-type,misc]  # noqa: N801  # Numba names it so.
        _locator_classes = (_Locator,)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        loaded = super().load_overload(signature, target_context)
        if loaded is None:
            self.if_missing()
        return loaded


def _folder_of(dispatcher: Any) -> Path:
    """Where an entry point's code is kept. Looked up at its first call: only then all that it calls is defined."""
    if "folder" not in dispatcher.__dict__:
        dispatcher.folder = cache_folder(digest_of(dispatcher))
    return cast(Path, dispatcher.folder)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, where its disk can be written to: whoever waits then finds the code compiled."""
    lock = filelock.FileLock(folder / "lock", timeout=_LOCK_SECONDS, is_singleton=True)  # A caller may hold it.
    try:
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            from cardgym.console.progress import waiting

            with waiting("another process compiles this"):
                lock.acquire()
    except (NotImplementedError, OSError, filelock.Timeout):  # Some network disks know no locks.
        yield
        return
    try:
        yield
    finally:
        lock.release()


def _with_records(function: Callable[..., Any]) -> Callable[..., Any]:
    """Interpreted, a structured array's rows have their fields as attributes only if it is an `np.recarray`."""

    @functools.wraps(function)
    def interpreted(*args: Any) -> Any:
        return function(
            *(
                arg.view(np.recarray) if isinstance(arg, np.ndarray) and arg.dtype.names is not None else arg
                for arg in args
            )
        )

    return interpreted


# -- what compiled code depends on ------------------------------------------------------------------------------------


def reachable_modules(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the modules whose functions a compiled function can reach, itself included."""
    functions, _ = _reach(function)
    return tuple(sorted({plain.__module__ for plain in functions}))


def digest_of(function: Callable[..., Any]) -> str:
    """A digest of the modules that a function can reach, and of the constants that it and they read."""
    functions, constants = _reach(function)
    modules = {plain.__module__ for plain in functions}
    digest = hashlib.sha256(_VERSIONS.encode())
    for name in sorted({*modules, __name__, inlined.__module__}):  # These two decide how the others are compiled.
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
    """The functions that a function reads, those of libraries left out: it may call them."""
    read = (plain_function(value) for _, value in _globals_read(plain))
    return [inner for inner in read if isinstance(inner, types.FunctionType) and not _is_library(inner.__module__)]


def plain_function(value: Any) -> Any:
    """The Python function behind a compiled or wrapped one; anything else as it is.

    So is an intrinsic: what stands behind it is run by the compiler.
    """
    value = getattr(value, "py_func", value)
    if isinstance(value, _Intrinsic):
        return value
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
    """The global names that a function reads with their values, and likewise what it reads of modules and `bound`."""
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


_ALLOCATING_METHODS = {"copy", "astype", "ravel", "reshape", "flatten", "transpose", "append", "nonzero"}
_ALLOCATING_OPCODES = {"BUILD_LIST", "BUILD_SET", "BUILD_MAP", "LIST_APPEND", "BUILD_STRING", "FORMAT_VALUE"}
_NUMBERS = {"int", "float", "bool", "None", "np.int64", "np.uint64", "np.float32", "np.float64"}


@cache
def allocates(function: Callable[..., Any]) -> bool:
    """Whether a compiled function may hold an array, a list or a string that it, or one that it calls, has made.

    Judged by its instructions: any function of NumPy but its scalar types counts. What a function makes does not leave
    it if its annotation says that it returns a number or nothing.
    """
    seen: set[types.FunctionType] = set()
    waiting = [plain_function(function)]
    while waiting:
        plain = waiting.pop()
        if plain in seen:
            continue
        seen.add(plain)
        if _allocates_itself(plain):
            return True
        waiting += [called for called in _called(plain) if called.__annotations__.get("return") not in _NUMBERS]
    return False


def _allocates_itself(plain: types.FunctionType) -> bool:
    module = None
    for instruction in dis.get_instructions(plain):
        name = instruction.argval
        if instruction.opname in _ALLOCATING_OPCODES:
            return True
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            if name in _ALLOCATING_METHODS:
                return True
            value = getattr(np, name, None) if module == "numpy" else None
            if callable(value) and not isinstance(value, type):
                return True
        loaded = plain.__globals__.get(name) if instruction.opname == "LOAD_GLOBAL" else None
        module = loaded.__name__ if isinstance(loaded, types.ModuleType) else None
    return False


# -- what users are told ----------------------------------------------------------------------------------------------

_compiled_here: list[str] = []
"""What this process has compiled, an entry for each entry point."""


def name_entry_point(what: str, entry_point: Callable[..., Any]) -> None:
    """Say what an entry point is for users, such as a game's id: the name that they read while it is compiled."""
    entry_point.__dict__["what"] = what


def num_compiled() -> int:
    """How many entry points this process has compiled, and not found on disk."""
    return len(_compiled_here)


@contextlib.contextmanager
def _announced(dispatcher: Any) -> Iterator[None]:
    """Tell the user what is compiled while it is: in the progress shown, and on stderr once where that is a pipe."""
    what = dispatcher.__dict__.get("what", "")
    reason = f"compiling {what or 'a part'}, once for this version"
    if what and what not in _compiled_here and not sys.stderr.isatty():
        print(f"cardgym: {reason} ({COMPILE_TIME_HINT}) ...", file=sys.stderr, flush=True)
    from cardgym.console.progress import waiting  # Here and above: most processes find all code compiled.

    with waiting(reason):
        yield
    _compiled_here.append(what)  # Only now: a user who interrupts this is told again the next time.
