"""With a Numba that has renamed its private parts, public Numba compiles the same games, bit for bit."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cardgym.engine import compilation
from cardgym.engine.jit import JIT_DISABLED

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
ROOT = Path(__file__).parents[2]

RENAMED = """
import importlib.machinery, re, sys

NAME = sys.argv[1].encode()


class Renaming(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname):
        source = self.get_data(self.path)
        if NAME not in source:
            return super().get_code(fullname)
        return compile(re.sub(rb"\\b" + NAME + rb"\\b", NAME + b"_of_next_year", source), self.path, "exec")


class Finder:
    def find_spec(fullname, path=None, target=None):
        spec = importlib.machinery.PathFinder.find_spec(fullname, path) if fullname.startswith("numba") else None
        if spec and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = Renaming(fullname, spec.loader.path)
        return spec


sys.meta_path.insert(0, Finder)
"""
"""From here on, Numba has another word for one of its names."""

USE = """
import numpy as np
from cardgym.engine.compilation import known_internals, compiled
from cardgym.engine.rules import count_bits, rule, write_bits

@rule
def fill(number, out):
    write_bits(number, 40, out, 2)
    return count_bits(number)

@compiled
def sums(number):
    out = np.zeros(50, np.int8)
    return fill(number, out), out[2:].sum()

for _ in range(2):
    print(known_internals() is None, *sums(0xA5A5A5A5A5))
"""

NAMES = (
    "CompilerBase DefaultPassBuilder FunctionCache JITCodeLibrary NativeLowering PassManager "
    "_final_module _get_module_for_linking _impl_class _linking_libraries _load_overload _locator_classes "
    "contains_nrt_meminfo create_struct_proxy data_model_manager "
    "define_nopython_pipeline enable_nrt ensure_blas forceinline func_ir global_compiler_lock "
    "insert_user_function no_compile no_cpython_wrapper pipeline_class register_pass rtsys subtarget targetctx "
    "typemap unliteral"
)
"""What `internals` uses of Numba beside its public API."""
_FAST = {"JITCodeLibrary"}
"""The others take as long, and are tried by `make test-slow`."""


def run(program: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, *words], env={**os.environ, **variables}, capture_output=True, text=True
    )


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in _FAST else pytest.mark.slow) for name in NAMES.split()]
)
def test_a_numba_with_another_name_for_a_private_part_only_costs_time(name: str, tmp_path: Path) -> None:
    said = []
    for _ in range(2):
        done = run(RENAMED + USE, name, CARDGYM_CACHE_DIR=str(tmp_path), CARDGYM_PLAIN_NUMBA="0")
        assert done.stdout.splitlines() == ["True 20 20"] * 2, done.stderr
        said.append(done.stderr.splitlines())
    [line] = said[0]
    assert line.startswith("cardgym: Numba")
    assert line.endswith("is newer than cardgym knows: compiling takes longer")
    assert said[1] == []  # Once for a version, not for a process.


@pytest.mark.skipif(os.environ.get("CARDGYM_PLAIN_NUMBA") == "1", reason="asks for public Numba")
def test_the_numba_that_is_installed_is_one_that_cardgym_knows() -> None:
    assert compilation.known_internals() is not None


def test_a_failed_self_test_is_remembered_for_a_day_and_a_passing_cause_not_at_all(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from cardgym.engine import internals

    failures: list[Exception | None] = []

    def self_test() -> None:
        failure = failures.pop()
        if failure is not None:
            raise failure

    monkeypatch.setattr(internals, "self_test", self_test)
    monkeypatch.setattr(compilation, "cache_folder", lambda digest: tmp_path)
    verdict = tmp_path / "self_test"

    failures = [OSError(28, "No space left on device")]
    assert compilation._try_internals() is None
    assert not verdict.exists()
    assert capsys.readouterr().err == "cardgym: compiling takes longer: [Errno 28] No space left on device\n"

    failures = [AttributeError("_cache")]
    assert compilation._try_internals() is None
    assert compilation._try_internals() is None  # Without another trial.
    os.utime(verdict, (0, 0))
    failures = [None]
    assert compilation._try_internals() is internals
    assert verdict.read_text(encoding="utf-8") == "passed"


@pytest.mark.slow
def test_games_of_public_numba_are_the_same_bit_for_bit() -> None:
    program = """
import json, sys
from cardgym.engine.compilation import num_compiled
from reproducibility import differences
print(json.dumps(differences([sys.argv[1]])))
"""
    path = os.pathsep.join([str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    done = run(program, "OnePlayPoker-v0", CARDGYM_PLAIN_NUMBA="1", PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []
