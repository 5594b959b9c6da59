"""The page over a slow network and in many windows, and every game's table with axe."""

from collections.abc import Iterable
from typing import Any

import pytest
from browsing import Person, Server, faults_of
from test_browser import IN_WINDOW, SIZES, TWO_FRAMES

from cardgym.engine.registry import registered

IDS = registered()  # Before other tests register their own games.


def test_a_move_is_shown_while_the_server_is_slow(server: Server, person: Person) -> None:
    """Answers wait at the door, one after the other: the move is sent, then the opponent thinks."""
    page = person.page
    waiting: list[Any] = []  # Routes before the page: Chromium takes new ones of an open page a while later.
    page.route("**/api/tables/*/action", lambda route: waiting.append(route))
    page.route("**/api/tables/*/step", lambda route: waiting.append(route))
    person.sit_down(server.open_table("Cribbage-v0"))
    cards = page.locator("button.item[aria-pressed=false]")
    cards.first.click()
    cards.first.click()
    page.wait_for_selector(".actions[data-phase=busy]:has-text('You: discard')")
    assert page.locator(".own .item.taken").count() == 2
    assert page.locator(".turn:not(.idle, .done)").all_inner_texts() == ["sent …"]
    waiting.pop().continue_()
    page.wait_for_selector(".others .turn:has-text('thinking')")
    assert page.locator(".own .item").count() == 4
    assert page.locator(".turn:not(.idle, .done)").all_inner_texts() == ["thinking …"]
    page.unroute("**/api/tables/*/step")
    while waiting:
        waiting.pop().continue_()
    assert person.phase == "yours"
    assert page.locator(".own .turn:not(.idle, .done)").all_inner_texts() == ["your turn"]


@pytest.mark.parametrize("answer", [{}, {"json": {"games": None}}], ids=["what was asked", "what makes an error"])
def test_a_page_that_answers_late_does_not_replace_the_next_one(
    server: Server, person: Person, answer: dict[str, Any]
) -> None:
    page = person.page
    waiting: list[Any] = []
    page.route("**/api/lobby", lambda route: waiting.append(route))
    with page.expect_request("**/api/lobby"):
        page.goto(server.url)
    page.evaluate("location.hash = '#/join'")
    page.wait_for_selector(".join-form")
    with page.expect_response("**/api/lobby"):
        if answer:
            waiting.pop().fulfill(**answer)
        else:
            waiting.pop().continue_()
    page.wait_for_timeout(300)
    assert page.query_selector(".join-form")


def test_a_change_of_the_window_keeps_the_end_of_the_log_in_sight_unless_the_person_scrolled_up(
    server: Server, person: Person
) -> None:
    page = person.page
    person.sit_down(server.open_table("Cribbage-v0"))
    for _ in range(12):
        person.move("keys")
    left = "(log) => log.scrollHeight - log.scrollTop - log.clientHeight"
    page.set_viewport_size({"width": 1100, "height": 620})
    page.wait_for_timeout(100)
    assert page.locator(".log").evaluate(left) < 2
    page.locator(".log").evaluate("(log) => (log.scrollTop = 40)")
    page.wait_for_timeout(100)
    page.set_viewport_size({"width": 1100, "height": 700})
    page.wait_for_timeout(100)
    assert page.locator(".log").evaluate("(log) => log.scrollTop") == 40


