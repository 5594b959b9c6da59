"""The code of rules in LLVM's intermediate form: each entry point is linked from it. Both are kept on disk.

An entry point compiles in two steps. Numba translates each rule that it can reach, which takes half of the time and is
the same for every entry point; then LLVM optimizes all of them together. So a rule's translation is kept by what the
rule can reach: another observation, opponent or learner of a game pays only for the second step.

Like `internals`, this module uses private parts of Numba.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from numba.core import compiler, sigutils
from numba.core.caching import FunctionCache, NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from cardgym.engine.cache import cache_folder, digest_of
from cardgym.engine.digest import Reach

target: Any = None
"""What also compiles entry points for another machine; `targets` sets it."""
optimize: Callable[[Any], None] = JITCodeLibrary._optimize_final_module
"""What takes an entry point's library when all rules are linked, and optimizes it; `targets` and `gpu` set it."""
_reach: Reach | None = None
"""What the entry point that is being compiled can reach."""
_translated: dict[str, tuple[Inlined, tuple[Any, Any]]] = {}
"""The rules of this process by their keys: their code; Numba's description and signature."""


class Inlined(JITCodeLibrary):
    """The code of a rule in intermediate form, unoptimized and without machine code.

    Attributes:
        key: of its file; empty if it cannot be kept.
        symbol: the name by which others call it, if it is kept.
    """

    key = ""
    symbol = ""

    def finalize(self) -> None:
        """Make nothing of it yet."""
        self._finalized = True

    def _optimize_functions(self, ll_module: Any) -> None:
        """Numba's, at LLVM's level 2: level 3 copies a loop for each outcome of a condition, twice the code in all."""
        if target:  # It is not chosen yet, and a simplified pointer to a field has the bytes of this machine in it.
            return
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if function.is_declaration:
                continue
            passes, builder = self._codegen._function_pass_manager(opt=2)  # type: ignore[no-untyped-call]
            passes.run(function, builder)

    def own_module(self) -> Any:
        """Return the rule's own code."""
        return super()._get_module_for_linking()  # type: ignore[no-untyped-call]

    def _get_module_for_linking(self) -> Any:
        """Return the code of the rule and everything it can reach, for `numba.njit` functions outside cardgym."""
        module = self.own_module().clone()
        for library in _reached(self._linking_libraries):
            own = isinstance(library, Inlined)
            module.link_in(library.own_module() if own else library._get_module_for_linking(), True)
        return module


class EntryPoint(JITCodeLibrary):
    """The code of an entry point, linked with every rule that it can reach."""

    def finalize(self) -> None:
        """Link the rules, and make machine code."""
        reached = _reached(self._linking_libraries)
        self._linking_libraries = [library for library in reached if not isinstance(library, Inlined)]
        for library in reached:
            if isinstance(library, Inlined):
                self._final_module.link_in(library.own_module(), True)
        super().finalize()  # type: ignore[no-untyped-call]

    def _optimize_final_module(self) -> None:
        optimize(self)


def retargeted(text: str, machine: Any) -> str:
    """Return LLVM's text of an entry point for another machine than this one, as `create_target_machine` returns it."""
    text = re.sub(r'target triple = "[^"]*"', f'target triple = "{machine.triple}"', text)
    text = re.sub(r'target datalayout = "[^"]*"', f'target datalayout = "{machine.target_data}"', text)
    return re.sub(r' "(target-cpu|target-features|tune-cpu)"="[^"]*"', "", text)


def without_counting(text: str) -> str:
    """Return LLVM's text with Numba's counting of references declared, not defined: it is in instructions of x86."""
    body = r"^define [^\n]*@(NRT_incref|NRT_decref)\([^\n]*\{\n.*?^\}\n"
    return re.sub(body, r"declare void @\1(ptr)\n", text, flags=re.MULTILINE | re.DOTALL)


def _reached(libraries: Iterable[Any]) -> list[Any]:
    """Return the libraries and those that rules among them can reach, each once."""
    reached: dict[Any, None] = {}
    waiting = list(libraries)
    while waiting:
        library = waiting.pop()
        if library not in reached:
            reached[library] = None
            if isinstance(library, Inlined):
                waiting += library._linking_libraries
    return list(reached)


# -- rules on disk -----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def rules_of(entry_point: Any) -> Iterator[None]:
    """Keep, or find, the rules that are compiled for an entry point."""
    global _reach
    before, _reach = _reach, Reach(entry_point)
    try:
        yield
    finally:
        _reach = before


def key_of(function: Any, arguments: tuple[Any, ...]) -> str:
    """Return the key of a rule for types of arguments; empty if its translation cannot be kept."""
    if _reach is None or function not in _reach.functions or " at 0x" in str(arguments):  # An address of this process.
        return ""
    plain = target is None  # For another machine, nothing is simplified before that is chosen.
    text = f"{digest_of(None)} {plain} {llvm.get_host_cpu_name()} {_reach.part(function)} {arguments}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def name(identity: Any, arguments: tuple[Any, ...]) -> None:
    """Name a rule in LLVM's code by its key; Numba's names count the functions of this process."""
    if key := key_of(identity.func, arguments):
        identity.func_qualname = identity.unique_name = f"{identity.func_name}_{key}"
        identity.unique_id = 0


