"""The site's games to step through and its puzzles, which need no server."""

from collections.abc import Iterator
from typing import Any

import pytest
from browsing import Person
from page_hosts import static_host


@pytest.fixture
def site(browser: Any, tmp_path: Any) -> Iterator[str]:
    import recorded_games

    recorded_games.build(tmp_path, {"OnePlayPoker-v0": ["always"]})
    with static_host(tmp_path) as host:
        yield host.address


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