class Door:
    """The lobby's questions which players fit wait here, one after the other."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.waiting: list[Any] = []
        page.route("**/opponents?*", lambda route: self.waiting.append(route))

    def take(self, count: int) -> list[Any]:
        """The next `count` questions, once they have come."""
        for _ in range(500):
            if len(self.waiting) >= count:
                break
            self.page.wait_for_timeout(20)
        assert len(self.waiting) == count
        taken, self.waiting[:] = [*self.waiting], []
        return taken

    def answer(self, *routes: Any) -> None:
        """Answer in this order, and let the page take each answer."""
        for route in routes:
            route.continue_()
            self.page.wait_for_timeout(300)


def test_a_click_survives_the_redrawing_of_the_lobby(server: Server, person: Person) -> None:
    """Pressing the button also takes the typed number; the answer, which adds fields, comes before the release."""
    page = person.page
    page.set_viewport_size({"width": 1280, "height": 2600})  # Scrolling would keep things in place.
    page.goto(server.url)
    card = page.locator("article", has_text="Corellian")
    card.get_by_text("Options").click()
    card.get_by_label("level").select_option("choose")
    card.get_by_label("opponent").wait_for()
    door = Door(page)  # Before any question: one that is under way when it comes can keep the next one from it.
    card.locator("[name=seed]").fill("5")
    card.get_by_label("number of players").fill("4")
    door.answer(*door.take(1))
    card.get_by_role("button", name="Sit down").hover()
    page.mouse.down()
    (typed,) = door.take(1)
    assert "num_players=4" in typed.request.url
    door.answer(typed)
    page.unroute("**/opponents?*")
    with page.expect_request("**/api/tables") as sent:
        page.mouse.up()
    body = sent.value.post_data_json
    assert (body["options"]["num_players"], len(body["opponents"]), body["seed"]) == (4, 3, 5)
    page.wait_for_selector(".felt")


def test_sitting_down_waits_for_the_chosen_variant(server: Server, person: Person) -> None:
    """The form is still another variant's when it is clicked, twice; answers come in the wrong order."""
    page = person.page
    page.goto(server.url)
    door = Door(page)
    posted: list[Any] = []
    page.on(
        "request",
        lambda request: posted.extend([request.post_data_json] if request.url.endswith("/api/tables") else []),
    )
    card = page.locator("article", has_text="Cribbage")
    card.get_by_text("Mini", exact=True).click()
    card.get_by_text("Deal", exact=True).click()
    card.get_by_text("Mini", exact=True).click()
    door.answer(*reversed(door.take(3)))
    assert card.get_by_label("level").locator("option").count() == 4  # Three levels, or players by name.
    card.get_by_text("Deal", exact=True).click()
    card.get_by_role("button", name="Sit down").dblclick()
    answers = door.take(2)
    assert not posted
    door.answer(*answers)
    page.wait_for_selector(".felt")
    tables = [body for body in posted if "game" in body]
    assert [(body["game"], body["options"]["deals"]) for body in tables] == [("CribbageDeal-v0", 1)]


WINDOWS = [(320, 568), (360, 640), *SIZES[:3], (1024, 1366)]

COVERED_BY_THE_END = """() => { const end = document.querySelector('.end').getBoundingClientRect();
  const others = '.actions a, .actions button, .felt .item svg, .felt .counters > div, .stage > :not(.end)';
  return [...document.querySelectorAll(others)].filter(element => {
    const box = element.getBoundingClientRect();
    return Math.min(box.right, end.right) - Math.max(box.left, end.left) > 1 &&
      Math.min(box.bottom, end.bottom) - Math.max(box.top, end.top) > 1; }).map(element => element.outerHTML); }"""


@pytest.mark.parametrize("letters", [16, pytest.param(32, marks=pytest.mark.slow)])
def test_the_end_of_a_game_covers_nothing(server: Server, person: Person, letters: int) -> None:
    set_letters(person, letters)
    found = []
    for game in ("OnePlayPoker-v0", "KuhnPoker-v0"):
        person.sit_down(server.open_table(game, seed=2, hints="demand"))
        person.play_to_the_end("keys")
        person.page.wait_for_selector(".end:has-text('Accuracy')")
        for width, height in (*WINDOWS, (1440, 900), (3840, 2160)):
            person.page.set_viewport_size({"width": width, "height": height})
            person.page.evaluate(TWO_FRAMES)
            found += [f"{game}, {width} x {height}: {part}" for part in person.page.evaluate(COVERED_BY_THE_END)]
            assert person.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (width, height)
    assert not found, "\n".join(found)


def set_letters(person: Person, pixels: int) -> None:
    """Set the size of letters, as a person does in the browser's settings."""
    browser = person.page.context.new_cdp_session(person.page)
    browser.send("Page.enable")
    browser.send("Page.setFontSizes", {"fontSizes": {"standard": pixels}})


CUT_OR_COVERED = """() => {
  const box = (element) => element.getBoundingClientRect();
  const shown = (selector) => [...document.querySelectorAll(selector)].filter(
    (element) => box(element).width && getComputedStyle(element).visibility === 'visible');
  const meet = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  const name = (fault, element) => `${fault}: ${element.outerHTML.slice(0, 90)}`;
  const faults = [];
  const parts = ['.bar a', '.bar button', '.lobby > .row > *', '.moves > *', '.tools > *', '.end',
    '.puzzle:not(:has(.advice)) .tally div', '#settings *'];
  for (const element of shown(parts.join())) {
    const { left, right, top, bottom } = box(element);
    const part = element.closest('.side, .actions');
    const room = part ? box(part) : { top: 0, bottom: innerHeight };
    const within = element.closest('.lobby, #settings') || (top >= room.top - 1 && bottom <= room.bottom + 1);
    if (left < -1 || right > innerWidth + 1 || !within) faults.push(name('cut', element));
  }
  for (const text of shown('.player h2 > span:first-child, .player .turn, .player .counters > div'))
    for (const other of shown('.player .item svg, .player .counters > div'))
      if (text !== other && !text.closest('.own') === !other.closest('.own') && meet(box(text), box(other)))
        faults.push(`${name('covered', text)} by ${other.outerHTML.slice(0, 40)}`);
  const letters = parseFloat(getComputedStyle(document.documentElement).fontSize);
  if (innerWidth >= 58 * letters)
    for (const said of shown('.turn')) if (said.scrollWidth > said.clientWidth + 1) faults.push(name('cut', said));
  if (innerWidth < 40 * letters)
    for (const tile of shown('.own .row .item:not([data-symbol=tile-gap]) svg'))
      if (box(tile).width < 36) faults.push(name(`${box(tile).width} px`, tile));
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page is too wide');
  if (document.querySelector('.felt.tight') && innerHeight >= 40 * letters) faults.push('the felt has to be scrolled');
  return faults; }"""
