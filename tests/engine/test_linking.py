"""Rules as parts of entry points, of other people's compiled functions, and called by Python."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.registry import cpu_target

from cardgym.engine.compilation import compiled, known_internals
from cardgym.engine.rules import rule

linked = pytest.mark.skipif(not known_internals(), reason="public Numba makes machine code of every rule")


@rule
def square(value):
    return value * value


@rule
def sum_of_squares(values):
    total = 0
    for value in values:
        total += square(int(value))
    return total


@compiled
def _entry(values):
    return sum_of_squares(values) + square(2)


@numba.njit
def _of_somebody_else(values):
    return sum_of_squares(values) + square(3)


def test_rules_work_in_every_caller():
    values = np.arange(4, dtype=np.int8)
    assert _entry(values) == 18  # As a part first: code that Python can call is made besides.
    assert sum_of_squares(values) == 14
    assert sum_of_squares(values.astype(np.float64)) == 14
    assert _of_somebody_else(values) == 23
    assert (square(3), square(1.5)) == (9, 2.25)


@linked
def test_functions_called_only_by_compiled_code_have_no_machine_code():
    assert _entry(np.arange(5, dtype=np.int16)) == 34
    part: Any = sum_of_squares
    parts = list(part.dispatcher.overloads.values())
    assert parts
    engine = cpu_target.target_context.codegen()._engine
    assert not any(engine.is_symbol_defined(part.fndesc.llvm_func_name) for part in parts)


@linked
def test_entry_points_take_rules_from_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("CARDGYM_CACHE_DIR", str(tmp_path))
    values = np.arange(4, dtype=np.uint16)

    def compile_anew(entry: Any) -> tuple[float, dict[str, int]]:
        """The entry point's answer, and how many translations of each rule were found."""
        known_internals().linking.forget()
        rules: list[Any] = [sum_of_squares, square]
        for part in rules:
            part.forget_code()
        answer = compiled(entry)(values)
        return answer, {part.__name__: sum(part.dispatcher.stats.cache_hits.values()) for part in rules}

    def once(values):
        return sum_of_squares(values)

    def twice(values):
        return 2 * sum_of_squares(values)

    def with_a_square(values):
        return sum_of_squares(values) + square(int(values[3]))

    def negative(values):
        return -sum_of_squares(values)

    assert compile_anew(once) == (14, {"sum_of_squares": 0, "square": 0})
    assert compile_anew(twice) == (28, {"sum_of_squares": 1, "square": 0})  # One file names the other.
    assert compile_anew(with_a_square) == (23, {"sum_of_squares": 1, "square": 1})
    files = list(tmp_path.rglob("rule"))
    assert len(files) == 2
    files[0].write_bytes(files[0].read_bytes()[:-1] + b"?")
    files[1].unlink()
    assert compile_anew(negative) == (-14, {"sum_of_squares": 0, "square": 0})


NAMED_ANEW = """
import sys
import numba
import numpy as np
from cardgym.engine.compilation import compiled
from cardgym.engine.rules import rule

records = [numba.typeof(np.zeros(1, [(f"x{n}", np.int64)])) for n in range(int(sys.argv[2]))]
STATES = np.zeros(1, [("score", np.int64)])

@rule
def doubled(states):
    return 2 * states[0].score

@rule
def added(states):
    states[0].score += 1
    return doubled(states)

@compiled
def first(states):
    return added(states)

@compiled
def called(states):
    return doubled(states) + 7

@compiled
def second(states):
    return added(states) + added(states)

print(globals()[sys.argv[1]](STATES))
"""


@linked
def test_a_rule_is_translated_again_if_another_process_has_renamed_what_it_calls(tmp_path, monkeypatch):
    monkeypatch.setenv("CARDGYM_CACHE_DIR", str(tmp_path / "cache"))
    program = tmp_path / "program.py"
    program.write_text(NAMED_ANEW)

    def run(entry: str, other_records: int) -> int:
        command = [sys.executable, str(program), entry, str(other_records)]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    def with_text(*texts: bytes) -> list[Path]:
        files = (tmp_path / "cache").rglob("rule")
        return [path for path in files if all(text in path.read_bytes() for text in texts)]

    assert run("first", 0) == 2
    (caller,) = with_text(b"added_")
    (callee,) = {*with_text(b"doubled_")} - {caller}
    before = caller.read_bytes(), callee.read_bytes()
    callee.unlink()
    assert run("called", 5) == 7  # It keeps `doubled` again: a process with more records names it otherwise.
    assert caller.read_bytes() == before[0]
    assert callee.read_bytes() != before[1]
    assert run("second", 0) == 6
    assert caller.read_bytes() != before[0]


@linked
def test_rules_for_another_machine_are_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    rule_of_this_file: Any = square
    linking, part = known_internals().linking, rule_of_this_file.py_func
    with linking.rules_of(_entry):
        key = linking.key_of(part, (numba.int64,))
        monkeypatch.setattr(linking, "target", object())
        assert key
        assert linking.key_of(part, (numba.int64,)) not in ("", key)


@linked
def test_scipy_is_imported_only_for_linear_algebra():
    program = """
import sys, numba, numpy as np
from cardgym.engine.compilation import compiled, known_internals
@compiled
def double(value):
    return 2 * value
assert double(3) == 6 and "scipy.linalg" not in sys.modules
@numba.njit
def product(a, b):
    return np.dot(a, b)
print(product(np.eye(2), np.eye(2)).sum(), "scipy.linalg" in sys.modules)
"""
    pytest.importorskip("scipy")
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert output.split() == ["2.0", "True"]
