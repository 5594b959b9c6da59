"""The docs are true: their Python runs, generated pages are current, and everything public has a page."""

import ast
import importlib
import inspect
import json
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType

import gymnasium as gym
import pytest
from doc_commands import PAGES as READ

import cardgym
import cardgym.arena
import pages
from cardgym import cli
from cardgym.engine.registry import packages
from shortened import shorten

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SOURCE = ROOT / "src" / "cardgym"
TUTORIALS = DOCS / "tutorials"
_LINK = re.compile(r"\]\(([^()\s]+)\)|(?:src|srcset)=\"([^\"]+)\"")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.fixture(autouse=True)
def _modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))


def script(name: str) -> ModuleType:
    """A script in docs/ as a module."""
    return importlib.import_module(name)


# -- Python on pages --------------------------------------------------------------------------------------------------


def test_readme_loop_prints_the_documented_output(capsys):
    pages.run("README.md")
    said = re.findall(r"# (\d+ steps, return .*)", pages.blocks("README.md")[0])
    assert capsys.readouterr().out.splitlines() == said


def test_readme_has_the_sizes_of_every_game():
    rows = re.findall(r"^\| \[`(.+?)`\].* \| (\d+) \| (\d+) \|", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)
    assert len(rows) == 5
    for name, size, actions in rows:
        env = gym.make(name)
        assert (env.observation_space.shape, gym.spaces.flatdim(env.action_space)) == ((int(size),), int(actions)), name


PYTHON = {
    "docs/start.md": {},
    "docs/cli.md": {},
    "docs/algorithms/ppo.md": {},
    "docs/algorithms/cfr.md": {"run(1000)": "run(10)", "run(100)": "run(1)", "100_000": "100"},
    "docs/bots.md": {},
    "docs/coach.md": {},
    "docs/offline.md": {
        '"CorellianSpike-v0"': '"KuhnPoker-v0"',
        "10_000": "20",
        '("random", "initial")': '("honest",)',
    },
    "docs/index.md": {},
    "docs/play.md": {},
    "docs/tensorboard.md": {},
    "examples/kuhn_poker/README.md": {},
    "examples/leduc_poker/README.md": {"1000": "10"},
}
"""The pages whose Python is run below, with words changed to make it quick."""
ELSEWHERE = {"README.md", "docs/adding_a_game.md", "docs/trackers.md", "docs/tutorials/own_algorithm.md"} | {
    card.relative_to(ROOT).as_posix() for card in ROOT.glob("checkpoints/*/*.md")
}
"""Pages whose Python other tests run. tests/interop runs that of docs/interop."""


SLOW = {"docs/algorithms/cfr.md", "docs/tensorboard.md"}


@pytest.mark.parametrize("page", [pytest.param(page, marks=[pytest.mark.slow] * (page in SLOW)) for page in PYTHON])
def test_python_on_pages_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CARDGYM_DATA_DIR", str(tmp_path))
    if page == "docs/tensorboard.md":  # It reads a run back.
        shorten(monkeypatch)
        words = ["train", "dqn", "--config", "corellian_spike/double_dqn", "--out", "runs/first"]
        assert cli.main([*words, "--learning-starts", "500", "--log-every", "500", "--eval-every", "1000"]) == 0
    if page == "docs/offline.md":
        words = ["record", "KuhnPoker-v0", "--players", "honest", "random", "--games", "200", "--out", "spike.npz"]
        assert cli.main(words) == 0
    assert pages.run(page, PYTHON[page])


def test_python_on_every_page_is_tested():
    read = {page.relative_to(ROOT).as_posix() for page in READ if page.parent.name != "interop"}
    assert {page for page in read if pages.blocks(page)} == PYTHON.keys() | ELSEWHERE


def test_the_notebook_is_the_first_loop():
    notebook = script("notebook")
    text = notebook.PAGE.read_text(encoding="utf-8")
    assert notebook.NOTEBOOK.read_text(encoding="utf-8") == notebook.notebook(text), "run `python docs/notebook.py`"
    shown = [block.strip("\n") for block in pages.blocks(notebook.PAGE.relative_to(ROOT).as_posix())]
    code = [cell for cell in json.loads(notebook.notebook(text))["cells"] if cell["cell_type"] == "code"]
    assert ["".join(cell["source"]) for cell in code] == shown


