"""Digests of compiled code: of the functions themselves, whatever file, notebook or archive they come from.

A digest covers each function that can be reached: its byte code, its defaults, and the values of the globals, closures
and attributes that it names. It does not cover what changes no result: comments, docstrings, annotations, names of
files and line numbers. Byte code depends on the version of Python, which is part of the digest.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import struct
import sys
import threading
import types
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, TypeVar

import numpy as np

_LIBRARIES = ("numpy", "numba", "llvmlite", "builtins", "math", "torch")
"""Modules whose code is known by their versions, which are part of the names of the folders of compiled code."""
_CONSTANTS = frozenset(dis.hasconst)
_ABSENT = object()
C = TypeVar("C")


class Reach:
    """The functions that compiled code can reach.

    Attributes:
        digest: their digest, 16 hexadecimal digits; the same in every process.
        functions: each Python function outside libraries, with what it does.
    """

    def __init__(self, *roots: Any) -> None:
        self.functions: dict[types.FunctionType, Content] = {}
        content = Content().add(roots)
        waiting = [content]
        for reached in waiting:
            for function in reached.functions:
                if function not in self.functions:
                    self.functions[function] = Content().add_function(function)
                    waiting.append(self.functions[function])
        self.wrappers = [wrapper for reached in waiting for wrapper in reached.wrappers]
        self.digest = self._digest(content)

    def part(self, function: types.FunctionType) -> str:
        """Return the digest of what one of the functions does and can reach."""
        return self._digest(self.functions[function])

    def _digest(self, content: Content) -> str:
        digest = hashlib.sha256(repr(sys.version_info[:2]).encode() + content.digest)
        numbers: dict[types.FunctionType, int] = {}
        waiting = [content]
        for reached in waiting:
            for function in reached.functions:
                if function not in numbers:
                    numbers[function] = len(numbers)
                    waiting.append(self.functions[function])
            digest.update(reached.digest + repr([numbers[function] for function in reached.functions]).encode())
        return digest.hexdigest()[:16]


_compiled: dict[types.FunctionType, Content] = {}
"""What each function did when code that can reach it was last compiled."""
_wrappers: dict[int, Any] = {}
"""What stands for functions in compiled code, by id: a `Rule`, or a dispatcher of Numba."""
_kept: list[Any] = []
"""Functions that keep results of games; see `keeps_results`."""
_lock = threading.Lock()


def keeps_results(function: C) -> C:
    """Let a function with `functools.cache` or `lru_cache` forget its results when the code of a game has changed."""
    _kept.append(function)
    return function


def renewed(*roots: Any) -> Reach:
    """Return the functions that `roots` can reach; if one has changed since it was compiled, forget all compiled code.

    Numba compiles a function once, with the values that its globals have then.
    """
    reach = Reach(*roots)
    with _lock:
        if any(_compiled.get(function, content) != content for function, content in reach.functions.items()):
            for wrapper in _wrappers.values():
                forget = getattr(wrapper, "forget_code", None) or getattr(wrapper, "_reset_overloads", None)
                if forget is not None:
                    forget()
            for function in _kept:
                function.cache_clear()
            _compiled.clear()
        for wrapper in reach.wrappers:
            cache: Any = getattr(wrapper, "_cache", None)
            if getattr(cache, "_enabled", False) and type(cache).__module__.startswith("numba."):
                # A user's `njit(cache=True)`: what Numba keeps of it does not see edits of functions in other files.
                cache.disable()
                wrapper._reset_overloads()
        _compiled.update(reach.functions)
        _wrappers.update((id(wrapper), wrapper) for wrapper in reach.wrappers)
    return reach


def digest_of_game(game: Any) -> str:
    """Return a digest of the code of a game without its players, 16 hexadecimal digits.

    It covers rules, observations, metrics and default options, no texts, and is the same in every process with the same
    version of Python, whatever file the game comes from. Nothing is compiled.
    """
    return Reach(*_played(game)).digest


def digest_of_program(module: str, code: Any = None, folder: str | None = None) -> str:
    """Return a digest of the source of code that need not be compiled, 16 hexadecimal digits.

    It covers a module and all that it imports, at the top or in a function: modules of its own package, and the user's
    outside installed packages. Nothing is imported for that. Data that the code reads is not covered.

    Args:
        module: the module's name.
        code: the code of a module that cannot be found by its name, such as one from a notebook.
        folder: where modules are looked for first.
    """
    return Reach(*(found for _, found, _ in imported_code(module, code, folder))).digest


def renewed_game(game: Any) -> Any:
    """Return the game, after forgetting all compiled code if its code has changed since it was compiled."""
    features = [observation.features for observation in game.observations.values()]
    renewed(*_played(game), dict(game.players), features)
    return game


def _played(game: Any) -> tuple[Any, ...]:
    """Return what decides how a game is played, whoever plays it."""
    observations = {name: observation.write for name, observation in game.observations.items()}
    metrics = {name: metric.value for name, metric in game.metrics.items()}
    functions = vars(game.rules), vars(game.state_index), observations, metrics
    options = game.parse_options().asdict()
    return game.state, game.num_actions, game.count_actions, game.payoff, options, functions


def imported_code(module: str, code: Any, folder: str | None) -> Iterator[tuple[str, Any, list[str]]]:
    """Yield a module and those that it imports, as they are found: the name, the code, and what it may import."""
    top, library = module.partition(".")[0], __name__.partition(".")[0]
    own = module.rpartition(".")[0] if top == library else top
    waiting = [name for name in _with_parents(module) if f"{name}.".startswith(f"{own}.")]
    for name in waiting:
        spec = _spec(name, folder) if name not in ("", "__main__") else None
        # Not the loader's code: it may be that of a file from the same second.
        source = spec.loader.get_source(name) if spec is not None and hasattr(spec.loader, "get_source") else None
        try:
            file = str(getattr(spec, "origin", name))
            found = compile(source, file, "exec", dont_inherit=True) if source else code if name == module else None
        except (SyntaxError, ValueError):  # It may be imported on a condition that is never true.
            yield name, source, []
            continue
        if found is not None:
            package = name if spec is not None and spec.submodule_search_locations else name.rpartition(".")[0]
            others = [
                other
                for other in _imports(found, package)
                if f"{other}.".startswith(f"{own}.") or _is_users(other, folder)
            ]
            yield name, found, others
            waiting += dict.fromkeys(other for other in others if other not in waiting)


def _imports(code: types.CodeType, package: str) -> Iterator[str]:
    """Yield the names of the modules that code, and the functions in it, may import; dots start from `package`."""
    for part in _codes(code):
        texts = [text for text in part.co_consts if isinstance(text, str)]  # As `import_module` takes them.
        yield from (text for text in texts if all(word.isidentifier() for word in text.split(".")))
        steps = [step for step in dis.get_instructions(part) if step.opname != "EXTENDED_ARG"]
        for place, step in enumerate(steps):
            if step.opname == "IMPORT_NAME":
                level, names = steps[place - 2].argval, steps[place - 1].argval
                above = package.split(".")[: package.count(".") + 2 - level] if level else []
                base = ".".join(filter(None, [*above, step.argval]))
                yield from (*_with_parents(base), *(f"{base}.{name}" for name in names or ()))


def _with_parents(module: str) -> list[str]:
    """Return a module's name, after those of the packages that it is in, which are imported with it."""
    parts = module.split(".")
    return [".".join(parts[: number + 1]) for number in range(len(parts))]


