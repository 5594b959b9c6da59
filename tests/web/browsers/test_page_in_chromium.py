"""The published page in Chromium, from a static host: whole games by clicks, in the words of the server."""

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from browsing import Person
from page_hosts import static_host

from cardgym.table.web.page import Page, PageLog

pytestmark = pytest.mark.slow
GAMES = {
    "Coda-v0": ("Coda", "search"),
    "CodaOfficial-v0": ("Coda", "official_ppo"),
    "CorellianSpike-v0": ("Corellian Spike", "ppo"),
    "CribbageDeal-v0": ("Cribbage", "expert"),
    "Cribbage-v0": ("Cribbage", "expert"),
    "KuhnPoker-v0": ("Kuhn Poker", "honest"),
    "LeducPoker-v0": ("Leduc Poker", "random"),
    "OnePlayPoker-v0": ("One Play Poker", ""),
}
"""The heading of each game's card in the lobby, and whom the person meets."""

LISTEN = """
const send = Worker.prototype.postMessage;
window.heard = [];
Worker.prototype.postMessage = function (message) {
  if (!heard.length) this.addEventListener("message", ({ data }) => {
    const asked = heard.find(({ id }) => id === data.id);
    if (asked) Object.assign(asked, { status: data.status, text: data.text });
  });
  heard.push({ ...message });
  send.call(this, message);
};
"""
"""Keeps what the page asks its worker, and the answers."""

TIMED = re.compile(r"/api/busy")
"""Requests whose answers depend on the time."""


def answered(visits: list[list[dict[str, Any]]]) -> int:
    """Ask the server's application what a page asked its worker at each visit; the answers have to be the same."""
    kept: dict[str, Any] = {}
    ids: dict[str, str] = {}
    compared = 0

    def save(id: str, text: str | None) -> None:
        kept.update({id: text}) if text is not None else kept.pop(id, None)

    async def replay(visit: list[dict[str, Any]]) -> None:
        nonlocal compared
        page = Page(PageLog(dict(kept), save))
        for asked in visit:
            if TIMED.match(asked["path"]):
                continue
            status, text = await page.answer(asked["method"], renamed(asked["path"]), renamed(asked.get("body") or ""))
            assert status == asked["status"], (asked, text)
            told = json.loads(text) if text.startswith("{") else {}
            made = "table" if status == 201 else "puzzle"
            if made in told:
                ids[json.loads(asked["text"])[made]] = told[made]
            answers: tuple[str, ...] = text, renamed(asked["text"])
            if asked["path"] == "/api/lobby":  # A page has its games and their players from a file.
                answers = tuple(json.dumps(json.loads(answer)["tables"]) for answer in answers)
            assert comparable(answers[0]) == comparable(answers[1]), asked["path"]
            compared += 1

    def renamed(text: str) -> str:
        for id, other in ids.items():
            text = text.replace(id, other)
        return text

    with ThreadPoolExecutor(1) as thread:  # Playwright has a loop in this one.
        for visit in visits:
            thread.submit(asyncio.run, replay(visit)).result()
    return compared


def comparable(text: str) -> str:
    """Leave out times, and the last digits of ratings and errors.

    Ratings are logarithms, and C libraries round those differently; NumPy orders sums of squares as processors like.
    """
    text = re.sub(r'"(rating|mu|sigma|half_width|error)":[-.\de]+', lambda one: one[0][: one[0].index(":") + 12], text)
    return re.sub(r'"(time|numba)": ?"[^"]*"', "", text)


CHOOSE = """document.querySelector(".actions[data-phase=yours]") &&
  document.querySelector("button.item[aria-pressed=false], .moves button").click()"""


