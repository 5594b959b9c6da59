"""The rules that are played are those that were written, however they were edited, and wherever they come from."""

import copy
import dataclasses
import functools
import importlib
import pickle
import subprocess
import sys
import time
import types
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardgym
from cardgym.engine import registry
from cardgym.engine.compilation import compiled
from cardgym.engine.digest import Reach, digest_of_program, keeps_results
from cardgym.engine.jit import JIT_DISABLED
from cardgym.engine.rules import rule

HELPER = """
BONUS = 3

def bonus(number):
    return BONUS * number
"""

RULES = '''
import enum, functools
from typing import NamedTuple
import numpy as np
import edited_helper
from edited_helper import bonus
from cardgym.engine.rules import rule

FACTOR = 2
TABLE = np.arange(6, dtype=np.int64)
STATE = np.dtype([("hand", np.int64)])
WEIGHTS = (0.0, 1.5)

class Suit(enum.IntEnum):
    CLUBS = 0
    HEARTS = 1

class Sizes(NamedTuple):
    hand: int = 5

class Limits:
    RAISES = 4

SIZES = Sizes()

def decorated(function):
    @functools.wraps(function)
    def inner(number):
        return function(number) + 1
    return inner

def make(step):
    return rule(lambda number: number + step)

add = make(7)
steps = (add, rule(lambda number: number - 1))
by_name = {"double": rule(lambda number: 2 * number)}

@rule
def even(number):
    return True if number == 0 else odd(number - 1)

@rule
def odd(number):
    return False if number == 0 else even(number - 1)

@rule
@decorated
def score(number, extra=1):
    """Score a hand."""
    return FACTOR * number + extra

@rule
def play(number):
    """Play a hand."""
    total = score(number) + bonus(number) + edited_helper.BONUS + TABLE[number] + WEIGHTS[1]
    total += Suit.HEARTS + SIZES.hand + Limits.RAISES + np.zeros(1, STATE)[0].hand
    total += sum([steps[0](one) for one in range(3)]) + by_name["double"](number)
    return total if even(number) else -total
'''

EDITS = {
    "constant": ("FACTOR = 2", "FACTOR = 3"),
    "constant's type": ("FACTOR = 2", "FACTOR = 2.0"),
    "zero's sign": ("(0.0, 1.5)", "(-0.0, 1.5)"),
    "helper in another module": ("return BONUS * number", "return BONUS + number"),
    "constant of another module": ("BONUS = 3", "BONUS = 4"),
    "table": ("np.arange(6, dtype=np.int64)", "np.arange(6, dtype=np.int64) ** 2"),
    "table's dtype": ("np.arange(6, dtype=np.int64)", "np.arange(6, dtype=np.int32)"),
    "default": ("extra=1", "extra=2"),
    "decorator": ("function(number) + 1", "function(number) + 2"),
    "decorator removed": ("@rule\n@decorated", "@rule"),
    "dtype of the state": ('"hand", np.int64', '"hand", np.int32'),
    "field of the state": ('[("hand", np.int64)]', '[("hand", np.int64), ("pile", np.int64)]'),
    "closure": ("make(7)", "make(8)"),
    "function in a tuple": ("number - 1)", "number - 2)"),
    "function in a dict": ("2 * number)", "3 * number)"),
    "recursion": ("False if number == 0", "False if number == 1"),
    "enum": ("HEARTS = 1", "HEARTS = 2"),
    "named tuple": ("hand: int = 5", "hand: int = 6"),
    "attribute of a class": ("RAISES = 4", "RAISES = 5"),
    "function inside": ("range(3)", "range(4)"),
    "built-in name": ("FACTOR = 2", "FACTOR = 2\nsum = max"),
}
NO_EDITS = {
    "docstring": ("Play a hand.", "Play one hand."),
    "docstring removed": ('    """Play a hand."""\n', ""),
    "comment": ("@rule\ndef play", "# A comment.\n\n\n@rule\ndef play"),
    "comment inside": ("    total +=", "    # A comment.\n    total +="),
    "other code": ("FACTOR = 2", "FACTOR = 2\nOTHER = 5\ndef unused(): return OTHER"),
    "annotation": ("def play(number):", "def play(number: int) -> float:"),
}