def _is_users(module: str, folder: str | None) -> bool:
    """Whether a module is the user's own: not part of Python or cardgym, and not of an installed package."""
    top = module.partition(".")[0]
    if top in (*sys.stdlib_module_names, __name__.partition(".")[0]) or (spec := _spec(top, folder)) is None:
        return False
    places = [str(spec.origin), *(spec.submodule_search_locations or ())]
    return not any(part in place for part in ("site-packages", "dist-packages") for place in places)


def _spec(module: str, folder: str | None) -> Any:
    """Where a module would be imported from, without importing a package above it; None if there is no such module."""
    spec, places = None, [[folder], None] if folder else [None]
    for name in _with_parents(module):
        finders = [finder.find_spec for finder in sys.meta_path if hasattr(finder, "find_spec")]
        spec = next(filter(None, (find(name, place) for place in places for find in finders)), None)
        if spec is None or (name != module and spec.submodule_search_locations is None):
            return None
        places = [spec.submodule_search_locations]
    return spec


class Content:
    """What one function does, apart from the functions that it refers to.

    Attributes:
        functions: the functions that it refers to, in order.
        wrappers: what stands for them in compiled code: a `Rule`, or a dispatcher of Numba.
    """

    def __init__(self) -> None:
        self.functions: list[types.FunctionType] = []
        self.wrappers: list[Any] = []
        self._hash = hashlib.sha256()
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Content) and (self.digest, self.functions) == (other.digest, other.functions)

    __hash__ = None  # type: ignore[assignment]

    @property
    def digest(self) -> bytes:
        """The digest of what was added, 32 bytes."""
        return self._hash.digest()

    def add_function(self, function: types.FunctionType) -> Content:
        """Add a function's code, its defaults and the values that it names."""
        named = {name: value for code in _codes(function.__code__) for name, value in _named(function, code)}
        vectors = function.__dict__.get("vector_width", 0)  # `internals` compiles other code in its place.
        return self.add((_code(function.__code__), function.__defaults__, function.__kwdefaults__, vectors, named))

    def add(self, value: Any) -> Content:
        """Add a value of any type."""
        kind, write = type(value), self._hash.update
        if value is None or kind in (bool, int, str, bytes):
            text = repr(value).encode("utf-8", "backslashreplace")
            write(b"%s %d:%s" % (kind.__name__.encode(), len(text), text))
        elif kind is tuple:
            write(b"tuple %d:" % len(value))
            for part in value:
                self.add(part)
        elif isinstance(value, float | complex) and not isinstance(value, np.generic):
            write(f"{kind.__name__} ".encode() + struct.pack("<dd", value.real, value.imag))
        elif isinstance(value, types.CodeType):
            self.add(_code(value))
        elif isinstance(value, np.generic):
            self.add((value.dtype, value.tobytes()))
        elif id(value) in self._numbers:
            write(b"again %d;" % self._numbers[id(value)])
        else:
            self._numbers[id(value)] = len(self._numbers)
            self._alive.append(value)  # So that no other value gets its id.
            self._add_object(value, kind)
        return self

    def _add_object(self, value: Any, kind: type) -> None:
        library = _is_library(value)
        self._hash.update(f"{kind.__module__ if _is_library(kind) else ''}.{kind.__qualname__} ".encode())
        if not isinstance(value, type) and (inner := getattr(value, "py_func", None)) is not None:
            self.wrappers.append(value)
            self.add((inner, getattr(value, "targetoptions", None)))
        elif isinstance(value, types.FunctionType) and not library:
            self.add(value.__name__)
            self.functions.append(value)
        elif isinstance(value, np.ndarray):
            flags = value.flags.c_contiguous, value.flags.f_contiguous
            self.add((value.dtype, value.shape, *flags))
            self.add(tuple(value.flat) if value.dtype.hasobject else value.tobytes())
        elif isinstance(value, np.dtype):
            self.add(repr(value))
        elif isinstance(value, tuple | list):  # Named tuples, too.
            self.add((getattr(kind, "_fields", None), tuple(value)))
        elif isinstance(value, Mapping):
            self.add(tuple(value.items()))
        elif isinstance(value, set | frozenset):
            self.add(tuple(sorted(Reach(part).digest for part in value)))
        elif isinstance(value, Enum):
            self.add((value.name, value.value))
        elif isinstance(value, int | str | bytes):
            self.add(int(value) if isinstance(value, int) else value[:])
        elif isinstance(value, types.ModuleType | types.FunctionType):
            self.add(value.__name__ if library else "")
        elif isinstance(value, type):
            self.add((value.__module__ if library else "", value.__qualname__, getattr(value, "_fields", None)))
            if issubclass(value, Enum):
                self.add(dict(value.__members__))
            elif value.__module__ == "__main__":  # Other modules' classes are part of `imported_code`.
                self.add({name: part for name, part in vars(value).items() if isinstance(part, types.FunctionType)})
        elif isinstance(value, functools.partial):
            self.add((value.func, value.args, value.keywords))
        elif isinstance(value, types.MethodType):
            self.add((value.__func__, value.__self__))
        else:  # Such as NumPy's functions, types of Numba, and objects that only the compiler reads.
            self.add(getattr(value, "__name__", None))
            if not _is_library(kind):
                self.add(dict(getattr(value, "__dict__", {})))


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield a code object and those of the functions, lambdas and comprehensions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


