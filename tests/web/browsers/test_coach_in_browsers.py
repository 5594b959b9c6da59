"""The page in Chromium: the coach, its warnings, reviews and puzzles."""

from typing import Any

from browsing import Person, Server


def test_the_coach_advises_and_the_review_shows_costs(server: Server, person: Person) -> None:
    person.sit_down(server.open_table("OnePlayPoker-v0", hints="demand"))
    person.page.keyboard.press("h")
    person.page.wait_for_selector(".advice")
    best = person.page.inner_text(".best .what")
    assert person.page.locator(".moves > .guide").inner_text().startswith(best)
    person.page.locator(".advice button", has_text=best).first.click()
    assert person.phase == "yours"
    person.play_to_the_end("keys")
    person.page.wait_for_selector(".end:has-text('Accuracy ')")
    person.review()
    assert "costliest decisions" in person.page.inner_text(".side")
    person.page.get_by_role("button", name="First").click()
    first = person.page.inner_text(".table")
    person.page.keyboard.press("ArrowRight")
    assert person.page.inner_text(".table") != first
    person.page.get_by_role("link", name="Record").click()
    person.page.wait_for_selector(".history table")
    assert "Cost of a decision" in person.page.inner_text(".history")


def test_the_page_warns_before_a_blunder(server: Server, person: Person) -> None:
    person.sit_down(server.open_table("OnePlayPoker-v0", seed=2, hints="demand"))
    person.move("keys")
    person.move("keys")  # King and jack against a queen: a bet loses.
    person.page.check(".coach input")
    before = person.version
    for answer in ("Think again", "Show me", "Play it"):
        person.page.keyboard.press("2")
        person.page.wait_for_selector("#warning[open]")
        assert " costs " in person.page.inner_text("#warning")
        assert "don't bet" not in person.page.inner_text("#warning")  # The better move is not given away.
        person.page.get_by_role("button", name=answer).click()
        person.page.wait_for_selector("#warning", state="hidden")
        if answer == "Show me":
            person.page.wait_for_selector(".advice")
        if answer != "Play it":
            assert person.phase == "yours"
            assert person.version == before
    person.page.wait_for_selector(f".actions:not([data-version='{before}'])")


def test_a_second_click_while_the_coach_thinks_is_not_a_second_move(server: Server, person: Person) -> None:
    page = person.page
    waiting: list[Any] = []
    page.route("**/advice?*", lambda route: waiting.append(route))
    person.sit_down(server.open_table("OnePlayPoker-v0", seed=2, hints="demand"))
    page.check(".coach input")
    with page.expect_request("**/advice?*"):
        page.keyboard.press("1")
        page.keyboard.press("1")
    page.wait_for_selector(".actions[data-phase=busy]")
    page.wait_for_timeout(200)
    assert len(waiting) == 1
    waiting.pop().continue_()
    page.wait_for_selector(".actions:not([data-phase=busy])")
    page.wait_for_timeout(200)
    assert page.locator(".log p", has_text="You don't bet").count() == 1


def test_the_review_opens_at_the_worst_decision_which_can_be_tried_again(server: Server, person: Person) -> None:
    """King and jack against a queen: the bet is a blunder, marked beside the position it was made in."""
    page = person.page
    address = server.open_table("OnePlayPoker-v0", seed=2)
    person.sit_down(address)
    person.move("keys")
    person.move("keys")
    page.keyboard.press("2")
    person.play_to_the_end("keys")
    person.review()
    page.wait_for_selector(".review .verdict.blunder")
    assert page.inner_text(".verdict h2").startswith("Bet 1")
    assert "Better: don't bet" in page.inner_text(".verdict")
    assert page.locator(".felt .item[data-symbol='card-slot']").count() == 1  # The fourth card is still to come.
    page.get_by_role("button", name="Try this one again").click()
    page.wait_for_selector(".actions[data-phase=yours]")
    assert "#/table/" in page.url
    assert address not in page.url
    assert person.page.locator(".moves button").first.inner_text().startswith("don't bet")
    person.play_to_the_end("keys")
    person.review()


