"""Compiling rules and kernels with Numba, and keeping the compiled code on disk.

Numba's own cache does not notice an edit in an imported file. So the code of each entry point goes into a folder named
by a digest of every module that the code can reach and every constant that it reads: stale code is never used, and an
edit elsewhere recompiles nothing.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import itertools
import os
import shutil
import sys
import tempfile
import time
import types
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import filelock
import numba
import numba.core
import numpy as np
import platformdirs
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock

from cardgym.engine.numba.dependencies import allocates, digest_of
from cardgym.engine.numba.linking import entry_point, inlined, no_collections
from cardgym.files.atomic import user_folder

F = TypeVar("F", bound=Callable[..., Any])

config: Any = numba.core.config
"""Numba's settings, which have no type hints."""

COMPILE_TIME_HINT = "seconds, a minute on a slow machine"
"""How long compiling a game takes, in messages."""
_numbers = itertools.count()
_LOCK_SECONDS = 600
"""After waiting this long for another process, compile as well: slower, but harmless."""


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
    """Mark a function that reads `bound.NAME`, so that `bind` can compile it with different values of the names.

    A closure could do the same, but would never hit Numba's disk cache.
    """
    function.__dict__["template"] = True
    return function


def bind(function: Callable[..., Any], suffix: str, /, *, inline: bool = False, **names: Any) -> Callable[..., Any]:
    """Compile a copy of a template with values for its names.

    Args:
        function: a template.
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
    if config.DISABLE_JIT:
        return _with_records(copy)
    if inline:
        return cast(Callable[..., Any], inlined_rule(copy))
    return cast(Callable[..., Any], _entry_point(copy))


def inlined_rule(function: Callable[..., Any]) -> Any:
    """A function that is inlined into its compiled callers.

    Inlining without reference counting makes a kernel up to twice as fast. Functions that allocate need the counting,
    and are not inlined: they are large, and inlining them would double the compile time.
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
    """A compiled function cached on disk. One process at a time compiles or loads it."""
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
            # Announced only once the code is known to be missing.
            dispatcher._cache.if_missing = lambda: while_compiling.enter_context(_announced(dispatcher))
            return compile_now(signature)

    dispatcher.compile = compile_alone
    return dispatcher


# -- the disk cache ----------------------------------------------------------------------------------------------------

_KEEP_SECONDS = 30 * 24 * 3600
"""Compiled code that nobody has used for this long is deleted."""


def cache_root() -> Path | None:
    """The cache folder, which `CARDGYM_CACHE_DIR` overrides; None without a home folder."""
    return user_folder("CARDGYM_CACHE_DIR", platformdirs.user_cache_path)


@cache
def cache_folder(digest: str) -> Path:
    """The folder for the compiled code of one digest, created if necessary.

    A read-only folder is used if it contains code; otherwise the code goes to a temporary folder.
    """
    root = cache_root()
    if root is None:
        return _temporary_root() / digest
    folder = root / "compiled" / digest
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > 3600:
                os.utime(folder)
            _prune(folder.parent)
        if os.access(folder, os.W_OK) or any(folder.glob("*.nbc")):
            return folder
    except OSError:
        pass
    return _temporary_root() / digest


@cache
def _temporary_root() -> Path:
    try:
        temporary = tempfile.mkdtemp(prefix="cardgym-compiled-")
    except OSError:
        return Path(os.devnull)  # Nothing can be written anywhere: nothing is cached.
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    return Path(temporary)


@cache
def _prune(root: Path) -> None:
    """Remove folders unused for `_KEEP_SECONDS`; once per process."""
    for old in root.iterdir():
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > _KEEP_SECONDS:
                shutil.rmtree(old, ignore_errors=True)


class _Locator:
    """Tells Numba to keep a function's code in the folder named by its digest.

    Numba's own locators include the path and time of the source, and so recompile for every checkout or clone.
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


class CodeFiles(FunctionCache):
    """Numba's cache files of one function. Damaged files are replaced; disk errors are not raised."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled code of a signature; None if it is missing or unreadable."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # Damaged pickles fail in many ways.
            try:
                self.flush()  # type: ignore[no-untyped-call]  # Otherwise saving would read the damaged index.
            except OSError:
                self.disable()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save the compiled code of a signature; ignore disk errors."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]


class _DiskCache(CodeFiles):
    if_missing: Callable[[], object]
    """Called when the code is not on disk."""

    class _impl_class(FunctionCache._impl_class):  # type: ignore[valid-type,misc]  # noqa: N801  # Numba names it so.
        _locator_classes = (_Locator,)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        loaded = super().load_overload(signature, target_context)
        if loaded is None:
            self.if_missing()
        return loaded


def _folder_of(dispatcher: Any) -> Path:
    """The folder of an entry point's code, computed at its first call: until then its callees may not be defined."""
    if "folder" not in dispatcher.__dict__:
        dispatcher.folder = cache_folder(digest_of(dispatcher))
    return cast(Path, dispatcher.folder)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder's lock if it can be locked, so that other processes wait and then find the code compiled."""
    lock = filelock.FileLock(folder / "lock", timeout=_LOCK_SECONDS, is_singleton=True)  # Reentrant.
    try:
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            from cardgym.console.progress import waiting

            with waiting("another process compiles this"):
                lock.acquire()
    except (NotImplementedError, OSError, filelock.Timeout):  # Some network disks have no locks.
        yield
        return
    try:
        yield
    finally:
        lock.release()


def _with_records(function: Callable[..., Any]) -> Callable[..., Any]:
    """For interpreted code: pass structured arrays as `np.recarray`, whose rows have fields as attributes."""

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


@contextlib.contextmanager
def _announced(dispatcher: Any) -> Iterator[None]:
    """Show what is being compiled: in the progress display, or once on stderr if that is not a terminal."""
    what = dispatcher.__dict__.get("what", "")
    reason = f"compiling {what or 'a part'}, once for this version"
    if what and what not in _compiled_here and not sys.stderr.isatty():
        print(f"cardgym: {reason} ({COMPILE_TIME_HINT}) ...", file=sys.stderr, flush=True)
    from cardgym.console.progress import waiting  # Imported late: most processes compile nothing.

    with waiting(reason):
        yield
    _compiled_here.append(what)  # Not before: after an interruption the message appears again.