def forget() -> None:
    """Read the code of rules from disk again."""
    _translated.clear()


class RuleCache(NullCache):
    """A rule's code on disk, from where other entry points take it. Damaged files are replaced."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code of a rule for types of arguments; None if it is missing or unreadable."""
        arguments, _ = sigutils.normalize_signature(sig)  # type: ignore[no-untyped-call]
        if not (key := key_of(self._function, arguments)):
            return None
        try:
            library, (description, signature) = _load(key, target_context.codegen())
        except Exception:  # Damaged pickles fail in many ways.
            return None
        return compiler.compile_result(  # type: ignore[no-untyped-call]
            typing_context=target_context.typing_context,
            target_context=target_context,
            entry_point=object(),  # Callers look up a compiled function by identity; Python cannot call this one.
            signature=signature,
            objectmode=False,
            fndesc=description,
            library=library,
        )

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a rule's code, with what it links but other rules; ignore disk errors."""
        arguments, _ = sigutils.normalize_signature(sig)  # type: ignore[no-untyped-call]
        if not (key := key_of(self._function, arguments)):
            return
        library: Inlined = data.library
        memory: Any = rtsys.library
        linked = dict.fromkeys(library._linking_libraries)
        rules = [other for other in linked if isinstance(other, Inlined) and other.key]
        module = library.own_module().clone()
        for other in linked:
            if other not in rules and other is not memory:
                module.link_in(other._get_module_for_linking(), True)
        public = {data.fndesc.llvm_func_name, *(part.name for part in memory._get_module_for_linking().functions)}
        for part in (*module.functions, *module.global_variables):
            if not part.is_declaration and part.name not in public and part.linkage.name != "private":
                part.linkage = "internal"  # Numba's names may be those of other functions in another process.
        library.key, library.symbol = key, data.fndesc.llvm_func_name
        library._final_module = library._shared_module = module
        library._linking_libraries = [*rules, *([memory] if memory in linked else [])]
        data.fndesc.typemap = data.fndesc.calltypes = None  # As Numba's own cache does.
        facts = data.fndesc, data.signature
        _translated[key] = library, facts
        # By their names, too: those of records count the types of a process, and another one may save a rule again.
        links = [(rule.key, rule.symbol) for rule in rules]
        with contextlib.suppress(Exception):  # A full disk, or what Numba cannot pickle.
            path = _path(key)
            temporary = path.with_suffix(f".{os.getpid()}")
            parts = library.name, module.as_bitcode(), links, memory in linked, facts
            content = dumps(parts)  # type: ignore[no-untyped-call]
            temporary.write_bytes(hashlib.sha256(content).digest() + content)
            temporary.replace(path)


def _load(key: str, codegen: Any) -> tuple[Inlined, tuple[Any, Any]]:
    """Return a rule and those that it calls.

    Raises:
        Exception: of any kind, if one of their files is missing or damaged.
    """
    if key not in _translated:
        content = _path(key).read_bytes()
        if hashlib.sha256(content[32:]).digest() != content[:32]:
            raise ValueError("the file is damaged")
        name, code, links, owns_memory, facts = pickle.loads(content[32:])
        library = Inlined(codegen, name)  # type: ignore[no-untyped-call]
        library.key, library.symbol, library._finalized = key, facts[0].llvm_func_name, True
        library._final_module = library._shared_module = llvm.parse_bitcode(code)
        rules = []
        for link, symbol in links:
            rules.append(_load(link, codegen)[0])
            if rules[-1].symbol != symbol:
                raise ValueError("it calls the rule by another name")
        library._linking_libraries = [*rules, *([rtsys.library] if owns_memory else [])]
        _translated[key] = library, facts
    return _translated[key]


def _path(key: str) -> Path:
    return cache_folder(key) / "rule"


# -- entry points on disk ---------------------------------------------------------------------------------------------


class _Locator:
    """Tells Numba to keep a function's code in the folder named by its digest.

    Numba's own locators include the path and time of the source, and so recompile for every checkout or clone.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], source: str) -> _Locator:
        return cls(cache_folder(py_func.__qualname__.rpartition("_")[2]))

    def get_cache_path(self) -> str:
        return str(self._folder)

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return "0"  # Numba's is the line, which an edited comment moves.


class DiskCache(FunctionCache):
    """Numba's cache files for one function. Damaged files are replaced; disk errors are not raised."""

    if_missing: Callable[[], object]
    """Called when the code is not on disk."""

    class _impl_class(FunctionCache._impl_class):  # type: ignore[valid-type,misc]  # noqa: N801  # Numba names it so.
        _locator_classes = (_Locator,)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return sig, codegen.magic_tuple()  # Without the function, which the folder's digest covers.

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled code of a signature; None if it is missing or unreadable.

        Numba would first load everything that it can compile, which takes longer than loading the code.
        """
        loaded = None
        try:
            rtsys.initialize(target_context)
            if not target or target.code_path(Path(self.cache_path), sig).exists():
                loaded = self._load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # Damaged pickles fail in many ways.
            try:
                self.flush()  # type: ignore[no-untyped-call]  # Otherwise saving would read the damaged index.
            except OSError:
                self.disable()  # type: ignore[no-untyped-call]
        if loaded is None:
            self.if_missing()
        return loaded

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save the compiled code of a signature; ignore disk errors."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
