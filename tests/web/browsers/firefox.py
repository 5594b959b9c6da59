"""Firefox over WebDriver BiDi, with as much of Playwright's page as a `Person` needs.

Playwright has a BiDi driver, too, but asks for commands that Firefox's extended releases do not know.
"""

import base64
import itertools
import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SECONDS = 120  # The first moves and the coach compile.
KEYS = {"Space": " ", "Enter": "\ue007"}


def firefox() -> str | None:
    """The path of an installed Firefox; CARDGYM_FIREFOX overrides it."""
    names = (os.environ.get("CARDGYM_FIREFOX", ""), "firefox-esr", "firefox")
    return next((path for name in names if name and (path := shutil.which(name))), None)


class Socket:
    """The client's side of a WebSocket: texts of JSON, one frame each on the way out."""

    def __init__(self, address: str) -> None:
        host, _, port = address.removeprefix("ws://").partition(":")
        self._socket = socket.create_connection((host, int(port)), timeout=SECONDS)
        self._stream = self._socket.makefile("rb")
        lines = (
            *("GET /session HTTP/1.1", f"Host: {host}:{port}", "Upgrade: websocket", "Connection: Upgrade"),
            *(f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", "Sec-WebSocket-Version: 13", "", ""),
        )
        self._socket.sendall("\r\n".join(lines).encode())
        assert b" 101 " in self._stream.readline(), "Firefox accepts no WebSocket"
        while self._stream.readline().strip():
            pass

    def send(self, message: Any) -> None:
        text, mask = json.dumps(message).encode(), os.urandom(4)
        short = len(text) < 126  # Firefox insists on the shortest form.
        length = bytes([0x80 | len(text)]) if short else bytes([0x80 | 126]) + len(text).to_bytes(2, "big")
        masked = bytes(byte ^ key for byte, key in zip(text, itertools.cycle(mask), strict=False))
        self._socket.sendall(b"\x81" + length + mask + masked)

    def receive(self) -> Any:
        text, last = b"", False
        while not last:
            first, size = self._stream.read(2)
            length = size if size < 126 else int.from_bytes(self._stream.read(2 if size == 126 else 8), "big")
            part, last = self._stream.read(length), bool(first & 0x80)
            if first & 0x0F < 3:  # No ping or the like.
                text += part
            else:
                last = False
        return json.loads(text)


class FirefoxPage:
    """A page of a Firefox without a window; selectors are those of CSS.

    Attributes:
        keyboard: the page itself, which presses keys.
    """

    def __init__(self, folder: Path, width: int = 1280, height: int = 860) -> None:
        words = [str(firefox()), "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0"]
        log = folder / "log.txt"  # No pipe, which would hold Firefox up once it is full.
        with log.open("w") as file:
            self._process = subprocess.Popen(words, stdout=file, stderr=file)
        deadline = time.monotonic() + SECONDS
        while not (listening := re.search(r"BiDi listening on (ws://\S+)", log.read_text())):
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        self._socket = Socket(listening[1])
        self._numbers = itertools.count()
        self._told: dict[str, Callable[[Any], object]] = {}
        self.keyboard = self
        self._command("session.new", capabilities={})
        self._command("session.subscribe", events=["log.entryAdded"])
        self._context = self._command("browsingContext.getTree")["contexts"][0]["context"]
        self._command("browsingContext.setViewport", context=self._context, viewport={"width": width, "height": height})

    def close(self) -> None:
        self._process.kill()
        self._process.wait()

    def _command(self, method: str, **values: Any) -> Any:
        """Send a command; returns its result. What the page logs meanwhile goes to those who listen."""
        number = next(self._numbers)
        self._socket.send({"id": number, "method": method, "params": values})
        while (answer := self._socket.receive()).get("id") != number:
            if answer.get("method") == "log.entryAdded" and answer["params"]["level"] == "error":
                self._told["error"](answer["params"]["text"])
        assert answer["type"] == "success", f"{method}: {answer}"
        return answer["result"]

    def set_default_timeout(self, milliseconds: int) -> None:
        """Wait as long as `SECONDS` says, for all of them."""

    def on(self, event: str, told: Callable[[Any], object]) -> None:
        """Tell a `Person` what is logged as an error, including exceptions that nobody catches."""
        if event == "pageerror":
            self._told["error"] = told

    def goto(self, address: str) -> None:
        self._command("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def evaluate(self, function: str, *values: Any) -> Any:
        """What a function of JavaScript returns; arguments and result are JSON."""
        declared = f"async (...texts) => JSON.stringify(await ({function})(...texts.map(JSON.parse)) ?? null)"
        given = [{"type": "string", "value": json.dumps(value)} for value in values]
        answer = self._command(
            "script.callFunction",
            **{"functionDeclaration": declared, "arguments": given, "awaitPromise": True},
            target={"context": self._context},
        )
        assert answer["type"] == "success", answer
        return json.loads(answer["result"]["value"])

    def wait_for_selector(self, selector: str) -> "Element":
        deadline = time.monotonic() + SECONDS
        while not self.query_selector(selector):
            assert time.monotonic() < deadline, f"the page has no {selector}"
            time.sleep(0.02)
        return Element(self, selector)

    def query_selector(self, selector: str) -> "Element | None":
        there = self.evaluate("(selector) => Boolean(document.querySelector(selector))", selector)
        return Element(self, selector) if there else None

    def locator(self, selector: str) -> "Element":
        return Element(self, selector)

    def get_attribute(self, selector: str, name: str) -> str | None:
        return self.wait_for_selector(selector).get_attribute(name)

    def inner_text(self, selector: str) -> str:
        return str(self.wait_for_selector(selector).evaluate("(element) => element.innerText"))

    def press(self, key: str) -> None:
        presses = [{"type": kind, "value": KEYS.get(key, key)} for kind in ("keyDown", "keyUp")]
        self._perform("key", presses)

    def _perform(self, kind: str, actions: list[dict[str, Any]]) -> None:
        source = {"type": kind, "id": kind, "actions": actions}
        self._command("input.performActions", context=self._context, actions=[source])


class Element:
    """The first element of a selector, looked for whenever it is used."""

    def __init__(self, page: FirefoxPage, selector: str) -> None:
        self._page, self._selector = page, selector
        self.first = self

    def evaluate(self, function: str, *values: Any) -> Any:
        found = f"(selector, ...values) => ({function})(document.querySelector(selector), ...values)"
        return self._page.evaluate(found, self._selector, *values)

    def get_attribute(self, name: str) -> str | None:
        value = self.evaluate("(element, name) => element.getAttribute(name)", name)
        return None if value is None else str(value)

    def click(self) -> None:
        """Click the middle of the element once it is there and at rest, as a person with a mouse does."""
        self._page.wait_for_selector(self._selector)
        x, y = self.evaluate("""async (element) => { element.scrollIntoView({ block: "nearest" });
            const still = element.closest(".table, .lobby").getAnimations({ subtree: true });
            await Promise.all(still.map((animation) => animation.finished.catch(() => null)));
            const { left, top, width, height } = element.getBoundingClientRect();
            return [Math.round(left + width / 2), Math.round(top + height / 2)]; }""")
        presses = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        self._page._perform("pointer", [{"type": "pointerMove", "x": x, "y": y}, *presses])
