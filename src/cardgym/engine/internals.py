"""Everything that touches private parts of Numba. If a release changes them, `compilation` does without this module.

Numba optimizes every function and generates machine code for it, and does so again in each of its callers. Rules are
called only by compiled code, so we keep them in LLVM's intermediate form until an entry point links them: a kernel then
compiles in half the time, to the same machine code. Code that owns no memory runs without reference counting, which
makes a kernel up to twice as fast.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numba
import numba.extending
import numpy as np
from llvmlite import binding
from llvmlite import ir as llvm
from numba.core import cgutils, compiler, compiler_machinery, ir, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import ForceLiteralArg, NumbaError, TypingError
from numba.core.typed_passes import NativeLowering

from cardgym.engine import linking
from cardgym.engine.cache import alone, cache_folder, digest_of
from cardgym.errors import CardgymError

PassManager: Any = compiler_machinery.PassManager
define_nopython_pipeline: Any = compiler.DefaultPassBuilder.define_nopython_pipeline
register_pass: Any = compiler_machinery.register_pass
create_struct_proxy: Any = cgutils.create_struct_proxy
unliteral: Any = types.unliteral
arrayobj: Any = importlib.import_module("numba.np.arrayobj")
"""Parts of Numba that have no type hints."""


def _skip_scipy_import() -> None:
    """Load the part of Numba that imports SciPy just to check that it is installed, without that import.

    Importing SciPy takes a third of the time before a program's first step. Numba's linear algebra still imports it
    when it is used, and reports it missing then.
    """
    if "numba.np.arraymath" in sys.modules or importlib.util.find_spec("scipy") is None:
        return
    linalg: Any = importlib.import_module("numba.np.linalg")
    ensure_blas = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ensure_blas


# -- passes ------------------------------------------------------------------------------------------------------------

_VIEWS = {"cast", "exhaust_iter", "getattr", "getiter", "iternext", "pair_first", "pair_second", "phi"}
"""Expressions whose value is part of another value and belongs to the same owner."""


def owns_memory(state: Any) -> bool:
    """Whether a typed function may own an array, list or string: creates one, gets one from a call, or returns one."""

    def is_managed(kind: Any) -> bool:
        return bool(state.targetctx.data_model_manager[kind].contains_nrt_meminfo())

    def is_view(value: Any) -> bool:
        if value.op in ("getitem", "static_getitem"):
            index = value.index if value.op == "getitem" else value.index_var
            return index is None or not is_managed(state.typemap[index.name])  # An array as the index makes a copy.
        if value.op == "call":
            function = getattr(state.typemap[value.func.name], "typing_key", None)
            return getattr(function, "owns_memory", True) is False  # `array_at` says so.
        return value.op in _VIEWS

    def makes_memory(step: Any) -> bool:
        if isinstance(step, ir.SetItem | ir.StaticSetItem):
            return is_managed(state.typemap[step.value.name])  # Of parts that overlap, Numba copies one.
        return (
            isinstance(step, ir.Assign)
            and isinstance(step.value, ir.Expr)
            and not is_view(step.value)
            and is_managed(state.typemap[step.target.name])
        )

    return is_managed(state.return_type) or any(
        makes_memory(step) for block in state.func_ir.blocks.values() for step in block.body
    )


def _without_counting(state: Any) -> None:
    """Lower this function without reference counting."""
    state.flags.nrt = False
    state.targetctx = state.targetctx.subtarget(enable_nrt=False)


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerInlined(NativeLowering):
    _name = "cardgym_lower_inlined"

    def run_pass(self, state: Any) -> bool:
        linking.name(state.func_ir.func_id, state.args)
        state.library = linking.Inlined(state.targetctx.codegen(), state.func_id.func_qualname)  # type: ignore[no-untyped-call]
        state.flags.no_cpython_wrapper = True
        state.flags.no_cfunc_wrapper = True
        state.flags.no_compile = True
        if not owns_memory(state):  # Functions that own memory are large: inlining them would double the compile time.
            _without_counting(state)
            state.flags.forceinline = True
        super().run_pass(state)  # type: ignore[no-untyped-call]
        function = object()  # Callers look up a compiled function by identity; Python cannot call this one.
        state.targetctx.insert_user_function(function, state.cr.fndesc, [state.library])
        state["cr"] = state.cr._replace(cfunc=function)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerEntryPoint(NativeLowering):
    _name = "cardgym_lower_entry_point"

    def run_pass(self, state: Any) -> bool:
        state.library = linking.EntryPoint(state.targetctx.codegen(), state.func_id.func_qualname)  # type: ignore[no-untyped-call]
        state.library.enable_object_caching()
        state.flags.no_cfunc_wrapper = True
        if not owns_memory(state):
            _without_counting(state)
        super().run_pass(state)  # type: ignore[no-untyped-call]
        return True


class _Compiler(compiler.CompilerBase):
    """Numba's default pipeline with a different lowering pass."""

    lowering: Any

    def __init__(self, *arguments: Any) -> None:
        _skip_scipy_import()
        super().__init__(*arguments)  # type: ignore[no-untyped-call]

    def define_pipelines(self) -> list[Any]:
        passes: Any = define_nopython_pipeline(self.state)
        own = PassManager("cardgym")
        for compile_pass, description in passes.passes:
            own.add_pass(self.lowering if compile_pass is NativeLowering else compile_pass, description)
        own.finalize()
        return [own]


