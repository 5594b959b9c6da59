"""A kernel's code for GPUs, run by this machine's processor: the module as it is before PTX is written."""

import ctypes
import re
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from cardgym.engine import gpu, linking
from cardgym.engine.batch import Batch
from cardgym.engine.kernel import ADDRESSES, PENALIZE, Kernel
from cardgym.envs.core import winners_of

_THREAD = """
@number = global i32 0
define i32 @sreg_tid() alwaysinline {
  %number = load i32, ptr @number
  ret i32 %number
}
define i32 @sreg_ctaid() alwaysinline {
  ret i32 0
}
define i32 @sreg_ntid() alwaysinline {
  ret i32 1024
}
"""


def run_here(kernel: Kernel) -> tuple[Callable[..., None], int]:
    """A function that runs a kernel for GPUs with its arguments, one row after another; bytes of memory a row."""
    module, _, heap = gpu.optimized(kernel, winners_of(kernel.game))
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
    text = linking.retargeted(str(module).replace("ptx_kernel ", ""), machine)
    text = re.sub(r"@llvm\.nvvm\.read\.ptx\.sreg\.(\w+)\.x", r"@sreg_\1", text)
    host = llvm.parse_assembly(text)
    host.link_in(llvm.parse_assembly(_THREAD))
    engine = llvm.create_mcjit_compiler(host, machine)
    engine.finalize_object()
    whole: Any = ctypes.c_int64
    kinds: dict[str, Any] = {gpu.STEP: [*(whole,) * 4, ctypes.c_int8, *(whole,) * 6], gpu.WINNERS: [*(whole,) * 9]}
    kernels = {name: ctypes.CFUNCTYPE(None, *kind)(engine.get_function_address(name)) for name, kind in kinds.items()}
    thread = ctypes.c_int32.from_address(engine.get_global_value_address("number"))

    def run(name: str, num_rows: int, *arguments: int) -> None:
        assert engine  # It owns the code.
        for row in range(num_rows + 1):  # The last one is outside, as in the last block.
            thread.value = row
            kernels[name](num_rows, *map(int, arguments))

    return run, heap


class GpuBatch:
    """The rows of a batch, stepped by the code for GPUs in place of the batch's own.

    Attributes:
        observations: (rows, size) float32.
        masks: (rows, actions) int8.
    """

    def __init__(self, batch: Batch) -> None:
        self._run, self._heap = run_here(batch.kernel)
        self._batch = batch
        self.observations, self.masks = batch.new_outputs()
        self._actions = np.zeros(len(batch), np.int64)
        self._commands = np.zeros(len(batch), np.uint8)
        self._memory = np.zeros((len(batch), self._heap), np.uint8)
        arrays: dict[str, Any] = {"states": batch.plain_states, "rows": batch.plain_rows, "paid": batch.paid}
        arrays |= {"actions": self._actions, "commands": self._commands, **batch.answers}
        places = {name: (array.ctypes.data, array.strides[0]) for name, array in arrays.items()}
        tables = batch.policy_tables.ctypes.data, batch.policy_tables.shape
        self._addresses = gpu.addresses(places, len(batch), tables)

    def step(self, actions: Any, commands: Any, *, illegal: int = PENALIZE, skip: bool = False) -> None:
        """As `Batch.step`."""
        self._actions[:], self._commands[:] = actions, commands
        addresses = self._addresses.ctypes.data, ADDRESSES.itemsize
        outputs = [part for array in (self.observations, self.masks) for part in (array.ctypes.data, array.shape[1])]
        self._run(gpu.STEP, len(self._batch), *addresses, illegal, skip, *outputs, self._memory.ctypes.data, self._heap)
