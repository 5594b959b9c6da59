"""What compiled code depends on, and how processes share it."""

import gc
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba.core.caching import FunctionCache

import cardgym
from cardgym.engine.cache import cache_folder, digest_of, plain_function
from cardgym.engine.compilation import bind, bound, compiled, known_internals, name_entry_point, template
from cardgym.engine.digest import Reach
from cardgym.engine.jit import JIT_DISABLED
from cardgym.engine.kernel import kernel_of
from cardgym.engine.rules import rule

PACKAGE = Path(cardgym.__file__).parent

DIGESTS = """
import json, cardgym
from cardgym.engine.cache import digest_of
from cardgym.engine.digest import digest_of_game
from cardgym.engine.kernel import kernel_of
games = [cardgym.find(name) for name in cardgym.registered()]
print(json.dumps({game.id: digest_of_game(game) for game in games} | {
    f"{game.id} {name} {sorted(players)}": digest_of(kernel_of(game, name, players).step)
    for game in games for name in game.observations for players in ((), game.compiled_players)
}))
"""

SAMPLE = """
import numpy as np
from cardgym.engine import batch
from cardgym.engine.compilation import num_compiled
batch.LegalSampler(1)(np.ones((4, 3), np.int8))
print(num_compiled())
"""
"""How many of two entry points are compiled: the sampler's own, and a rule that Python calls."""

FIRST_STEP = """
import gymnasium, cardgym
env = gymnasium.make("KuhnPoker-v0")
_, info = env.reset(seed=0)
env.step(int(info["action_mask"].argmax()))
from cardgym.engine.cache import digest_of
from cardgym.engine.kernel import kernel_of
step = kernel_of(cardgym.find("KuhnPoker-v0"), "full").step
print(digest_of(step), step.__name__)
"""