class _InlinedCompiler(_Compiler):
    lowering = _LowerInlined


class _EntryPointCompiler(_Compiler):
    lowering = _LowerEntryPoint


def inlined(function: Callable[..., Any]) -> Any:
    """Return a dispatcher for compiled callers, not for Python. Functions on bits become vector instructions."""
    if write := _WRITING.get(function.__dict__.get("vector_width", 0)):
        function = lambda values, out, start: write(values, out, start)  # noqa: E731
    dispatcher: Any = numba.njit(error_model="numpy", pipeline_class=_InlinedCompiler)(function)
    call_template = dispatcher.get_call_template

    def without_literals(args: Any, kws: Any) -> Any:
        # Numba would translate a rule for each number that a caller writes out.
        try:
            return call_template(tuple(map(unliteral, args)), {name: unliteral(kws[name]) for name in kws})
        except TypingError:  # Such as a place in a tuple of several types.
            return call_template(args, kws)

    dispatcher.get_call_template = without_literals
    dispatcher.add_overload = lambda result: dispatcher.overloads.update({tuple(result.signature.args): result})
    dispatcher._cache = linking.RuleCache(function)
    return dispatcher


def entry_point(function: Callable[..., Any]) -> Any:
    """Return a dispatcher whose code contains all rules that it can reach."""
    return numba.njit(error_model="numpy", nogil=True, pipeline_class=_EntryPointCompiler)(function)


def cached_entry_point(function: Callable[..., Any], announced: Callable[[Any], AbstractContextManager[None]]) -> Any:
    """Return an entry point cached on disk. One process at a time compiles it, within `announced`, or loads it."""
    dispatcher = entry_point(function)
    compile_now = dispatcher.compile

    @functools.wraps(compile_now)
    def compile_alone(signature: Any) -> Any:
        # Take Numba's lock first: a thread that compiles a caller of this function holds it and waits for this folder.
        # The folder is known only at the first call: until then the functions called here may not be defined.
        with global_compiler_lock, contextlib.ExitStack() as while_compiling:
            folder = cache_folder(digest_of(dispatcher))
            while_compiling.enter_context(alone(folder))
            while_compiling.enter_context(_no_collections())
            while_compiling.enter_context(_no_events())
            while_compiling.enter_context(_short_errors())
            if not isinstance(dispatcher._cache, linking.DiskCache) or dispatcher._cache.cache_path != str(folder):
                # In its symbols: code of two versions may be loaded in one process.
                function.__qualname__ = f"{function.__name__}_{folder.name}"
                dispatcher._cache = linking.DiskCache(function)  # type: ignore[no-untyped-call]
            # Announced only once the code is known to be missing.
            dispatcher._cache.if_missing = lambda: (
                while_compiling.enter_context(linking.rules_of(dispatcher)),
                while_compiling.enter_context(announced(dispatcher)),
            )
            with _errors_in_one_line():
                code = compile_now(signature)
            if linking.target and "is_rule" not in function.__dict__:  # A page interprets rules that Python calls.
                linking.target.add(dispatcher, signature, folder)
            return code

    dispatcher.compile = compile_alone
    return dispatcher


@contextlib.contextmanager
def _no_collections() -> Iterator[None]:
    """Pause garbage collection, which would take a tenth of the compile time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextlib.contextmanager
def _no_events() -> Iterator[None]:
    """Let Numba not time LLVM: it tells some timers of each of 90,000 calls, a twentieth of the compile time."""
    callbacks = getattr(getattr(binding.ffi.lib, "_lock", None), "_cblist", [])
    kept = callbacks[:]
    callbacks.clear()
    try:
        yield
    finally:
        callbacks[:0] = kept


def _refuse_shapes(source: Any, index: Any) -> None:
    """Stand for Numba's function of that purpose."""


