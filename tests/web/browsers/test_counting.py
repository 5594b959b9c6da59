"""Cribbage in Chromium: the show counted by the page or by hand, points of the play pegged on the board, muggins."""

import re

from browsing import Person, Server

AT_THE_FIELD = """() => {
  const { x, y, width, height } = document.querySelector('.count input').getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2)?.tagName; }"""
"""What a click in the middle of the field for the points would reach."""


def test_people_can_count_their_own_hands(server: Server, person: Person) -> None:
    """The board, the points and the log say nothing before they have; then the pegs walk."""
    page = person.page
    person.sit_down(server.open_table("CribbageDeal-v0"))
    page.locator("#count").evaluate("(field) => { field.value = 'you'; field.dispatchEvent(new Event('change')); }")
    for _ in range(40):
        if page.query_selector(".count input"):
            break
        page.locator("button.item[aria-pressed=false]").first.click()
        page.wait_for_selector(".count, .actions:not([data-phase=busy])")
    for width, height in ((390, 844), (844, 390), (320, 568), (1280, 860)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(300)  # What was counted comes up from below.
        assert page.evaluate(AT_THE_FIELD) == "INPUT", (width, height)
    before = page.inner_text(".felt")
    assert "Your hand\n?" in page.inner_text(".reveals")
    assert "hand" not in page.inner_text(".log").lower()
    person.set_speed("1800")
    while page.query_selector(".count input"):
        name = page.inner_text(".count label")
        page.locator(".count input").fill("29")
        page.keyboard.press("Enter")
        page.wait_for_function("name => document.querySelector('.count label')?.innerText !== name", arg=name)
    assert "you counted 29" in page.inner_text(".reveals")
    assert page.inner_text(".felt") != before
    page.wait_for_function("[...document.querySelectorAll('.board .front')].some((peg) => peg.getAnimations().length)")


def test_people_peg_the_play_on_the_board_and_lose_by_muggins_what_they_miss(server: Server, person: Person) -> None:
    """A click on the wrong hole of the board counts too few; the rules' points and result stay as they are."""
    page = person.page
    person.sit_down(server.open_table("CribbageDeal-v0"))
    for name, value in ("count", "muggins"), ("peg", "you"):
        page.locator(f"#{name}").evaluate(
            "(field, value) => { field.value = value; field.dispatchEvent(new Event('change')); }", value
        )
    hole = """async (ahead) => { const { holesOf, nearest, pegsOf } = await import("/static/motion.js");
      const board = document.querySelector(".board"), holes = holesOf(board, 0);
      const { x, y } = holes[nearest(holes, pegsOf(board)[0]) + ahead];
      const at = new DOMPoint(x, y).matrixTransform(board.getScreenCTM());
      return [at.x, at.y]; }"""
    asked = []
    for _ in range(60):
        if (phase := page.get_attribute(".actions", "data-phase")) == "ended":
            break
        if page.query_selector(".count input"):
            asked.append(page.inner_text(".count label"))
            page.mouse.click(*page.evaluate(hole, 1))
            page.wait_for_function("said => document.querySelector('.count label')?.innerText !== said", arg=asked[-1])
        elif phase == "paused":
            page.keyboard.press("Space")
        elif phase == "yours":
            page.locator("button.item[aria-pressed=false]").first.click()
        page.wait_for_selector(".count, .actions:not([data-phase=busy])")
    assert any("in the play" in words for words in asked)
    missed = re.search("Muggins\n\N{MINUS SIGN}(\\d+)", page.inner_text(".own"))
    assert missed
    told = re.search(r"(\d+) to (\d+)\nWith muggins (-?\d+) to (\d+)", page.inner_text(".end"))
    assert told
    own, other, less, more = (int(points) for points in told.groups())
    assert (own - less, more - other) == (int(missed[1]), int(missed[1]))
    page.reload()
    page.wait_for_selector(".end:has-text('With muggins')")