def digest(monkeypatch: pytest.MonkeyPatch, before: str = "", after: str = "", name: str = "edited") -> str:
    """The digest of `play` with an edit, as run from a file that does not exist."""
    assert before in RULES + HELPER
    helper, rules = types.ModuleType("edited_helper"), types.ModuleType(name)
    monkeypatch.setitem(sys.modules, "edited_helper", helper)
    for module, source in ((helper, HELPER), (rules, RULES)):
        exec(compile(source.replace(before, after) if before else source, f"<{name}>", "exec"), vars(module))
    return Reach(rules.play).digest


@pytest.mark.parametrize("edit", EDITS)
def test_edit_that_changes_what_is_played_changes_the_digest(edit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert digest(monkeypatch, *EDITS[edit]) != digest(monkeypatch)


@pytest.mark.parametrize("edit", NO_EDITS)
def test_edit_that_changes_no_result_keeps_the_digest(edit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert digest(monkeypatch, *NO_EDITS[edit]) == digest(monkeypatch) == digest(monkeypatch, name="<stdin>")


PLAYER = {
    "edited_player": "def make(options):\n    from edited_search import Search as Best\n\n    return Best()\n",
    "edited_search": "import importlib\nfrom edited_parts import tables\n\n\nclass Search:\n    act = tables.VALUE\n\n"
    "    def load(self):\n        return importlib.import_module('edited_lazily')\n",
    "edited_lazily": "THREE = 3\n",
    "edited_parts/__init__": "",
    "edited_parts/tables": "from . import numbers\n\nVALUE = numbers.ONE\n",
    "edited_parts/numbers": "ONE = 1\n",
    "edited_unused": "TWO = 2\n",
}
"""A player in plain Python, by file."""


@pytest.mark.parametrize(
    ("file", "before", "after", "changes"),
    [
        ("edited_player", "Best()", "Best", True),
        ("edited_search", "act =", "do =", True),
        ("edited_parts/__init__", "", "import json", True),
        ("edited_parts/tables", "ONE", "TWO", True),
        ("edited_parts/numbers", "1", "2", True),
        ("edited_parts/numbers", "1", "1  # The first.", False),
        ("edited_lazily", "3", "4", True),
        ("edited_unused", "2", "3", False),
    ],
)
def test_digest_of_a_player_covers_what_it_imports_inside(
    file: str, before: str, after: str, changes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Modules that are imported when it plays, and what they import; none is imported for the digest."""
    (tmp_path / "edited_parts").mkdir()
    for name, source in PLAYER.items():
        (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    namespace: dict[str, Any] = {"__name__": "edited_player"}
    exec(PLAYER["edited_player"], namespace)
    first = digest_of_program("edited_player")
    (tmp_path / f"{file}.py").write_text(PLAYER[file].replace(before, after))
    assert (digest_of_program("edited_player") != first) is changes
    assert not [name for name in sys.modules if name.startswith("edited_") and name != "edited_helper"]


# -- in one process ---------------------------------------------------------------------------------------------------

VALUES: Any = importlib.import_module("numpy").zeros(2)


def halve(number: int) -> Any:
    return number / 2 + VALUES[0]


@rule
def helper(number: int) -> Any:
    return halve_rule(number)


halve_rule = rule(halve)


@compiled
def entry(number: int) -> Any:
    return helper(number) + 1


@compiled
def other_entry(number: int) -> Any:
    return helper(number) + 2


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_code_compiled_after_an_edit_contains_no_older_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """`helper` was compiled with what it called before; the new code of its callers must not contain that."""
    assert (entry(4), helper(4)) == (3.0, 2.0)
    result = keeps_results(functools.cache(lambda: entry(4)))
    assert result() == 3.0
    monkeypatch.setattr(sys.modules[__name__], "halve_rule", rule(lambda number: number * 10.0))
    assert other_entry(4) == 42.0
    assert (entry(4), helper(4), result()) == (41.0, 40.0, 41.0)  # All code is compiled anew, not only the new.
    monkeypatch.undo()
    VALUES[0] = 100  # In place.
    try:
        Reach(entry)
        assert compiled(other_entry.py_func)(4) == 104.0  # type: ignore[attr-defined]
    finally:
        VALUES[0] = 0


CACHED = {
    "cached_part": "import numba\n\n@numba.njit\ndef part(n):\n    return n + BONUS\n",
    "cached_helper": """
import numba, cached_part

@numba.njit(cache=True)
def total(n):
    return cached_part.part(n)
""",
    "cached_rules": """
import cached_helper
from cardgym.engine.compilation import compiled

print(cached_helper.total(0))

@compiled
def play(n):
    return cached_helper.total(n)

print(play(0))
""",
}


@pytest.mark.skipif(JIT_DISABLED, reason="nothing is compiled")
def test_users_own_cached_function_is_not_stale(tmp_path: Path) -> None:
    """What Numba keeps of it on disk is not loaded: it does not see edits of functions that it calls elsewhere."""
    first, printed = time.time_ns() % 10**9, []  # Of no earlier test, whose code would be on disk.
    for bonus in (first, first + 1):
        for name, source in CACHED.items():
            if not (file := tmp_path / f"{name}.py").exists() or "BONUS" in source:
                file.write_text(source.replace("BONUS", str(bonus)))
        command = [sys.executable, "-B", "-m", "cached_rules"]  # Without byte code, which misses edits within a second.
        printed.append(subprocess.run(command, cwd=tmp_path, check=True, text=True, capture_output=True).stdout.split())
    assert printed == [[str(first), str(first)], [str(first), str(first + 1)]]  # Numba's own call is stale.


# -- the registry -----------------------------------------------------------------------------------------------------


def test_game_registered_under_an_installed_id_is_the_one_that_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking up its package or a sister game does not replace it; another process does not play the installed one."""
    for name in ("_IDS", "_GAMES", "_MODULES"):
        monkeypatch.setattr(registry, name, {**getattr(registry, name)})
    own = dataclasses.replace(cardgym.find("KuhnPoker-v0"))
    notebook = {"__name__": "__main__", "register": cardgym.register, "game": own}
    exec("register(game)", notebook)
    package = registry.GamePackage("kuhn_poker", ("KuhnPoker-v0", "KuhnSister-v0"), lambda: ())
    monkeypatch.setitem(sys.modules, "sisters", types.SimpleNamespace(PACKAGE=package))
    registry._IDS["KuhnSister-v0"] = EntryPoint("KuhnSister-v0", "sisters:PACKAGE", registry.GROUP)
    assert package in registry.packages()
    assert registry.package_of(own) is None
    pickled, name = pickle.dumps(own), registry.importable_name("KuhnPoker-v0")
    assert cardgym.find("KuhnPoker-v0") is pickle.loads(pickled) is own
    notebook["game"] = dataclasses.replace(own, state=np.dtype([*own.state.descr, ("more", np.int64)]))
    exec("register(game)", notebook)
    assert copy.deepcopy(own) is own  # The states of an env that is copied have its layout.
    with pytest.raises(cardgym.CardgymError, match="have changed since it was pickled"):
        pickle.loads(pickled)
    monkeypatch.undo()  # As in another process.
    for find in (lambda: pickle.loads(pickled), lambda: cardgym.find(name)):
        with pytest.raises(cardgym.CardgymError, match="does not see a notebook"):
            find()


def test_observation_has_the_size_of_its_features_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    game, names = cardgym.find("KuhnPoker-v0"), sys.modules["kuhn_poker"]
    seen, options = game.observations["full"], game.parse_options()
    row = seen.features(options)[0]
    monkeypatch.setattr(names, "Feature", lambda name, meaning, size=1, scale=1.0: row)
    assert cardgym.find(game).observations["full"].size(options) == 4 * row.size
    monkeypatch.undo()
    assert cardgym.find(game).observations["full"].size(options) == 7


@pytest.mark.parametrize(
    ("name", "newer"),
    [
        ("apply_action", rule(lambda state, move: None)),
        ("observe", rule(lambda state, seat, out: None)),
        ("features", lambda options: ()),
    ],
)
def test_game_with_older_functions_than_its_module_warns(
    name: str, newer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = cardgym.find("KuhnPoker-v0")
    monkeypatch.setattr(sys.modules["kuhn_poker"], name, newer)
    with pytest.warns(UserWarning, match=rf"plays an older {name}\(\)"):
        cardgym.find(game)


# -- notebooks --------------------------------------------------------------------------------------------------------

KUHN = Path(__file__).parents[2] / "examples" / "kuhn_poker.py"
STAKES = "1 + min(state.bets[0], state.bets[1])"
LARGEST = """
import gymnasium
env, largest = gymnasium.make("KuhnPoker-v0", opponent="random"), 0
for seed in range(8):
    env.reset(seed=seed)
    over = False
    while not over:
        _, reward, over, _, _ = env.step(1)
    largest = max(largest, abs(reward))
print("largest", largest)
"""


def test_jupyter_kernel_plays_the_cell_as_it_was_last_run() -> None:
    pytest.importorskip("ipykernel", reason="needs ipykernel")
    start = pytest.importorskip("jupyter_client.manager", reason="needs jupyter_client").start_new_kernel
    source = KUHN.read_text(encoding="utf-8")
    edited = source.replace(STAKES, f"4 * ({STAKES})")
    assert edited != source
    manager, client = start(kernel_name="python3", startup_timeout=120)
    try:
        for cell, stakes in ((source, 2.0), (edited, 8.0), (source, 2.0)):
            printed = ran(client, f"{cell}\n{LARGEST}")
            assert f"largest {stakes}" in printed, printed
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def ran(client: Any, cell: str) -> str:
    """Run a cell; what it printed, or its error."""
    printed: list[str] = []

    def collect(message: Any) -> None:
        content = message["content"]
        printed.append(content.get("text", "") + "\n".join(content.get("traceback", [])))

    client.execute_interactive(cell, timeout=300, output_hook=collect)
    return "".join(printed)


@pytest.mark.slow
@pytest.mark.parametrize("source", ["stdin", "zip", "saved before its first use", "reloaded"])
def test_rules_of_any_source_are_those_that_were_written(source: str, tmp_path: Path) -> None:
    first = KUHN.read_text(encoding="utf-8")
    edited = first.replace(STAKES, f"4 * ({STAKES})")
    path = tmp_path / "own_kuhn.py"
    path.write_text(first, encoding="utf-8")
    (tmp_path / "edited.txt").write_text(edited, encoding="utf-8")
    save = (
        "import own_kuhn, pathlib, importlib, os\npathlib.Path('own_kuhn.py').write_text(open('edited.txt').read())\n"
    )
    play: Callable[[str, bool], str] = lambda program, reads: subprocess.run(  # noqa: E731
        [sys.executable, "-"] if reads else [sys.executable, "-c", program],
        input=program if reads else None, cwd=tmp_path, check=True, text=True, capture_output=True,
    ).stdout  # fmt: skip
    if source == "stdin":
        assert [play(text + LARGEST, True) for text in (first, edited)] == ["largest 2.0\n", "largest 8.0\n"]
    elif source == "zip":
        program = "import sys, zipfile\nwith zipfile.ZipFile('k.zip', 'w') as z: z.write('own_kuhn.py')\n"
        path_first = "sys.path.insert(0, 'k.zip'); os.remove('own_kuhn.py'); import own_kuhn\n"
        assert play(f"{program}import os\n{path_first}{LARGEST}", False) == "largest 2.0\n"
    elif source == "reloaded":
        again = "os.utime('own_kuhn.py', (1, 1))\nimportlib.reload(own_kuhn)\n"
        printed = play(f"import own_kuhn\n{LARGEST}\n{save}{again}{LARGEST}", False)
        assert printed == "largest 2.0\nlargest 8.0\n"
    else:
        assert play(f"{save}{LARGEST}", False) == "largest 2.0\n"
        assert play(f"import own_kuhn\n{LARGEST}", False) == "largest 8.0\n"