class Visitor(Person):
    """A person at the page, who notes what the page asked at each visit."""

    def __init__(self, page: Any) -> None:
        page.add_init_script(LISTEN)
        super().__init__(page)
        page.set_default_timeout(45_000)
        self.visits: list[list[dict[str, Any]]] = []

    def leave(self) -> None:
        """Call before the page is loaded again."""
        self.page.wait_for_function("heard.every(({ status }) => status)")
        self.visits.append(self.page.evaluate("heard"))

    def start(self, card: Any, game: str, opponent: str) -> None:
        """Fill in a game's form, and sit down."""
        self.page.wait_for_function("document.documentElement.dataset.ready !== undefined")
        variant = card.locator(f".segments label:has([value='{game}'])")
        if variant.count():
            variant.click()
        card.get_by_text("Options", exact=True).click()
        card.locator("[name=seat]").select_option("0")
        if opponent:
            if card.locator("[name=level]").count():
                card.locator("[name=level]").select_option("choose")
            card.locator("[name=opponent0]").select_option(opponent)
        card.locator("[name=seed]").fill("7")
        card.get_by_role("button", name="Sit down").click()
        self.page.wait_for_selector(".actions")
        self.set_speed("0")

    def begin(self) -> None:
        """Ask the coach, move, and take the move back."""
        page = self.page
        if self.phase != "yours":
            return
        page.keyboard.press("h")
        page.wait_for_selector(".coach .advice")
        page.wait_for_selector("[data-part=thinking]", state="detached")
        before = page.inner_text(".felt")
        self.move("clicks")
        if self.phase == "yours" and page.locator("[data-key=undo]:not(.idle)").count():
            page.keyboard.press("u")
            page.wait_for_function("text => document.querySelector('.felt').innerText === text", arg=before)

    def learn(self, card: Any) -> None:
        """Follow the game's lesson, if it has one."""
        lesson = card.get_by_role("button", name="Learn by playing")
        if lesson.count():
            lesson.click()
            self.page.wait_for_selector(".now.tip")
            self.set_speed("0")
            proposed = self.page.locator("button.guide:not([aria-pressed=true])")
            for _ in range(60):
                if self.phase != "ended" and proposed.count():
                    proposed.first.click()
            assert self.page.inner_text(".now.tip")

    def solve(self) -> None:
        """Solve a puzzle, well or not; of another game, if this one has none."""
        page = self.page
        page.wait_for_selector(".puzzle .actions")
        for _ in range(20):
            page.evaluate(CHOOSE)
            page.wait_for_timeout(100)
        page.get_by_role("button", name="Next puzzle").wait_for()


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_game_is_played_by_clicks_as_the_server_plays_it(browser: Any, whole_page: Path, game: str) -> None:
    heading, opponent = GAMES[game]
    with static_host(whole_page) as host:
        context = browser.new_context()
        visitor = Visitor(context.new_page())
        page = visitor.page
        card = page.get_by_role("article", name=heading)
        page.goto(host.address)
        visitor.start(card, game, opponent)
        visitor.begin()
        shown = page.inner_text(".felt")
        page.evaluate("navigator.serviceWorker.ready")
        visitor.leave()
        page.reload()  # In mid-game.
        page.wait_for_selector(".actions:not([data-phase=busy])")
        assert page.inner_text(".felt") == shown
        visitor.leave()
        context.set_offline(True)
        page.reload()
        page.wait_for_selector(".actions")
        visitor.set_speed("0")
        visitor.play_to_the_end("clicks")
        visitor.review()
        page.goto(f"{host.address}#/history")
        page.wait_for_selector(".history caption")
        visitor.leave()
        context.set_offline(False)  # The lesson may be another game's of the family.
        page.evaluate("localStorage.clear()")  # Lessons are offered before the first game.
        page.goto(f"{host.address}#/")
        page.reload()
        visitor.learn(card)
        visitor.leave()
        page.goto(f"{host.address}#/puzzles/{game}?day")
        visitor.solve()
        visitor.leave()
        assert answered(visitor.visits) > 3
        assert not [fault for fault in visitor.faults if "fetch" not in fault]
        context.close()
