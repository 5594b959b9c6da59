"""The page over a slow network and in many windows, and every game's table with axe."""

from __future__ import annotations

from typing import Any

import pytest
from browsing import Person, Server

from cardgym.engine.registry import registered


def test_a_move_is_shown_while_the_server_is_slow(server: Server, person: Person) -> None:
    """Answers wait at the door, one after the other: the move is sent, then the opponent thinks."""
    page = person.page
    person.sit_down(server.open_table("Cribbage-v0"))
    waiting: list[Any] = []
    page.route("**/api/tables/*/action", lambda route: waiting.append(route))
    page.route("**/api/tables/*/step", lambda route: waiting.append(route))
    cards = page.locator("button.item[aria-pressed=false]")
    cards.first.click()
    cards.first.click()
    page.wait_for_selector(".actions[data-phase=busy]:has-text('You: discard')")
    assert page.locator(".own .item.taken").count() == 2
    assert page.locator(".turn:not(.idle)").all_inner_texts() == ["sent …"]
    waiting.pop().continue_()
    page.wait_for_selector(".others .turn:has-text('thinking')")
    assert page.locator(".own .item").count() == 4
    assert page.locator(".turn:not(.idle)").all_inner_texts() == ["thinking …"]
    page.unroute("**/api/tables/*/step")
    while waiting:
        waiting.pop().continue_()
    assert person.phase == "yours"
    assert page.locator(".own .turn:not(.idle)").all_inner_texts() == ["your turn"]
    assert not person.faults


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
    from axe_playwright_python.sync_playwright import Axe

    person = Person(browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme=look))
    found = []
    for game in registered():
        person.sit_down(server.open_table(game, hints="demand"))
        for moment in ("first", "last"):
            for fault in Axe().run(person.page).response["violations"]:
                found.append(
                    f"{game}, {moment} move: {fault['id']} ({fault['impact']}): {fault['nodes'][0]['html'][:150]}"
                )
            person.play_to_the_end("keys")
    person.page.close()
    assert not found, "\n".join(found)
