"""The page in Chromium: games by clicks and keys, reloads, restarts, the coach, reviews, phones and dark mode."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Person, Server, chromium, open_browser

pytest.importorskip("playwright", reason="THE BROWSER'S TESTS DO NOT RUN: Playwright is not installed")
pytest.importorskip("starlette", reason="THE BROWSER'S TESTS DO NOT RUN: Starlette is not installed")
if chromium() is None:
    pytest.skip("THE BROWSER'S TESTS DO NOT RUN: no Chromium is installed here", allow_module_level=True)

GAMES: dict[str, dict[str, Any]] = {
    "CorellianSpike-v0": {"hands": 2},
    "OnePlayPoker-v0": {},
    "Coda-v0": {},
    "CodaOfficial-v0": {},
    "Cribbage-v0": {"target": 61},
    "KuhnPoker-v0": {},
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("data"))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as browser:
        yield browser


@pytest.fixture
def person(browser: Any) -> Iterator[Person]:
    person = Person(browser.new_page(viewport={"width": 1280, "height": 860}))
    yield person
    person.page.close()


WAYS = [(game, "clicks") for game in ("CorellianSpike-v0", "Cribbage-v0", "KuhnPoker-v0")] + [("KuhnPoker-v0", "keys")]
SLOW_WAYS = [
    pytest.param(game, way, marks=pytest.mark.slow)
    for game in GAMES
    for way in ("clicks", "keys")
    if (game, way) not in WAYS
]


@pytest.mark.parametrize(("game", "way"), [*WAYS, *SLOW_WAYS])
def test_a_game_can_be_played_to_the_end(server: Server, person: Person, game: str, way: str) -> None:
    person.sit_down(server.open_table(game, options=GAMES[game]))
    assert person.play_to_the_end(way) > 0
    assert person.page.inner_text(".result")
    assert person.page.get_by_role("link", name="Review this game").is_visible()
    assert not person.faults


def test_a_game_starts_from_the_lobby(server: Server, person: Person) -> None:
    person.page.goto(server.url)
    person.page.locator("article", has_text="Kuhn").get_by_role("button", name="Sit down").click()
    person.page.wait_for_selector(".felt")
    assert "Your card" in person.page.inner_text(".felt")
    assert not person.faults


def test_a_game_survives_a_reload_a_second_tab_and_a_restart(server: Server, person: Person, browser: Any) -> None:
    address = server.open_table("Cribbage-v0")
    person.sit_down(address)
    person.move("clicks")
    shown = person.page.inner_text(".felt")
    person.page.reload()
    assert person.phase == "yours"
    assert person.page.inner_text(".felt") == shown

    other = Person(browser.new_page())
    other.sit_down(address)
    other.move("keys")
    moved = other.version
    person.page.wait_for_selector(f".actions[data-version='{moved}']")
    assert person.page.inner_text(".felt") == other.page.inner_text(".felt")
    other.page.close()

    server.stop()
    person.page.wait_for_selector("#notice:not([hidden])")
    server.start()
    person.page.wait_for_selector("#notice", state="hidden")
    person.move("clicks")
    assert person.version > moved


def test_a_move_can_be_undone(server: Server, person: Person) -> None:
    person.sit_down(server.open_table("CorellianSpike-v0"))
    shown, before = person.page.inner_text(".felt"), person.version
    person.move("keys")
    assert person.version != before
    person.page.keyboard.press("u")
    person.page.wait_for_function("text => document.querySelector('.felt').innerText === text", arg=shown)
    person.move("keys")


def test_moves_of_others_appear_one_at_a_time_and_space_skips_the_wait(server: Server, person: Person) -> None:
    person.sit_down(server.open_table("Cribbage-v0"))
    person.page.select_option("#speed", "1800")
    person.page.locator("button.item[aria-pressed=false]").first.click()
    person.page.locator("button.item[aria-pressed=false]").first.click()
    person.page.wait_for_selector(".actions[data-phase=busy]")
    assert person.page.query_selector("button.item") is None
    while person.page.query_selector(".actions[data-phase=busy]"):
        person.page.keyboard.press("Space")
    assert person.phase == "yours"
    assert person.page.input_value("#speed") == "1800"
    person.page.reload()
    person.page.wait_for_selector(".felt")
    assert person.page.input_value("#speed") == "1800"
    person.page.select_option("#speed", "0")


def test_the_show_is_counted_point_by_point(server: Server, person: Person) -> None:
    person.sit_down(server.open_table("CribbageDeal-v0"))
    person.play_to_the_end("clicks")
    counted = person.page.inner_text(".reveals")
    assert "Your hand" in counted
    assert "fifteen 2" in counted or "a pair is" in counted


def test_agents_can_be_watched_step_by_step_or_running(server: Server, person: Person) -> None:
    person.sit_down(server.open_table("Cribbage-v0", options={"target": 31}, seat=None, opponents=["greedy", "expert"]))
    assert person.phase == "watching"
    person.page.keyboard.press("n")
    person.page.wait_for_selector(".actions:not([data-phase=busy]):not([data-version='0'])")
    person.page.keyboard.press("r")
    person.page.wait_for_selector(".actions[data-phase=ended]", timeout=20_000)
    assert not person.faults


def test_the_coach_advises_and_the_review_shows_costs(server: Server, person: Person) -> None:
    person.sit_down(server.open_table("OnePlayPoker-v0", hints="demand"))
    person.page.keyboard.press("h")
    person.page.locator(".advice button").first.click()
    assert person.phase == "yours"
    person.play_to_the_end("keys")
    person.page.get_by_role("link", name="Review this game").click()
    person.page.wait_for_selector(".review .felt")
    assert "costliest decisions" in person.page.inner_text(".side")
    person.page.get_by_role("button", name="First").click()
    first = person.page.inner_text(".left")
    person.page.keyboard.press("ArrowRight")
    assert person.page.inner_text(".left") != first
    person.page.get_by_role("link", name="History").click()
    person.page.wait_for_selector(".history table")
    assert "Cost of a decision" in person.page.inner_text(".history")
    assert not person.faults


def test_the_page_warns_before_a_blunder(server: Server, person: Person) -> None:
    person.sit_down(server.open_table("OnePlayPoker-v0", seed=2, hints="demand"))
    person.move("keys")
    person.move("keys")  # King and jack against a queen: a bet loses.
    person.page.check(".coach input")
    before = person.version
    for answer in ("Take it back", "Play it"):
        person.page.keyboard.press("2")
        person.page.wait_for_selector("#warning[open]")
        assert " costs " in person.page.inner_text("#warning")
        person.page.get_by_role("button", name=answer).click()
        person.page.wait_for_selector("#warning", state="hidden")
        if answer == "Take it back":
            assert person.phase == "yours"
            assert person.version == before
    person.page.wait_for_selector(f".actions:not([data-version='{before}'])")


def test_hidden_cards_are_not_in_the_page(server: Server, person: Person) -> None:
    person.sit_down(server.open_table("Cribbage-v0"))
    backs = person.page.query_selector_all(".others .item")
    assert len(backs) == 6
    assert {back.get_attribute("aria-label") for back in backs} == {"card, face down"}


@pytest.mark.parametrize(
    ("look", "games"),
    [
        ("light", ["Coda-v0", "Cribbage-v0", "KuhnPoker-v0"]),
        pytest.param("light", ["CorellianSpike-v0", "OnePlayPoker-v0", "CodaOfficial-v0"], marks=pytest.mark.slow),
        pytest.param("dark", ["Cribbage-v0", "KuhnPoker-v0"], marks=pytest.mark.slow),
    ],
)
def test_pages_are_accessible_and_fit_a_phone(server: Server, browser: Any, look: str, games: list[str]) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = browser.new_page(viewport={"width": 375, "height": 740}, color_scheme=look)
    person = Person(page)
    address = server.open_table("OnePlayPoker-v0")
    person.sit_down(address)
    person.play_to_the_end("keys")
    places = [(server.url, ".games"), (f"{server.url}/#/history", ".history table")]
    places += [(address.replace("#/table/", "#/review/"), ".review .felt")]
    places += [(server.open_table(game, hints="demand"), ".felt") for game in games]
    found = []
    for address, there in places:
        page.goto(address)
        page.wait_for_selector(there)
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), f"{address} is too wide"
        for fault in Axe().run(page).response["violations"]:
            if fault["impact"] in ("serious", "critical"):
                found.append(f"{address} {fault['id']}: {fault['nodes'][0]['html'][:150]}")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(17, 21, 27)") == (look == "dark")
    page.close()
    assert not found, "\n".join(found)
    assert not person.faults


def test_the_page_is_a_folder_of_plain_files() -> None:
    import cardgym

    folder = Path(cardgym.__file__).parent / "table" / "web" / "static"
    for path in folder.iterdir():
        assert "http://" not in path.read_text().replace("http://www.w3.org/", ""), f"{path.name} asks another server"
        assert "https://" not in path.read_text(), f"{path.name} asks another server"