@pytest.fixture
def copied(tmp_path):
    """A copy of the package that a test may edit."""
    shutil.copytree(PACKAGE, tmp_path / "src" / "cardgym", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "src"


def run(program: str, source: Path, **environment: str) -> subprocess.Popen[str]:
    variables = {**os.environ, "PYTHONPATH": str(source), **environment}
    return subprocess.Popen([sys.executable, "-c", program], env=variables, stdout=subprocess.PIPE, text=True)


def digests(source: Path, hash_seed: str) -> dict[str, str]:
    process = run(DIGESTS, source, PYTHONHASHSEED=hash_seed)
    output, _ = process.communicate()
    assert process.returncode == 0
    found: dict[str, str] = json.loads(output)
    return found


def edit(path: Path) -> None:
    assert path.exists()
    text = re.sub(r"\n    return .*\n", "\n    edited = 1\\g<0>", path.read_text(), count=1)
    path.write_text(f"{text}\nEDITED = True\n")


def test_editing_a_rule_recompiles_that_game_only_and_editing_commands_or_papers_recompiles_nothing(copied):
    package = copied / "cardgym"
    games = sorted(path.name for path in (package / "games").iterdir() if (path / "rules.py").exists())
    before = digests(copied, "1")
    papers = list((package / "papers").rglob("*.py"))
    assert papers
    for path in (package / "cli" / "play.py", package / "learn" / "config.py", *papers):
        edit(path)
    edited, ids = games[-1], cardgym.packages()
    edit(package / "games" / edited / "rules.py")
    own = tuple(game_id for one in ids if one.name == edited for game_id in one.ids)
    after = digests(copied, "2")  # Another order of sets changes none.
    changed = {name for name in before if after[name] != before[name]}
    assert changed == {name for name in before if name.startswith(own)}


def test_editing_one_observation_keeps_the_kernels_of_the_others():
    """Each kernel depends on its own observation, and on no code of commands, learners or envs."""
    for name in cardgym.registered():
        game = cardgym.find(name)
        writes = {obs: plain_function(observation.write) for obs, observation in game.observations.items()}
        for observation, write in writes.items():
            reached = Reach(kernel_of(game, observation).step).functions
            assert {obs for obs, other in writes.items() if other in reached} == {
                obs for obs, other in writes.items() if other in Reach(write).functions
            }, f"{name}, {observation}"
            modules = {function.__module__ for function in reached}
            assert not any(module.startswith(("cardgym.cli", "cardgym.learn", "cardgym.envs")) for module in modules)


@pytest.mark.slow
@pytest.mark.skipif(not known_internals(), reason="public Numba lets every process compile")
def test_processes_that_start_cold_compile_once(tmp_path):
    processes = [run(SAMPLE, PACKAGE.parent, CARDGYM_CACHE_DIR=str(tmp_path)) for _ in range(4)]
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 4
    assert sum(map(int, outputs)) == 2


@template
def _twice(number):
    return bound.factor * number


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_compilation_isannounced_only_while_code_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CARDGYM_CACHE_DIR", str(tmp_path))
    cache_folder.cache_clear()

    def use() -> str:
        twice = bind(_twice, "test", factor=2)
        name_entry_point("a test's game", twice)
        assert twice(21) == 42
        return str(capsys.readouterr().err)

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(FunctionCache, "save_overload", interrupt)
        with pytest.raises(KeyboardInterrupt):
            use()
    assert "compiling a test's game" in capsys.readouterr().err
    assert use().startswith("cardgym: compiling a test's game")  # What was interrupted is not done.
    assert use() == ""
    cache_folder.cache_clear()


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_the_first_step_of_an_env_compiles_its_step_kernel_and_nothing_else(tmp_path):
    process = run(FIRST_STEP, PACKAGE.parent, CARDGYM_CACHE_DIR=str(tmp_path))
    output, _ = process.communicate()
    assert process.returncode == 0
    digest, name = output.split()
    [code] = [path for path in tmp_path.rglob("*.nbc") if not path.name.startswith("internals.")]  # Of the self-test.
    assert digest in code.parts
    assert code.name.startswith(f"kernel.{name}_{digest}-")  # One signature, too.


@pytest.mark.skipif(not known_internals(), reason="public Numba keeps code for one checkout")
def test_a_second_checkout_uses_the_code_of_the_first(copied, tmp_path):
    cache_dir = str(tmp_path / "cache")
    for source, expected in ((PACKAGE.parent, 2), (copied, 0)):
        output, _ = run(SAMPLE, source, CARDGYM_CACHE_DIR=cache_dir).communicate()
        assert int(output) == expected


# -- digests and reach ------------------------------------------------------------------------------------------------


@rule
def make_array(size):
    return np.zeros(size)


@rule
def last_of_new(size):
    return make_array(size)[-1]


@rule
def rest_of(values):
    return values[1:]


@rule
def count_in_list(values):
    return len([value for value in values if value > 1])


@rule
def length_of_text(number):
    return len(f"{number} cards")


@rule
def sum_of_chosen(values):
    return values[values > 1].sum()


@rule
def to_int(value):
    return np.int64(value) + np.int64(1)


@template
def _double(value):
    return bound.inner(value) * bound.FACTOR


def test_digest_distinguishes_copies_of_a_template():
    two, three = (bind(_double, f"times_{n}", FACTOR=n, inner=to_int) for n in (2, 3))
    assert digest_of(two) != digest_of(three)
    assert (two(1), three(1)) == (4, 6)


@compiled
def _use_memory(values):
    """Makes memory itself, and gets it from rules that make it, share it, or use it inside."""
    new = np.ones(3)
    kept = rest_of(values)
    total = kept.sum() + rest_of(new).sum() + make_array(2).sum() + last_of_new(4)
    return total + count_in_list(values) + length_of_text(12) + sum_of_chosen(values)


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_memory_is_freed_once():
    runtime = importlib.import_module("numba.core.runtime")
    runtime._nrt_python.memsys_enable_stats()
    values = np.arange(5.0)
    _use_memory(values)  # Compiling leaves references behind until they are collected.
    gc.collect()
    for _ in range(3):
        before, references = runtime.rtsys.get_allocation_stats(), sys.getrefcount(values)
        assert _use_memory(values) == 10 + 2 + 0 + 0 + 3 + 8 + 9
        after = runtime.rtsys.get_allocation_stats()
        assert after.alloc - before.alloc == after.free - before.free > 0
        assert sys.getrefcount(values) == references


@rule
def _shift(values, start):
    values[start:] = values[:-1]


@compiled
def _shift_all(values, start):
    _shift(values, start)


@pytest.mark.skipif(JIT_DISABLED or not known_internals(), reason="needs Numba's private parts")
def test_numba_times_llvm_but_for_our_own_compiling():
    import llvmlite.binding as llvm
    from numba.core import event

    with event.install_recorder("numba:llvm_lock") as ours:
        compiled(lambda values: values + 1)(np.arange(4))
    with event.install_recorder("numba:llvm_lock") as after:
        llvm.get_process_triple()
    assert not ours.buffer
    assert after.buffer


def test_slices_that_overlap_are_assigned_and_those_of_other_sizes_refused():
    values = np.arange(4)
    _shift_all(values, 1)
    assert values.tolist() == [0, 0, 1, 2]
    with pytest.raises(ValueError, match=r"cannot assign slice|could not broadcast"):
        _shift_all(values, 2)


def test_a_template_cannot_be_called_without_its_names():
    with pytest.raises(NotImplementedError, match=r"bound\.inner"):
        _double(1)
    with pytest.raises(NotImplementedError, match="not a template"):
        bind(test_memory_is_freed_once, "x")


@rule
def misspelt(states):
    return states[0].hands


no_such_name: int


@rule
def unknown(states):
    return states[0].hand + no_such_name  # noqa: F821


@pytest.mark.skipif(not known_internals(), reason="Numba's own words")
@pytest.mark.parametrize(
    ("wrong", "cause"),
    [(misspelt, "the state has no field 'hands'"), (unknown, "NameError: name 'no_such_name' is not defined")],
)
def test_what_cannot_be_compiled_is_named_in_one_line_with_its_place(wrong, cause):
    entry_point = bind(template(lambda states: bound.wrong(states)), "wrong", wrong=wrong)
    with pytest.raises(cardgym.CardgymError) as caught:
        entry_point(np.zeros(1, [("hand", np.int64)]).view(np.recarray))
    assert re.fullmatch(rf"rules cannot be compiled: {cause} \(test_compilation\.py, line \d+\)", str(caught.value))
