"""Entry points compiled for WebAssembly, from the same templates and rules: games for a page without a server.

`start` makes every entry point that is used from then on compile twice: for this machine, and for wasm32 from the same
LLVM code. `link` puts those that were used into one module, which Emscripten loads (Pyodide's `ctypes` can), with a
manifest for `prebuilt`, which finds them in the page.

Nothing may be optimized before the target is known: LLVM turns fields of structs into offsets in bytes, and a pointer
has 8 bytes here and 4 there. So the libraries of Numba stay as they are, and only whole entry points are optimized.
Like `internals`, this module uses private parts of Numba.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core import codegen
from numba.np.numpy_support import as_dtype

from cardgym.engine import cache, linking
from cardgym.engine.compilation import known_internals
from cardgym.engine.prebuilt import kind_of_array
from cardgym.errors import CardgymError

types: Any = numba.types
CodeLibrary: Any = codegen.CPUCodeLibrary
"""Parts of Numba that have no type hints."""
TRIPLE = "wasm32-unknown-emscripten"
FEATURES = "+simd128,+bulk-memory,+bulk-memory-opt,+nontrapping-fptoint,+sign-ext,+mutable-globals"
"""What all browsers since 2021 can do."""
_RUNTIME = Path(__file__).with_name("runtime.c")


class _Target:
    """Compiles every entry point for wasm32 when it is first used, and remembers which were."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}  # LLVM's text by the name of the library.
        self._optimize = CodeLibrary._optimize_final_module
        self.used: dict[str, Path] = {}  # The files of code by the names of their functions in the module.
        self.dispatchers: list[Any] = []

    def optimize(self, library: Any) -> None:
        """Keep the code of an entry point as it is before it is optimized for this machine."""
        self._texts[library.name] = str(library._final_module)
        self._optimize(library)

    def add(self, dispatcher: Any, signature: Any, folder: Path) -> None:
        """Note that an entry point is used with a signature; compile it if its folder has no code for it."""
        path = self.code_path(folder, signature)
        if not path.exists():
            result = dispatcher.overloads[tuple(signature)]
            facts = {
                "name": f"{dispatcher.py_func.__module__}:{dispatcher.py_func.__name__}",
                "arguments": [kind for argument in signature for kind in _kinds(argument)],
                "answer": _answer(result.signature.return_type),
            }
            path.with_suffix(".json").write_text(json.dumps(facts))
            path.write_bytes(_object(self._texts[result.library.name], result.fndesc.llvm_func_name, path.stem))
        self.used[path.stem] = path
        self.dispatchers.append(dispatcher)

    def code_path(self, folder: Path, signature: Any) -> Path:
        """Return the file of an entry point's code; its stem is the function's name in modules."""
        return folder / f"f{hashlib.sha256(f'{folder.name} {tuple(signature)}'.encode()).hexdigest()[:16]}.o"


def start() -> None:
    """Compile for wasm32, too, from now on; before anything was compiled.

    Raises:
        CardgymError: if the linker is missing, or if nothing is compiled here.
    """
    if find_spec("ziglang") is None:
        raise CardgymError("the target wasm needs a linker: pip install ziglang")
    if linking.target is None:
        cache.TARGETS.append("targets")
        linking.target = _Target()
        linking.optimize = linking.target.optimize
        CodeLibrary._optimize_functions = lambda library, module: None
        CodeLibrary._optimize_final_module = lambda library: None
        if known_internals() is None:
            raise CardgymError("the target wasm needs this version of Numba's private parts; see CARDGYM_PLAIN_NUMBA")
        forget()  # The self-test.


def forget() -> None:
    """Forget what was used so far: the next `link` is for another game."""
    for dispatcher in linking.target.dispatchers:
        dispatcher._reset_overloads()
    linking.target.dispatchers.clear()
    linking.target.used.clear()


def link(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Write the module `path` with all entry points used since `forget`, and its manifest beside it.

    Returns:
        The manifest: for each entry point, by `prebuilt.name_of`, its functions, each with `function` (its name in the
        module), `arguments` (their kinds, those of tuples in order) and `answer`.
    """
    manifest: dict[str, list[dict[str, Any]]] = {}
    used = dict(sorted(linking.target.used.items()))
    for function, file in used.items():
        facts = json.loads(file.with_suffix(".json").read_text())
        entry = {"function": function, "arguments": facts["arguments"], "answer": facts["answer"]}
        manifest.setdefault(facts["name"], []).append(entry)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        runtime = Path(folder, "runtime.o")
        compiler = ("-target", "wasm32-emscripten", "-fPIC", "-O2", "-mcpu=mvp", "-c")
        _zig("cc", *compiler, str(_RUNTIME), "-o", str(runtime))
        exports = [f"--export={function}" for function in used]
        linker = ("-shared", "--experimental-pic", "--no-entry", "--unresolved-symbols=import-dynamic", "--strip-all")
        _zig("wasm-ld", *linker, *exports, *map(str, used.values()), str(runtime), "-o", str(path))
    path.with_suffix(".json").write_text(json.dumps(manifest, sort_keys=True, indent=1))
    return manifest


def _zig(*words: str) -> None:
    done = subprocess.run([sys.executable, "-m", "ziglang", *words], capture_output=True, text=True)
    if done.returncode:
        raise CardgymError(f"linking for {TRIPLE} failed: {' '.join(done.stderr.split())[:500]}")


# -- types -------------------------------------------------------------------------------------------------------------


def _kinds(kind: Any) -> Iterable[str]:
    """Yield what `prebuilt` calls the parts of an argument."""
    if isinstance(kind, types.Array):
        yield kind_of_array(as_dtype(kind.dtype), kind.ndim, kind.layout)
    elif isinstance(kind, types.BaseTuple):
        for part in kind:
            yield from _kinds(part)
    else:
        yield _scalar(kind)


def _answer(kind: Any) -> str | list[str]:
    if isinstance(kind, types.Array) and kind.ndim == 1 and kind.layout == "C":
        return f"array {as_dtype(kind.dtype).str}"
    if isinstance(kind, types.BaseTuple):
        return [_scalar(part) for part in kind]
    return "" if kind in (types.none, types.void) else _scalar(kind)


def _scalar(kind: Any) -> str:
    if isinstance(kind, types.Boolean):
        return "bool"
    if isinstance(kind, types.Integer | types.Float):
        return str(as_dtype(kind))
    raise CardgymError(f"the target wasm knows no {kind} as an argument or answer of an entry point")


# -- code --------------------------------------------------------------------------------------------------------------


def _object(text: str, name: str, function: str) -> bytes:
    """Return the object code of LLVM's text for wasm32, with the function `name` as `function`."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    machine = target.create_target_machine(cpu="generic", features=FEATURES, opt=2, reloc="pic")
    text = linking.without_counting(linking.retargeted(text, machine))
    module = llvm.parse_assembly(text)
    module.get_function(name).name = function
    for part in (*module.functions, *module.global_variables):
        if (not part.is_declaration and part.name != function) or part.linkage.name == "common":
            part.linkage = "internal"
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization, options.slp_vectorization = True, False
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    return bytes(machine.emit_object(module))