@functools.cache
def _code(code: types.CodeType) -> tuple[Any, ...]:
    """Return what a code object does. Its constants stand in their order of use, so without the docstring."""
    instructions = bytearray(code.co_code)
    constants: dict[int, int] = {}
    extended = 0
    for place in range(0, len(instructions), 2):
        operation, argument = instructions[place], instructions[place + 1]
        if operation == dis.EXTENDED_ARG:
            extended = (extended | argument) << 8
            continue
        if operation in _CONSTANTS:
            number = constants.setdefault(extended | argument, len(constants))
            instructions[place + 1] = number & 255
        extended = 0
    return (
        bytes(instructions),
        tuple(code.co_consts[number] for number in constants),
        (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars),
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags),
        code.co_exceptiontable,
    )


def _named(function: types.FunctionType, code: types.CodeType) -> Iterator[tuple[str, Any]]:
    """Yield the names that code reads and their values: globals, closures, and attributes of modules and classes."""
    for name in code.co_names:
        if name in function.__globals__:
            yield from _with_attributes(name, function.__globals__[name], code.co_names, set())
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield from _with_attributes(name, cell.cell_contents, code.co_names, set())
        except ValueError:  # The name has no value yet.
            continue


def _with_attributes(name: str, value: Any, names: Iterable[str], seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Yield a value, and the attributes that code may read by these names if it is a module or a class."""
    yield name, value
    if isinstance(value, types.ModuleType | type) and not _is_library(value) and id(value) not in seen:
        seen.add(id(value))
        parts = [vars(base) for base in (value.__mro__ if isinstance(value, type) else (value,))]
        for part in names:
            found = next((own[part] for own in parts if part in own), _ABSENT)
            if found is not _ABSENT:
                yield from _with_attributes(f"{name}.{part}", found, names, seen)


def _is_library(value: Any) -> bool:
    """Whether a module, class or function is part of a library in `_LIBRARIES`."""
    module = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return str(module).partition(".")[0] in _LIBRARIES
