"""The site's games to step through and its puzzles, which need no server."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from browsing import Person


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site(browser: Any, tmp_path: Any) -> Iterator[str]:
    import recorded_games

    recorded_games.build(tmp_path, {"OnePlayPoker-v0": ["always"]})
    handler = functools.partial(Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as served:
        threading.Thread(target=served.serve_forever).start()
        yield f"http://127.0.0.1:{served.server_port}/"
        served.shutdown()


def test_game_is_stepped_through_and_puzzle_solved(person: Person, site: str) -> None:
    page = person.page
    page.goto(site)
    page.get_by_role("link", name="Watch the game").click()
    page.get_by_role("button", name="Rules").click()
    page.get_by_role("dialog").get_by_text("high card").first.wait_for()
    page.keyboard.press("Escape")
    for button, place in (("First", "1 of "), ("Next", "2 of ")):
        page.get_by_role("button", name=button).click()
        assert place in page.inner_text(".prompt")
    page.goto(f"{site}#/puzzles/OnePlayPoker-v0")
    page.locator(".puzzle .actions button").first.click()
    page.get_by_role("button", name="Next puzzle").wait_for()
    assert "solved" in page.inner_text(".tally")
    person.faults[:] = [fault for fault in person.faults if "404" not in fault]  # A review has no progress here.