_generic: Any = getattr(arrayobj, "ol_raise_with_shape_context_generic", None)  # Numba 0.61 has none.
if _generic is not None:
    numba.extending.overload(_refuse_shapes)(_generic)


@contextlib.contextmanager
def _errors_in_one_line() -> Iterator[None]:
    """Say what cannot be compiled in one line, with its place; Numba's words of a whole kernel come below its own."""
    try:
        yield
    except ForceLiteralArg:  # How Numba asks for another signature.
        raise
    except (NumbaError, KeyError) as error:  # KeyError for a field that the state does not have.
        lines = [line.strip() for line in str(error).splitlines() if line and not line.startswith("Failed in ")]
        place = re.search(r'File "(.+)", line (\d+)', str(error))
        found = f" ({Path(place[1]).name}, line {place[2]})" if place else ""
        trace = error.__traceback__
        while trace is not None and not place:
            owner = trace.tb_frame.f_locals.get("self")  # Of Numba's type inference: what it looks at, with its line.
            if isinstance(loc := getattr(owner, "loc", None), ir.Loc):
                found = f" ({Path(loc.filename).name}, line {loc.line})"
            trace = trace.tb_next
        said = " ".join(lines[: 2 if lines[0].endswith(":") else 1]) if lines else type(error).__name__
        what = f"the state has no field {said}" if isinstance(error, KeyError) and lines else said
        raise CardgymError(f"rules cannot be compiled: {what}{found}") from error


@contextlib.contextmanager
def _short_errors() -> Iterator[None]:
    """Refuse slices of different sizes without saying the sizes: compiling those words takes two seconds."""
    worded = getattr(arrayobj, "raise_with_shape_context", None)
    arrayobj.raise_with_shape_context = _refuse_shapes if _generic is not None else worded
    try:
        yield
    finally:
        arrayobj.raise_with_shape_context = worded


# -- vectors ----------------------------------------------------------------------------------------------------------
# A loop would become dozens of instructions, because Numba omits one of LLVM's passes.


def _writing(width: int) -> Any:
    """Make the function that writes the lowest `width` bits of an integer."""

    def write(typing_context: Any, values: Any, out: Any, start: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = llvm.VectorType(context.get_data_type(out.dtype), width)
            bits = builder.trunc(args[0], llvm.IntType(width))
            bits = builder.bitcast(bits, llvm.VectorType(llvm.IntType(1), width))
            numbers = builder.select(bits, llvm.Constant(vector, [1] * width), llvm.Constant(vector, [0] * width))
            data = create_struct_proxy(out)(context, builder, args[1]).data
            builder.store(numbers, builder.bitcast(builder.gep(data, [args[2]]), vector.as_pointer()), align=1)
            return context.get_dummy_value()

        if out.layout != "C" or out.ndim != 1:
            raise TypingError(f"bits can only be written to contiguous one-dimensional arrays, not {out}")
        return types.void(values, out, start), generate

    return numba.extending.intrinsic(write)


_WRITING = {width: _writing(width) for width in (8, 16)}


# -- the self-test ----------------------------------------------------------------------------------------------------


def _rest(values: Any) -> Any:
    total = 0
    for value in values[1:]:
        total += value
    return total


_rule = inlined(_rest)
_write_8, _write_16 = _WRITING.values()


def _sum(values: Any) -> Any:
    bits = np.zeros(24, np.int8)
    _write_8(3, bits, 0)
    _write_16(3, bits, 8)
    return _rule(values) * bits.sum()


def _twice(values: Any) -> Any:
    return 2 * _rule(values)


def self_test() -> None:
    """Compile a few lines and use them in every way that cardgym does.

    Raises:
        Exception: of any kind, if the parts of Numba used here differ from what this module expects.
    """
    values = np.arange(4)
    for _ in range(2):
        function = cached_entry_point(_sum, lambda dispatcher: contextlib.nullcontext())
        if function(values) != 24:
            raise RuntimeError("wrong sum")
    folder = cache_folder(digest_of(function))
    stats = function.stats  # Of the second function, which finds the code that the first compiled.
    is_kept = any(folder.glob("*.nbc"))
    if stats.cache_path != str(folder) or is_kept != any(stats.cache_hits.values()):
        raise RuntimeError("the code is not cached on disk")
    if numba.njit(lambda: _rule(values))() != 6:
        raise RuntimeError("wrong sum outside")
    for _ in range(2):
        _rule._reset_overloads()
        linking.forget()
        function = entry_point(_twice)
        with linking.rules_of(function):
            if function(values) != 12:
                raise RuntimeError("wrong sum of a kept rule")
    if is_kept and not any(_rule.stats.cache_hits.values()):
        raise RuntimeError("rules are not cached on disk")
