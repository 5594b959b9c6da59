"""Players in Python by name: `./bot.py:choose`, what a file defines, and `package.module:Player`.

Naming one runs its code. So names that come from a request or from a saved game never reach this module.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import os
import sys
import time
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from cardgym.engine.digest import Reach, imported_code
from cardgym.errors import CardgymError, ends_program, in_one_line, printable, quoted, unknown
from cardgym.files.json_values import read_bytes
from cardgym.players.base import PYTHON, split_path

_BEGUN = time.time()
_imported: dict[str, tuple[ModuleType, str]] = {}
"""Modules of programs as they were when a player was last loaded, each with a digest of its code."""


def is_program(name: str) -> bool:
    """Whether a name refers to something in Python: in a file, or in a module that can be imported here."""
    path, _, attribute = name.rpartition(":")
    if path.endswith(PYTHON):
        return attribute.isidentifier()
    words = [*path.split("."), attribute]
    return all(word.isidentifier() for word in words) and importlib.util.find_spec(words[0]) is not None


def load(name: str) -> Any:
    """Return what a name refers to; a class is called without arguments.

    Raises:
        CardgymError: if there is no such file, module or attribute, or if its code raises an error.
    """
    what = f"player {printable(name)}"
    path, _, attribute = name.rpartition(":")
    source = read_bytes(Path(path), what) if path.endswith(PYTHON) else None
    found = [*imported_code(*source_of(name))]
    digest, parts = Reach(*(code for _, code, _ in found)).digest, _forget_edited(found)
    try:
        module = importlib.import_module(path) if source is None else _run(Path(path).absolute(), source, digest)
        _imported.update((part, (sys.modules[part], parts[part])) for part in parts.keys() & sys.modules.keys())
        if not hasattr(module, attribute):
            own = [key for key, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
            raise unknown(f"player in {path}", attribute, own)
        found = getattr(module, attribute)
        player = found() if isinstance(found, type) else found
        known = callable(player) or hasattr(player, "act") or isinstance(player, Mapping)
    except BaseException as error:
        if isinstance(error, CardgymError) or ends_program(error):
            raise
        raise CardgymError(f"{what}: {in_one_line(error)}") from error
    if not known:
        raise CardgymError(f"{what}: {quoted(player)} is no player; name a function, a class or an object with act()")
    return player


def takes_words(found: Any) -> bool:
    """Whether it is a function of one argument: the game in words, a `TextView`."""
    if not callable(found) or hasattr(found, "act"):
        return False
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):  # Some built-in functions tell nothing.
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [one.kind in positional for one in parameters if one.default is one.empty] == [True]


def _forget_edited(modules: list[tuple[str, Any, list[str]]]) -> dict[str, str]:
    """Let Python import edited modules of a program anew, and those that import them or hide one; see `imported_code`.

    Returns:
        All of them, each with a digest of its code.
    """
    found = {name: (code, others) for name, code, others in modules}
    digests = {name: Reach(code).digest for name, (code, _) in found.items()}
    edited = {name for name, (code, _) in found.items() if _is_other(name, code, digests[name])}
    while more := {
        name
        for name, (_, others) in found.items()
        if name not in edited and (edited.intersection(others) or name.rpartition(".")[0] in edited)
    }:
        edited |= more
    for name in edited:
        cached = getattr(sys.modules.pop(name, None), "__cached__", None)
        with contextlib.suppress(OSError):  # It hides an edit in the same second.
            os.unlink(cached or "")
    return digests


def _is_other(name: str, code: CodeType | str, digest: str) -> bool:
    """Whether an imported module of the user's is from another file than `code`, or from before an edit."""
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or not isinstance(code, CodeType) or name.startswith("cardgym."):
        return False
    if os.path.abspath(file) != os.path.abspath(code.co_filename):
        return True
    known, before = _imported.get(name, (None, ""))
    return digest != before if known is module else os.path.getmtime(file) > _BEGUN


@lru_cache(maxsize=256)
def _run(file: Path, source: bytes, digest: str) -> ModuleType:
    """Run a file once for each content of it and of what it imports, with its folder first to import from.

    Modules that it imports from there are its own: files in other folders may import others of the same name.
    """
    name = f"<cardgym player {sha256(bytes(file) + digest.encode() + source).hexdigest()[:16]}>"
    module = ModuleType(name)
    module.__file__ = str(file)
    sys.modules[name] = module  # Dataclasses look the module of a class up.
    before, writes_none = set(sys.modules), sys.dont_write_bytecode
    sys.path.insert(0, str(file.parent))
    sys.dont_write_bytecode = True  # What Python keeps of a file hides an edit in the same second.
    try:
        exec(compile(source, str(file), "exec", dont_inherit=True), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.dont_write_bytecode = writes_none
        sys.path.remove(str(file.parent))
        beside = {top for top in set(sys.modules) - before if _is_in(file.parent, top)}
        for other in set(sys.modules) - before:
            if other.partition(".")[0] in beside:
                del sys.modules[other]
    return module


def _is_in(folder: Path, top: str) -> bool:
    """Whether an imported module, or its package, lies in a folder itself."""
    module = sys.modules[top]
    place = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), "/")
    return "." not in top and Path(place).parent in (folder, folder / top)


def source_of(name: str) -> tuple[str, CodeType | None, str | None]:
    """Where the source of a player in Python is: its module, or else a file's code and folder. Nothing is run.

    Raises:
        CardgymError: if the file cannot be read as Python.
    """
    path, attribute = split_path(name)
    if not attribute:
        return name.rpartition(":")[0], None, None
    what, file = f"player {printable(name)}", Path(path).absolute()
    source = read_bytes(file, what)
    try:
        return "", compile(source, str(file), "exec", dont_inherit=True), str(file.parent)
    except (SyntaxError, ValueError) as error:
        raise CardgymError(f"{what}: {in_one_line(error)}") from error