def test_the_review_marks_the_cards_of_both_choices(server: Server, person: Person) -> None:
    page = person.page
    person.sit_down(server.open_table("CribbageDeal-v0", seed=4))
    person.play_to_the_end("clicks")
    person.review()
    while page.query_selector(".felt .chosen") is None:
        before = page.inner_text(".actions .prompt")
        page.keyboard.press("ArrowLeft")
        assert page.inner_text(".actions .prompt") != before
    chosen = page.locator(".felt .chosen").count()
    assert chosen in (1, 2)
    assert page.locator(".felt .better").count() == chosen


def test_puzzles_can_be_solved(server: Server, person: Person) -> None:
    page = person.page
    page.goto(f"{server.url}/#/puzzles/OnePlayPoker-v0")
    page.wait_for_selector(".puzzle .actions[data-phase=yours]")
    page.locator(".moves button").first.click()
    page.wait_for_selector(".puzzle .actions[data-phase=ended]")
    tally = page.inner_text(".tally")
    assert page.inner_text(".task") == "Find the best bet"
    right = page.inner_text(".now").startswith("Right")
    assert tally.split("\n")[:4] == ["streak", "1 (best 1)" if right else "0 (best 0)", "solved", f"{int(right)} of 1"]
    if not right:  # The solution comes when it is asked for.
        assert page.query_selector(".advice") is None
        page.get_by_role("button", name="Try again").click()
        page.locator(".moves button").last.click()
        assert page.wait_for_selector(".now.right")
    assert page.inner_text(".tally") == tally
    page.wait_for_selector(".puzzle .advice")
    page.get_by_role("link", name="Explore").click()
    page.wait_for_selector(".explore .advice")
    page.go_back()
    page.wait_for_selector(".puzzle:not(.explore) .actions[data-phase=yours]")
    assert page.query_selector(".advice") is None
    page.get_by_role("link", name="Daily puzzle").click()
    page.wait_for_selector(".now:has-text('the puzzle of 2')")


CLICK_TWICE = """() => {
  for (const _ of "12") document.querySelector("button.item[aria-pressed=false], .moves button")?.click();
}"""


def test_all_mistakes_of_a_game_are_retried_in_a_row(server: Server, person: Person) -> None:
    page = person.page
    person.sit_down(server.open_table("CorellianSpike-v0", options={"hands": 1}, seed=2, hints="off"))
    person.play_to_the_end("keys")
    person.review()
    retry = page.get_by_role("link", name="Retry all mistakes in a row")
    mistakes = retry.get_attribute("href").count(",") + 1
    retry.click()
    for _ in range(mistakes):
        page.wait_for_selector(".puzzle .actions[data-phase=yours]")
        while page.locator(".actions[data-phase=yours]").count():
            page.evaluate(CLICK_TWICE)
        page.locator("[data-key=s], [data-key=n], .moves .best").first.wait_for()
        page.keyboard.press("s")
        page.keyboard.press("n")
    page.get_by_role("link", name="Back to the review").click()
    page.wait_for_selector(".review .verdict")


def test_a_link_to_a_game_opens_a_table_and_back_leads_to_the_lobby(server: Server, person: Person) -> None:
    page = person.page
    page.goto(f"{server.url}/#/play/OnePlayPoker-v0")
    page.wait_for_url("**/#/table/*")
    page.wait_for_selector(".moves button")
    assert "One Play Poker" in page.inner_text("h1")
    page.go_back()
    page.wait_for_selector(".lobby article")
    assert page.url.endswith("#/")


def test_the_coach_on_a_phone_covers_no_card(server: Server, person: Person) -> None:
    person.sit_down(server.open_table("OnePlayPoker-v0", seed=2, hints="demand"))
    for width, height in ((390, 844), (844, 390)):
        person.page.set_viewport_size({"width": width, "height": height})
        person.page.keyboard.press("h")
        person.page.wait_for_selector(".advice")
        felt, sheet = (person.page.locator(place).bounding_box() for place in (".felt", ".side"))
        below, beside = felt["y"] + felt["height"] <= sheet["y"], felt["x"] + felt["width"] <= sheet["x"]
        assert below or beside, (width, felt, sheet)