def test_the_page_of_the_own_algorithm_shows_its_script():
    code = " ".join((TUTORIALS / "a2c.py").read_text(encoding="utf-8").split())
    blocks = pages.blocks("docs/tutorials/own_algorithm.md")
    assert len(blocks) == 5
    for block in blocks:
        assert " ".join(block.split()) in code


@pytest.mark.parametrize("game_id", ["KuhnPoker-v0", pytest.param("OnePlayPoker-v0", marks=pytest.mark.slow)])
def test_the_own_algorithm_trains_resumes_and_plays(game_id, tmp_path, monkeypatch, capsys):
    shorten(monkeypatch)
    words = ["a2c.py", "--env-id", game_id, "--out", str(tmp_path / "run")]
    for more in ([], ["--resume", "--total-steps", "6000"]):
        monkeypatch.setattr(sys, "argv", [*words, *more])
        with pytest.raises(SystemExit) as stop:
            runpy.run_path(str(TUTORIALS / "a2c.py"), run_name="__main__")
        assert stop.value.code == 0, capsys.readouterr().err
    results = json.loads((tmp_path / "run" / "results.json").read_text())["results"]
    assert all("win_rate" in metrics for metrics in results.values())
    report = cardgym.arena.evaluate(
        game_id, None, [tmp_path / "run" / "model.safetensors", *["random"] * (len(results) > 0 and "Kuhn" in game_id)],
        games=20, seed=1,
    )  # fmt: skip
    assert report.games == 20


# -- pages generated from code -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", sorted(path.name for path in (DOCS / "games").iterdir() if path.is_dir()))
def test_a_folder_of_games_has_its_pages_and_its_reference_is_current(folder):
    made = script("game_pages")
    games = made.families()[folder]
    path = DOCS / "games" / folder
    assert {page.name for page in path.glob("*.md")} == {"README.md", "reference.md"}
    text = (path / "reference.md").read_text(encoding="utf-8")
    assert text == made.page_of(games), f"run `python docs/game_pages.py {folder}`"
    for game in games:
        assert 0 < (path / f"{game.id}.webp").stat().st_size < 1 << 19
        assert game.id in (path / "README.md").read_text(encoding="utf-8")


def test_every_registered_game_has_a_page():
    known = {game.id for games in script("game_pages").families().values() for game in games}
    listed = (DOCS / "games" / "README.md").read_text(encoding="utf-8")
    examples = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*/README.md"))
    for package in packages():  # Games that other tests register have no package.
        for game_id in package.ids:
            assert game_id in listed
            assert game_id in known or game_id in examples


def test_a_paper_is_cited_where_its_game_comes_from_one():
    made = script("game_pages")
    assert len(made.citations(cardgym.find("Coda-v0"))) == 1
    assert "Ma, Yanlong and Zeng, Yu and Zhang, Jiahao" in made.citations(cardgym.find("Coda-v0"))[0]
    assert not made.citations(cardgym.find("KuhnPoker-v0"))


@pytest.mark.parametrize("path", sorted((ROOT / "train").glob("*.py")), ids=lambda path: path.stem)
def test_a_training_script_has_a_page(path):
    if any(isinstance(node, ast.Name) and node.id == "run_script" for node in ast.walk(ast.parse(path.read_text()))):
        assert f"train/{path.name}" in (DOCS / "algorithms" / "README.md").read_text(encoding="utf-8")


API = runpy.run_path(str(DOCS / "api.py"))
ARRAY = re.compile(r"NDArray|Float\d|Int\d|Masks|Observations|Actions|Floats|Tensor|Strategy\b")
RESULT = re.compile(r"\b(return|yield|read|make|create|build|load|find|list|get|give|draw|choose)s?\b", re.IGNORECASE)


def test_what_pages_and_examples_import_is_in_the_api():
    shown, found = API["shown"](), set()
    for file in [*READ, *(ROOT / "examples").glob("*.py"), *(DOCS / "tutorials").glob("*.py")]:
        text = file.read_text(encoding="utf-8")
        for module, names in re.findall(r"^from (cardgym[\w.]*) import (\([^)]*\)|.*)$", text, re.MULTILINE):
            for name in re.findall(r"\w+", names.partition("#")[0]):
                handed_on = module in API["PACKAGES"] and name in importlib.import_module(module).__all__
                if not handed_on and name not in (shown.get(module, []) or [name]):
                    found.add(f"{module}.{name}")
    assert found == set()


