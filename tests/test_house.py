"""The architecture as tests: the package is whole, a game is one folder, and deleting it breaks nothing."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import cardgym

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "cardgym"
OWN = [package for package in cardgym.packages() if (SOURCE / "games" / package.name).is_dir()]
FOLDERS = (
    "src/cardgym/games",
    "src/cardgym/papers",
    "tests/games",
    "tests/papers",
    "configs",
    "checkpoints",
    "docs/games",
)
"""Folders that may have a subfolder for a game: everything of a game is in them."""
SHORT_NAMES = ("spike", "sabacc")
"""What people call a game besides its name and ids."""


def run(words: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHONPATH": str(folder / "src"), **environment}
    return subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True)


# -- the package ------------------------------------------------------------------------------------------------------


def test_nothing_runs_a_script_or_changes_the_search_path():
    pattern = re.compile(r"\brunpy\b|\bsys\.path\b")
    # These hand this process's search path to other processes; the last one runs a user's program beside its modules.
    others = {SOURCE / "scaling" / "on_ray.py", SOURCE / "testing" / "kernel_checks.py"}
    others |= {SOURCE / "players" / "programs.py"}
    places = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sorted({*SOURCE.rglob("*.py"), *ROOT.glob("train/*.py")} - others)
        for line in path.read_text().splitlines()
        if pattern.search(line)
    ]
    assert not places, "\n".join(places)


def test_training_scripts_are_a_docstring_and_a_call():
    scripts = sorted(ROOT.glob("train/*.py"))
    assert len(scripts) >= 7
    assert {path.name: size for path in scripts if (size := len(path.read_text().splitlines())) > 15} == {}


def test_packages_only_hand_names_on():
    handed = (ast.Import, ast.ImportFrom, ast.Assign, ast.Expr)
    defined = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in SOURCE.rglob("__init__.py")
        for node in ast.parse(path.read_text()).body
        if not isinstance(node, handed)
    ]
    assert not defined


def test_modules_fit_a_head():
    modules = [path for folder in (SOURCE, ROOT / "tests") for kind in ("*.py", "*.js") for path in folder.rglob(kind)]
    assert [str(path) for path in modules if len(path.read_text().splitlines()) > 400] == []


def test_few_references_are_strings():
    found = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in sorted(SOURCE.rglob("*.py"))
        for word in re.findall(r"[\"'](cardgym(?:\.\w+)+:?\w*)[\"']", path.read_text())
        if word.replace(".", "/") not in path.as_posix()  # Its own name, in a message.
    ]
    assert len(found) <= 12, "\n".join(found)


# -- games ------------------------------------------------------------------------------------------------------------


def test_every_folder_of_a_game_is_a_registered_package():
    folders = {path.name for path in (SOURCE / "games").iterdir() if (path / "__init__.py").exists()}
    assert folders == {package.name for package in OWN}


def test_nothing_outside_games_names_a_game():
    names = set(SHORT_NAMES)
    for package in OWN:
        names |= {package.name, package.name.replace("_", " "), package.name.replace("_", "-")}
        names |= {re.sub(r"-v\d+$", "", game_id) for game_id in package.ids}
    pattern = re.compile(rf"\b({'|'.join(sorted(names))})", re.IGNORECASE)
    places = []
    for path in sorted(SOURCE.rglob("*.py")):
        if not {SOURCE / "games", SOURCE / "papers"} & set(path.parents):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if match := pattern.search(line):
                    places.append(f"{path.relative_to(ROOT)}:{number}: {match[0]}")
    assert not places, "\n".join(places)


SLOW = {"PIL", "matplotlib", "numba", "pydantic", "resvg_py", "rich", "scipy", "torch"}
IMPORTS = {
    "import cardgym": SLOW,
    "from cardgym.cli import main; main(['games']); main(['games', 'CorellianSpike-v0']); main(['--help'])": SLOW,
    "import cardgym; print([cardgym.find(name) for name in cardgym.registered()])": {"torch"},
    "from cardgym.cli import main; main(['train', 'tabular', '--help'])": {"torch"},
    "from cardgym.cli import main; main(['exploit', 'KuhnPoker-v0', '--player', 'honest'])": {
        "torch",
        "pydantic",
        "matplotlib",
    },
}
"""Programs, and the packages that take their time to import, of which each imports none."""


@pytest.mark.parametrize("program", IMPORTS)
def test_what_needs_no_slow_package_imports_none(program):
    code = f"import sys; {program}; print('loaded', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.rpartition("loaded ")[2].split())
    assert not loaded & IMPORTS[program]
    if program == "import cardgym":
        assert not {name for name in loaded if re.fullmatch(r"cardgym\.games\.\w+\.\w+", name)}


def test_gymnasium_make_and_a_step_import_little():
    program = (
        "import sys, gymnasium, cardgym\n"
        "env = gymnasium.make('CorellianSpike-v0')\n"
        "_, info = env.reset(seed=1)\n"
        "env.step(int(info['action_mask'].argmax()))\n"
        "print(*sys.modules)"
    )
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        loaded = set(done.stdout.split())
        if "cardgym.console.progress" not in loaded:  # Otherwise it compiled, and imported what shows its progress.
            break
    heavy = {"PIL", "matplotlib", "pettingzoo", "pydantic", "resvg_py", "rich", "safetensors", "torch"}
    assert not heavy & loaded
    own = {name for name in loaded if name.partition(".")[0] == "cardgym"}
    assert len({name for name in own if not name.startswith("cardgym.games")}) <= 33, sorted(own)
    assert len(own) <= 48, sorted(own)


def test_a_broken_plugin_is_reported_and_the_other_games_still_work(tmp_path):
    write_metadata(tmp_path, "broken", {"Broken-v0": "no_such_module:PACKAGE"})
    program = "import cardgym; print(*cardgym.registered())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "skipped game 'Broken-v0': ModuleNotFoundError" in done.stderr
    assert done.stderr.count("\n") == 1
    assert set(OWN[0].ids) <= set(done.stdout.split())


def test_games_are_listed_in_one_order_whichever_was_used_first():
    listed = set()
    for game_id in ("CorellianSpike-v0", "OnePlayPoker-v0"):
        program = f"import cardgym; cardgym.find({game_id!r}); print(cardgym.registered())"
        listed.add(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
    assert len(listed) == 1


# -- deleting a game --------------------------------------------------------------------------------------------------


def write_metadata(folder: Path, name: str, entries: dict[str, str]) -> None:
    """What an installer writes for a distribution that registers games."""
    metadata = folder / f"{name}-0.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.0\n")
    lines = [f"{entry} = {value}" for entry, value in entries.items()]
    (metadata / "entry_points.txt").write_text("\n".join(["[cardgym.games]", *lines]) + "\n")


def copy_without(name: str, folder: Path) -> None:
    """A copy of the project with one game deleted: its folders, and its ids among the entry points."""
    ignored = shutil.ignore_patterns(".?*", "__pycache__", "runs", "dist")
    shutil.copytree(ROOT, folder, ignore=ignored, dirs_exist_ok=True)
    for place in FOLDERS:
        shutil.rmtree(folder / place / name, ignore_errors=True)
    project = folder / "pyproject.toml"
    lines = project.read_text().splitlines(keepends=True)
    kept = [line for line in lines if f'= "cardgym.games.{name}:' not in line]
    assert len(kept) < len(lines)
    project.write_text("".join(kept))
    entries = tomllib.loads(project.read_text())["project"]["entry-points"]["cardgym.games"]
    write_metadata(folder / "src", "cardgym", entries)


SMOKE = """
import gymnasium, cardgym, numpy as np
for name in cardgym.registered():
    env = gymnasium.make(name)
    _, info = env.reset(seed=1)
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
print(*cardgym.registered())
"""


@pytest.mark.parametrize(
    "package",
    [OWN[0], *(pytest.param(package, marks=pytest.mark.slow) for package in OWN[1:])],
    ids=lambda package: package.name,
)
def test_a_game_is_deleted_with_its_folders_and_its_ids(package, tmp_path):
    copy_without(package.name, tmp_path)
    smoke = run([sys.executable, "-c", SMOKE], tmp_path, NUMBA_DISABLE_JIT="1")
    assert smoke.returncode == 0, smoke.stderr
    others = [other for other in cardgym.packages() if other.name != package.name]
    assert smoke.stdout.split() == [game_id for other in others for game_id in other.ids]
    listed = run([sys.executable, "-m", "cardgym", "games"], tmp_path)
    assert listed.returncode == 0, listed.stderr
    assert not any(game_id in listed.stdout for game_id in package.ids)


@pytest.mark.slow
def test_the_other_games_tests_are_collected_after_a_game_is_deleted(tmp_path):
    copy_without(OWN[0].name, tmp_path)
    words = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    collected = run(words, tmp_path)
    assert collected.returncode == 0, collected.stdout[-2000:]
