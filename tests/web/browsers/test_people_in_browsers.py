"""Several people in Chromium: at one screen that is covered between turns, and by link from two browsers."""

import re
from typing import Any

import pytest
from browsing import Person, Server


def person_in(browser: Any) -> Person:
    """A person at a browser of their own."""
    return Person(browser.new_context(viewport={"width": 1280, "height": 860}).new_page())


def choose(person: Person, game: str, people: str) -> Any:
    """The lobby's card of a game, set to several people."""
    person.page.goto(person.page.url.partition("#")[0])
    card = person.page.locator("article", has_text=game)
    card.get_by_label("you play").select_option(people)
    return card


@pytest.mark.slow
def test_the_screen_is_covered_between_turns(server: Server, browser: Any) -> None:
    person = person_in(browser)
    page = person.page
    page.goto(server.url)
    person.set_speed("0")
    card = choose(person, "Cribbage", "hot")
    card.get_by_label("your name").fill("Ann")
    card.get_by_label("their name").fill("Bob")
    card.get_by_text("Options").click()
    assert card.get_by_label("seed").count() == 0  # Nobody may know the cards.
    card.locator("[name='option.target']").fill("11")
    card.get_by_role("button", name="Sit down").click()
    faces = ".player .item:not([data-symbol*=back]):not([data-symbol*=slot])"
    seen: set[str] = set()
    sizes: set[str] = set()
    page.wait_for_selector(".actions")
    while person.phase != "ended":
        assert person.phase == "covered"
        assert page.query_selector_all(faces) == []
        sizes.add(person.card_height)
        seen.add(page.inner_text(".banner strong").removeprefix("Pass to "))
        page.get_by_role("button", name="Show my cards").click()
        page.wait_for_selector(".actions:not([data-phase=busy]):not([data-phase=covered])")
        if person.phase == "ended":
            break
        assert person.phase == "yours"
        assert page.inner_text(".own h2 span") == "You"
        sizes.add(person.card_height)
        assert page.query_selector_all(f".own{faces.removeprefix('.player')}")
        while person.phase == "yours":
            person.move("clicks")
    assert seen == {"Ann", "Bob"}
    assert len(sizes) == 1
    assert int(sizes.pop().removesuffix("px")) > 60  # The cover must not leave the cards less room.
    assert page.inner_text(".result").startswith(("Ann ", "Bob "))
    person.review()
    assert not person.faults


def test_two_browsers_play_by_link(server: Server, browser: Any) -> None:
    host, guest, spectator = (person_in(browser) for _ in range(3))
    held: list[Any] = []
    waits = False
    # Before the page opens: in an open one, a slow browser takes a route only a while later.
    host.page.route("**/opponents?*", lambda route: held.append(route) if waits and not held else route.continue_())
    host.page.goto(server.url)
    host.page.wait_for_selector(".lobby article")
    waits = True
    card = choose(host, "Corellian", "link")
    while not held:
        host.page.wait_for_timeout(20)
    card.get_by_role("button", name="Sit down").click()  # The form does not fit its values yet.
    held.pop().continue_()
    code = host.page.inner_text(".code")
    host.page.get_by_role("button", name="Copy the address").click()
    host.page.get_by_role("button", name="Copied").wait_for()
    host.page.evaluate("""() => { const box = document.createElement("textarea"); box.id = "pasted";
        document.body.append(box); box.focus(); }""")
    host.page.keyboard.press("Control+v")
    assert host.page.input_value("#pasted") == host.page.inner_text(".join a")
    guest.page.goto(f"{server.url}/#/join")
    guest.page.get_by_label("code").fill(code.lower())
    assert guest.page.get_by_label("code").evaluate("field => field.scrollWidth <= field.clientWidth")
    guest.page.get_by_label("your name").fill("Bob")
    guest.page.get_by_role("button", name="Join").click()
    guest.page.wait_for_selector(".felt")
    host.page.wait_for_selector(".others >> text=Bob")
    assert host.page.query_selector(".code") is None
    people = (host, guest)
    for person in people:
        person.set_speed("0")
    for _ in range(6):
        actor, other = people if host.phase == "yours" else people[::-1]
        assert actor.phase == "yours"
        assert other.phase == "waiting"
        before = [person.version for person in people]
        actor.move("keys")
        for person, version in zip(people, before, strict=True):  # Each counts the moves that they know of.
            person.page.wait_for_selector(f".actions:not([data-version='{version}']):not([data-phase=busy])")
    backs = [person.page.locator(".others .item[data-symbol=card-back]").count() for person in people]
    assert min(backs) >= 2  # Neither sees the other's hand.
    shown = guest.page.inner_text(".felt")
    guest.page.reload()
    guest.page.wait_for_selector(".actions:not([data-phase=busy])")
    assert guest.page.inner_text(".felt") == shown
    spectator.page.goto(host.page.url)
    spectator.page.wait_for_selector(".felt")
    assert spectator.page.locator(".player .item[data-symbol=card-back]").count() == sum(backs)
    assert "You watch" in spectator.page.inner_text(".actions")
    seals = [person.page.locator("[data-part=deal] p").text_content() or "" for person in people]
    assert seals[0] == seals[1]
    assert "both are shown at the end" in seals[0]
    host.page.evaluate("""() => fetch(`/api/tables/${location.hash.split("/")[2]}/resign`, { method: "POST",
        headers: { "Content-Type": "application/json" }, body: "{}" })""")
    for person in people:  # Nobody reloads the page.
        person.page.wait_for_selector("[data-part=deal] p:has-text('as shown at the start')", state="attached")
        checked = person.page.locator("[data-part=deal] p").text_content() or ""
        assert re.findall("[0-9a-f]{64}", checked) == re.findall("[0-9a-f]{64}", seals[0])
    host.page.get_by_role("button", name="Rematch").dblclick()
    guest.page.get_by_role("button", name="Join the rematch").click()
    guest.page.wait_for_selector(".actions[data-phase=yours], .actions[data-phase=waiting]")
    host.page.wait_for_selector(".others >> text=Bob")
    assert host.page.url == guest.page.url
    guest.page.goto(server.url)
    assert guest.page.get_by_text("Back to the table you joined").count() <= 1
    for person in (*people, spectator):
        assert not person.faults


def test_a_card_is_changed_in_the_explorer_and_a_move_played(server: Server, browser: Any) -> None:
    person = person_in(browser)
    page = person.page
    page.goto(server.url)
    page.locator("article", has_text="One Play Poker").get_by_role("link", name="Explore").click()
    page.wait_for_selector(".explore .advice")
    page.locator("button.item").first.click()
    page.wait_for_selector("#picker[open] .item")
    assert page.locator("#picks .item").count() == 16
    page.get_by_role("button", name="J♦").click()
    page.wait_for_selector(".explore .actions[data-phase=yours]")
    page.wait_for_selector(".felt [data-symbol=card-JD]")
    before = page.inner_text(".side")
    page.locator(".advice button").first.click()
    page.wait_for_function("text => document.querySelector('.side').innerText !== text", arg=before)
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("text => document.querySelector('.side').innerText === text", arg=before)
    assert not person.faults
