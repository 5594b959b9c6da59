"""The main ways in Firefox: from the lobby to a table, a hint, and a game by clicks to its end."""

from collections.abc import Iterator

import pytest
from browsing import Person, Server
from firefox import FirefoxPage, firefox

pytestmark = pytest.mark.slow

GAMES = ["Coda", "Corellian Spike", "Cribbage", "Kuhn Poker", "One Play Poker"]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FirefoxPage]:
    if firefox() is None:
        pytest.skip("THE TESTS IN FIREFOX DO NOT RUN: no Firefox is installed here")
    page = FirefoxPage(tmp_path_factory.mktemp("profile"))
    yield page
    page.close()


@pytest.fixture
def server(page: FirefoxPage, _server: Server) -> Server:
    return _server


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_played_from_the_lobby_to_its_end(server: Server, page: FirefoxPage, game: str) -> None:
    person = Person(page)
    page.goto("about:blank")
    page.goto(server.url)
    page.locator(f"article[aria-label='{game}'] .sit").click()
    page.wait_for_selector(".felt")
    person.set_speed("0")
    assert person.phase == "yours"
    page.locator("[data-key=hint]").click()
    page.wait_for_selector(".coach:has(.advice button):not(:has([data-part=thinking]))")
    assert person.play_to_the_end("clicks") > 0
    assert page.inner_text(".result")
    assert not person.faults


def test_errors_in_firefox_are_told(page: FirefoxPage) -> None:
    person = Person(page)
    page.goto("about:blank")
    page.evaluate("() => { console.log('a word'); console.error('an error'); setTimeout(() => missing()); }")
    page.evaluate("() => new Promise((done) => setTimeout(done, 100))")
    assert person.faults == ["an error", "ReferenceError: missing is not defined"]
