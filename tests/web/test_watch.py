"""The site's games to step through and its puzzles, which need no server."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator

import pytest
from browsing import chromium, open_browser

pytest.importorskip("playwright", reason="THE BROWSER'S TESTS DO NOT RUN: Playwright is not installed")
if chromium() is None:
    pytest.skip("THE BROWSER'S TESTS DO NOT RUN: no Chromium is installed here", allow_module_level=True)

import recorded_games


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("watch")
    recorded_games.build(folder, {"OnePlayPoker-v0": ["always"]})
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as served:
        thread = threading.Thread(target=served.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{served.server_port}/"
        served.shutdown()
        thread.join()


def test_game_is_stepped_through_and_puzzle_solved(site: str) -> None:
    with open_browser() as browser:
        page = browser.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(site)
        page.get_by_role("link", name="Watch the game").click()
        page.get_by_role("button", name="Rules").click()
        page.get_by_role("dialog").get_by_text("high card").first.wait_for()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="First").click()
        assert "1 of " in page.inner_text(".prompt")
        page.get_by_role("button", name="Next").click()
        assert "2 of " in page.inner_text(".prompt")
        page.goto(f"{site}#/puzzles/OnePlayPoker-v0")
        page.locator(".actions button").first.click()
        page.get_by_role("button", name="Next puzzle").wait_for()
        assert "solved" in page.inner_text(".tally")
        assert not errors
