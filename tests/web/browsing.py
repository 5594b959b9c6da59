"""A server in a separate process and a person at its page, for the browser tests and the screenshots."""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)


def chromium() -> str | None:
    """The path of an installed Chromium; CARDGYM_CHROMIUM overrides it."""
    names = (os.environ.get("CARDGYM_CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if name and (path := shutil.which(name))), None)


@contextmanager
def open_browser() -> Iterator[Any]:
    """A headless Chromium, driven by Playwright."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield browser
        browser.close()


def faults_of(page: Any, impacts: Sequence[str] = ()) -> list[str]:
    """What axe finds on a page, all of it or only faults with these impacts."""
    from axe_playwright_python.sync_playwright import Axe

    faults = [fault for fault in Axe().run(page).response["violations"] if not impacts or fault["impact"] in impacts]
    return [f"{fault['id']} ({fault['impact']}): {fault['nodes'][0]['html'][:150]}" for fault in faults]


class Server:
    """`cardgym serve` with its own data folder. It keeps its port and games over `stop` and `start`."""

    def __init__(self, folder: Path, errors: Any = None) -> None:
        self.folder, self.errors = folder, errors
        self.port = 0
        self.start()

    def start(self) -> None:
        words = [sys.executable, "-m", "cardgym", "serve", "--port", str(self.port)]
        variables = {**os.environ, "CARDGYM_DATA_DIR": str(self.folder)}
        self.process = subprocess.Popen(words, env=variables, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "http" in line, f"the server says {line!r}"
        self.url = next(word for word in line.split() if word.startswith("http")).rstrip("/")
        self.port = int(self.url.rpartition(":")[2])

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()

    def open_table(self, game: str, **wanted: Any) -> str:
        """Open a table: seat 0, a fixed seed if a person may name it, no hints by default. Returns its address."""
        seed = None if "people" in wanted else 5
        body = {"game": game, "options": {}, "opponents": [], "seat": 0, "seed": seed, "hints": "off", **wanted}
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/api/tables", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            return f"{self.url}/#/table/{json.load(answer)['table']}"


class Person:
    """A person at a page."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.faults: list[str] = []
        page.set_default_timeout(120_000)  # The first moves and the coach compile.
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: self.faults.append(message.text) if message.type == "error" else None)

    def sit_down(self, address: str) -> None:
        self.page.goto("about:blank")  # Only the part after # differs, which would not reload the page.
        self.page.goto(address)
        self.page.wait_for_selector(".actions")
        self.set_speed("0")

    def set_speed(self, milliseconds: str) -> None:
        """How long each of the others' moves is shown; the settings need not be open for it."""
        self.page.locator("#speed").evaluate(
            "(field, value) => { field.value = value; field.dispatchEvent(new Event('change')); }", milliseconds
        )

    @property
    def phase(self) -> str:
        """`yours`, `watching`, `waiting`, `covered` or `ended`, once all moves are shown and all shows were passed."""
        while True:
            actions = self.page.wait_for_selector(".actions:not([data-phase=busy])")
            phase = str(actions.get_attribute("data-phase"))
            if phase != "paused":
                return phase
            self.page.keyboard.press("Space")

    @property
    def version(self) -> int:
        return int(self.page.get_attribute(".actions", "data-version"))

    @property
    def card_height(self) -> str:
        return str(self.page.locator(".felt").evaluate("felt => felt.style.getPropertyValue('--card')"))

    def move(self, way: str) -> None:
        """Make one move by `clicks`, `touch` or `keys`: the first item that can be taken, or the first action."""
        before = self.version
        press = "tap" if way == "touch" else "click"
        for _ in range(8):
            items = self.page.query_selector("button.item")
            if way == "keys":
                for key in ("ArrowRight", "Enter") if items else ("1",):
                    self.page.keyboard.press(key)
            else:
                first = "button.item[aria-pressed=false]" if items else ".moves button:not(.soft)"
                getattr(self.page.locator(first).first, press)()
            if self.phase == "ended" or self.version != before:
                return
        raise AssertionError(f"{way} made no move")

    def review(self) -> None:
        """Open the review of a finished game."""
        self.page.get_by_role("link", name="Review this game").click()
        self.page.wait_for_selector(".review .verdict")

    def play_to_the_end(self, way: str, max_moves: int = 400) -> int:
        """Play the game; returns how many moves it took."""
        deadline = time.monotonic() + 60
        for moves in range(max_moves):
            if self.phase == "ended":
                return moves
            assert time.monotonic() < deadline, "the game took too long"
            self.move(way)
        raise AssertionError(f"the game is not over after {max_moves} moves")
