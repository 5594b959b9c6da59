"""Linking compiled functions: rules are optimized once, in the entry point that contains them.

Numba optimizes every function and generates machine code for it, again and again in each of its callers. Rules are only
called by compiled code, so we keep them in LLVM's intermediate form until an entry point links them: a kernel then
compiles in half the time, to the same machine code.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import numba
from numba.core import compiler, compiler_machinery
from numba.core.codegen import JITCodeLibrary
from numba.core.typed_passes import NativeLowering

PassManager: Any = compiler_machinery.PassManager
define_nopython_pipeline: Any = compiler.DefaultPassBuilder.define_nopython_pipeline
register_pass: Any = compiler_machinery.register_pass
"""Parts of Numba that have no type hints."""


def _skip_scipy_import() -> None:
    """Load the part of Numba that imports SciPy to check that it is installed, without that import.

    The import takes a third of the time to a program's first step. Numba's linear algebra imports SciPy when it is
    used, and reports it missing then.
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


_skip_scipy_import()


class _Inlined(JITCodeLibrary):
    """The code of a rule in intermediate form: not optimized, and without machine code."""

    def finalize(self) -> None:
        self._finalized = True

    def own_module(self) -> Any:
        """The code of the rule alone."""
        return super()._get_module_for_linking()  # type: ignore[no-untyped-call]

    def _get_module_for_linking(self) -> Any:
        """The code of the rule and everything it can reach, for `numba.njit` functions outside cardgym."""
        module = self.own_module().clone()
        for library in _reached(self._linking_libraries):
            module.link_in(
                library.own_module() if isinstance(library, _Inlined) else library._get_module_for_linking(), True
            )
        return module


class _EntryPoint(JITCodeLibrary):
    """The code of an entry point, linked with every rule that it can reach."""

    def finalize(self) -> None:
        reached = _reached(self._linking_libraries)
        self._linking_libraries = [library for library in reached if not isinstance(library, _Inlined)]
        for library in reached:
            if isinstance(library, _Inlined):
                self._reload_init.update(library._reload_init)
                self._final_module.link_in(library.own_module(), True)
        super().finalize()  # type: ignore[no-untyped-call]


def _reached(libraries: Iterable[Any]) -> list[Any]:
    """The libraries, and those that can be reached through rules among them, each once."""
    reached: dict[Any, None] = {}
    waiting = list(libraries)
    while waiting:
        library = waiting.pop()
        if library not in reached:
            reached[library] = None
            if isinstance(library, _Inlined):
                waiting += library._linking_libraries
    return list(reached)


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerInlined(NativeLowering):
    _name = "cardgym_lower_inlined"

    def run_pass(self, state: Any) -> bool:
        state.library = _Inlined(state.targetctx.codegen(), state.func_id.func_qualname)  # type: ignore[no-untyped-call]
        state.flags.no_cpython_wrapper = True
        state.flags.no_cfunc_wrapper = True
        state.flags.no_compile = True
        super().run_pass(state)  # type: ignore[no-untyped-call]
        function = object()  # Callers look a compiled function up by identity; Python cannot call this one.
        state.targetctx.insert_user_function(function, state.cr.fndesc, [state.library])
        state["cr"] = state.cr._replace(cfunc=function)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerEntryPoint(NativeLowering):
    _name = "cardgym_lower_entry_point"

    def run_pass(self, state: Any) -> bool:
        state.library = _EntryPoint(state.targetctx.codegen(), state.func_id.func_qualname)  # type: ignore[no-untyped-call]
        state.library.enable_object_caching()
        state.flags.no_cfunc_wrapper = True
        super().run_pass(state)  # type: ignore[no-untyped-call]
        return True


class _Compiler(compiler.CompilerBase):
    """Numba's default pipeline with a different lowering pass."""

    lowering: Any

    def define_pipelines(self) -> list[Any]:
        passes: Any = define_nopython_pipeline(self.state)
        own = PassManager("cardgym")
        for compile_pass, description in passes.passes:
            replaced = self.lowering if compile_pass is NativeLowering else compile_pass
            own.add_pass(replaced, description)
        own.finalize()
        return [own]


class _InlinedCompiler(_Compiler):
    lowering = _LowerInlined


class _EntryPointCompiler(_Compiler):
    lowering = _LowerEntryPoint


def entry_point(function: Any, **options: Any) -> Any:
    """A dispatcher whose code contains all rules that it can reach."""
    return numba.njit(error_model="numpy", pipeline_class=_EntryPointCompiler, **options)(function)


def inlined(function: Any) -> Any:
    """A dispatcher for compiled callers. If Python calls it, it is compiled as an entry point as well."""
    dispatcher: Any = numba.njit(error_model="numpy", pipeline_class=_InlinedCompiler)(function)

    def compile_for_python(*arguments: Any) -> Any:
        if "alone" not in dispatcher.__dict__:
            dispatcher.alone = entry_point(function)
        types = tuple(dispatcher.typeof_pyval(argument) for argument in arguments)
        code = dispatcher.alone.compile(types)
        dispatcher._insert([type._code for type in types], code, False)
        return code

    def add_overload(result: Any) -> None:
        dispatcher.overloads[tuple(result.signature.args)] = result

    dispatcher.add_overload = add_overload
    dispatcher._compile_for_args = compile_for_python
    return dispatcher


@contextlib.contextmanager
def no_collections() -> Iterator[None]:
    """Pause garbage collection, which would take a tenth of the compile time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