"""What is cut off by the window, lies under other things of a player, or is too small for a finger."""


def faults_in_windows(person: Person, windows: Iterable[tuple[int, int]]) -> list[str]:
    found = []
    person.page.mouse.move(0, 0)  # A card under it is raised.
    person.page.emulate_media(reduced_motion="reduce")
    for width, height in windows:
        person.page.set_viewport_size({"width": width, "height": height})
        person.page.evaluate(TWO_FRAMES)
        faults = person.page.evaluate(CUT_OR_COVERED)
        if person.page.query_selector(".felt"):
            faults += person.page.evaluate(IN_WINDOW)
        found += [f"{width} x {height}: {fault}" for fault in faults]
    return found


def test_nothing_is_cut_off_or_covered_in_any_window(server: Server, person: Person) -> None:
    found = []
    for game in ("CodaOfficial-v0", "CorellianSpike-v0"):
        person.sit_down(server.open_table(game, seed=3))
        for _ in range(2):  # A joker is placed, then the first tile is guessed.
            person.move("clicks")
        found += [f"{game}, {fault}" for fault in faults_in_windows(person, WINDOWS)]
    person.page.goto(server.url)
    person.page.wait_for_selector("text=unfinished games")
    found += faults_in_windows(person, WINDOWS)
    assert not found, "\n".join(found)


def test_a_puzzle_and_its_answers_are_in_the_window(server: Server, person: Person) -> None:
    page = person.page
    page.route("**/solve", lambda route: route.fulfill(json={**route.fetch().json(), "right": False, "cost": 0.5}))
    page.goto(f"{server.url}/#/puzzles/OnePlayPoker-v0")
    page.wait_for_selector(".puzzle .moves > button")
    found = faults_in_windows(person, WINDOWS)
    page.locator(".moves > button").first.click()
    page.wait_for_selector("[data-phase=ended]")
    found += faults_in_windows(person, WINDOWS)
    page.keyboard.press("s")
    page.wait_for_selector(".advice")
    found += faults_in_windows(person, WINDOWS)
    page.goto(f"{server.url}/#/explore/OnePlayPoker-v0")
    page.wait_for_selector(".explore .advice")
    found += faults_in_windows(person, WINDOWS)
    assert not found, "\n".join(found)


def test_letters_twice_as_large_leave_everything_in_the_window(server: Server, person: Person) -> None:
    set_letters(person, 32)
    found = []
    windows = [(390, 844), (844, 390), (1024, 600), (1280, 860)]
    for game in ("CribbageDeal-v0", "OnePlayPoker-v0", "CodaOfficial-v0", "CorellianSpike-v0"):
        person.page.set_viewport_size({"width": 1280, "height": 860})
        person.sit_down(server.open_table(game))
        assert person.page.evaluate("getComputedStyle(document.body).fontSize") == "32px"
        found += [f"{game}, {fault}" for fault in faults_in_windows(person, windows)]
    person.page.locator("#settings-button").click()
    found += faults_in_windows(person, windows)
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_eight_windows_of_one_browser_follow_their_tables(server: Server, browser: Any) -> None:
    """A browser keeps at most six connections to a server; all windows are in view here."""
    context = browser.new_context()
    addresses = [server.open_table("KuhnPoker-v0", seed=seed) for seed in range(7)]
    people = [Person(context.new_page()) for _ in range(8)]
    for person, address in zip(people, [*addresses, addresses[6]], strict=True):
        person.sit_down(address)
    assert {person.phase for person in people} == {"yours"}
    people[6].move("clicks")  # Without a lasting connection, as the other window of its table.
    people[7].page.wait_for_selector(f".actions[data-version='{people[6].version}']")
    people[0].move("clicks")
    assert not [fault for person in people for fault in person.faults]
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("look", ["light", "dark"])
def test_every_table_is_accessible(server: Server, browser: Any, look: str) -> None:
    person = Person(browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme=look))
    found = []
    for game in IDS:
        person.sit_down(server.open_table(game, hints="demand"))
        for moment in ("first", "last"):
            found += [f"{game}, {moment} move: {fault}" for fault in faults_of(person.page)]
            person.play_to_the_end("keys")
    person.page.close()
    assert not found, "\n".join(found)