def functions(module: str):
    """The functions and methods of a module that the API shows, each with its class, if any, by their names."""
    for name in API["names_of"](module):
        value = getattr(importlib.import_module(module), name)
        if inspect.isfunction(value):
            yield f"{module}.{name}", value, None
        for member, method in vars(value).items() if inspect.isclass(value) else ():
            method = inspect.unwrap(getattr(method, "__func__", method))
            inherited = any(member in vars(base) for base in value.__mro__[1:-1]) and member != "__init__"
            fields = getattr(
                value, "__dataclass_fields__", ["__init__"] if getattr(value, "_is_protocol", False) else None
            )
            public = not member.startswith("_") or (member == "__init__" and fields is None)
            if inspect.isfunction(method) and public and not inherited and member not in (fields or ()):
                yield f"{module}.{name}.{member}", method, value


def lacks(function, owner) -> list[str]:
    """What the docstring of a function leaves out, with the docstring of its class if it is `__init__`."""
    text = f"{inspect.getdoc(function) or ''}\n{inspect.getdoc(owner) if function.__name__ == '__init__' else ''}"
    signature = inspect.signature(function)
    own = [part for name, part in signature.parameters.items() if not re.match("self$|cls$|_", name)]
    own = [part for part in own if part.name not in API["ARGUMENTS"]]
    kinds = " ".join(str(part.annotation) for part in own) + str(signature.return_annotation)
    raised = re.search(r"^ +raise (?!NotImplementedError)", inspect.getsource(function), re.MULTILINE)
    returns = signature.return_annotation not in (None, "None", inspect.Signature.empty)
    found = [part.name for part in own if not re.search(rf"\b{part.name}\b", text)]
    found += ["what it returns"] * (returns and not RESULT.search(text))
    found += ["shapes"] * bool(ARRAY.search(kinds) and not re.search(r"\([^()]*,|scalar|shape", text))
    return found + ["errors"] * bool(raised and not re.search(r"[Rr]aise|refuse", text))


@pytest.mark.parametrize("module", sorted(API["shown"]()))
def test_docstrings_have_arguments_results_shapes_and_errors(module):
    if module in ("cardgym.interop.openenv", "cardgym.interop.verifiers"):
        pytest.importorskip(module.rpartition(".")[2])
    found = {name: lacks(function, owner) for name, function, owner in functions(module)}
    assert {name: missing for name, missing in found.items() if missing} == {}


def test_the_page_of_cardgym_lists_its_names(tmp_path):
    API["write_pages"](tmp_path / "api")
    page = (tmp_path / "api" / "cardgym.md").read_text(encoding="utf-8")
    assert [name for name in cardgym.__all__ if f"cardgym.{name} <" not in page] == []


# -- links ------------------------------------------------------------------------------------------------------------


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = _FENCE.sub("", path.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ +(.*?) *$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", READ, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_are_valid(page):
    for found in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        target, _, anchor = (found[0] or found[1]).partition("#")
        if ":" in target or target == "api/index.md":  # The build makes the latter.
            continue
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), f"{target}#{anchor}"


def test_pages_named_in_code_and_configs_exist():
    folders = ("src", "train", "configs", "tests", "benchmarks", "research", "examples")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".toml")]
    named = {(path, name) for path in files for name in re.findall(r"\bdocs/[\w/]+\.md", path.read_text())}
    assert len(named) > 10
    assert not [(str(path), name) for path, name in named if not (ROOT / name).is_file()]


def test_every_page_is_in_the_contents():
    conf = script("conf")
    (DOCS / "api").mkdir(exist_ok=True)
    listed = "".join(conf.contents().values())
    for page in READ:
        if DOCS in page.parents and page != DOCS / "index.md":
            name = page.relative_to(page.parent.parent if page.name == "README.md" else page.parent).as_posix()
            assert name.removesuffix(".md") in listed, page
