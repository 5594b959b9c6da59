"""A kernel for NVIDIA GPUs: the same LLVM code as on the CPU, compiled to PTX; each thread plays a row.

Experimental: the code gives the CPU's games byte for byte when it is run on a CPU, and it can be assembled; nobody has
run it on a GPU yet.

A GPU's pointers have 8 bytes, as here, so the rules as Numba translates them serve both; whole entry points are
compiled for each. LLVM fuses a product and a sum only if it is told to, so sums are those of the CPU. Like `internals`,
this module uses private parts of Numba.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
import numpy.typing as npt
from numba.np.numpy_support import from_dtype

from cardgym.engine import linking
from cardgym.engine.cache import alone, cache_folder, digest_of
from cardgym.engine.compilation import announced, known_internals
from cardgym.engine.kernel import ADDRESSES, Kernel
from cardgym.errors import CardgymError

types: Any = numba.types
TRIPLE = "nvptx64-nvidia-cuda"
PROCESSOR, FEATURES = "sm_75", "+ptx64"
"""All GPUs since 2018; the driver compiles PTX for the one that is there."""
STEP, WINNERS = "cardgym_step", "cardgym_winners"
"""The kernels' names; their arguments are those of `gpu.ll`."""
HEAP = 1 << 16
"""Bytes for the arrays that the rules make in a step of one row."""
_ARGUMENTS = (*(types.int64,) * 4, types.boolean, types.float32[::1], types.int8[::1])
_ARRAY = "ptr, ptr, i64, i64, ptr, i64, i64"
"""An array of one dimension as an argument in LLVM's code."""
_RUNTIME = Path(__file__).with_name("gpu.ll")
_LACKING = re.compile(r"llvm\.(pow|exp|log|sin|cos)|(?!llvm\.)")


class _LinkedError(Exception):
    """Stops compiling for this machine, with the code of an entry point and all rules that it can reach."""


def ptx(kernel: Kernel, winners: Any) -> tuple[str, int]:
    """Return the PTX of a kernel's `step` and of its game's `winners`, cached on disk; each row's bytes for arrays.

    Raises:
        CardgymError: if its rules or players use something that GPUs lack.
    """
    step: Any = kernel.step
    folder = cache_folder(digest_of(step))
    code = Path(__file__).read_bytes() + _RUNTIME.read_bytes() + digest_of(winners).encode()
    version = hashlib.sha256(code).hexdigest()[:16]
    path = folder / f"{version}.ptx"
    with alone(folder):
        text = ""
        with contextlib.suppress(OSError):
            text = path.read_text(encoding="ascii")
        if not text:
            with announced(step):
                module, machine, heap = optimized(kernel, winners)
                text = f"// {heap}\n{machine.emit_assembly(module)}"
            with contextlib.suppress(OSError):
                temporary = path.with_suffix(".new")
                temporary.write_text(text, encoding="ascii")
                temporary.replace(path)
    return text, int(text.partition("\n")[0].removeprefix("// "))


def optimized(kernel: Kernel, winners: Any) -> tuple[Any, Any, int]:
    """LLVM's module with the kernels `STEP` and `WINNERS` for GPUs; LLVM's target machine; bytes for arrays.

    Args:
        kernel: has the compiled step.
        winners: the compiled `cardgym.envs.core._find_winners` of its game.

    Raises:
        CardgymError: if its rules or players use something that GPUs lack.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=PROCESSOR, features=FEATURES, opt=3)
    states, numbers = types.Array(from_dtype(kernel.game.state), 1, "C"), types.int64[::1]
    step, finds = (
        _linked(kernel.step, _ARGUMENTS),
        _linked(winners, (states, numbers, types.boolean[::1], types.int64, numbers)),
    )
    heap = HEAP if " @NRT_MemInfo_alloc_aligned(" in step + finds else 0
    runtime = _RUNTIME.read_text(encoding="ascii")
    signatures = f"i64, i64, i64, i64, i8{f', {_ARRAY}' * 2}", f"{_ARRAY}, {_ARRAY}, {_ARRAY}, i64, {_ARRAY}"
    modules = []
    for name, text, signature in (("STEP", step, signatures[0]), ("WINNERS", finds, signatures[1])):
        modules.append(llvm.parse_assembly(linking.without_counting(linking.retargeted(text, machine))))
        [found] = [
            part.name
            for part in modules[-1].functions
            if part.linkage.name == "external" and not part.is_declaration and not part.name.startswith("_ZN7cpython")
        ]
        runtime = f"declare i32 @{found}(ptr, ptr, {signature})\n" + runtime.replace(f"@{name}(", f"@{found}(")
    module = modules[0]
    module.link_in(modules[1])
    module.link_in(llvm.parse_assembly(runtime))
    for part in (*module.functions, *module.global_variables):
        if not part.is_declaration and part.name not in (STEP, WINNERS):
            part.linkage = "internal"
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = False
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    lacking = [part.name for part in module.functions if part.is_declaration and _LACKING.match(part.name)]
    if lacking:
        raise CardgymError(f"{kernel.game.id}: its rules or players use {', '.join(lacking)}, which GPUs lack")
    return module, machine, heap


def _linked(function: Any, arguments: tuple[Any, ...]) -> str:
    """LLVM's text of an entry point with all rules that it can reach, before it is optimized."""
    internals = known_internals()
    if internals is None:
        raise CardgymError("device='cuda' needs this version of Numba's private parts; see CARDGYM_PLAIN_NUMBA")

    def stop(library: Any) -> None:
        raise _LinkedError(str(library._final_module))

    entry_point = internals.entry_point(function.py_func)
    before, linking.optimize = linking.optimize, stop
    try:
        with linking.rules_of(entry_point):
            entry_point.compile(arguments)
    except _LinkedError as linked:
        return str(linked)
    finally:
        linking.optimize = before
    raise NotImplementedError("an entry point is always linked")


def addresses(
    arrays: dict[str, tuple[int, int]], num_rows: int, tables: tuple[int, tuple[int, int]]
) -> npt.NDArray[Any]:
    """Return the `ADDRESSES` of each row alone, (num_rows,), as the threads take them.

    Args:
        arrays: the address of each array of a batch and the bytes that a row has in it, by the names in `ADDRESSES`.
        tables: the address and the shape of the policy tables.
    """
    table = np.zeros(num_rows, ADDRESSES)
    for name, (address, size) in arrays.items():
        table[name] = address + size * np.arange(num_rows)
    table["num_rows"] = 1
    table["tables"], (table["num_tables"], table["table_size"]) = tables
    return table
