"""The published page where things go wrong: storage, files, windows and networks."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Person
from page_hosts import Host, static_host

pytestmark = pytest.mark.slow
READY = "document.documentElement.dataset.ready !== undefined"
DAMAGE = """junk => new Promise(done => {
  const opening = indexedDB.open("cardgym", 1);
  opening.onsuccess = () => {
    const games = opening.result.transaction("games", "readwrite").objectStore("games");
    const reading = games.getAllKeys();
    reading.onsuccess = () => {
      junk.forEach((value, at) => games.put(value, at ? `${at}`.repeat(22) : reading.result[0]));
      games.transaction.oncomplete = done;
    };
  };
})"""
"""Writes each value as a game, the first one in place of a real one."""

JUNK = ["{", 5, None, {"a": 1}, "[]", "[1, [1, 2], 3]", '["2026", ["a", {}, [], 1, null, 7], [[1]]]', "[" * 5000]
NO_RECORDS = [b"", b"{}", b"\xff\xfe\0", b"[1]\n{", b'{"env": "Chess-v0"}', b"x" * 9_000_000, b"[" * 90_000]
SETTINGS = ("joined", "form.kuhn_poker", "puzzles.Coda-v0", "last", "record", "speed")
NO_STORAGE = """for (const name of ["indexedDB", "localStorage", "caches"])
  Object.defineProperty(self, name, { get() { throw new DOMException("denied", "SecurityError"); } });
"""

FULL_DISK = """const putGame = IDBObjectStore.prototype.put;
IDBObjectStore.prototype.put = function (...game) {
  const asked = putGame.apply(this, game);
  asked.addEventListener("success", () => this.transaction.abort());
  return asked;
};
"""
"""The browser finds out at the end of a transaction."""

KEPT = """() => caches.keys().then(async ([name]) => {
  const found = name && (await (await caches.open(name)).match(new URL("python/memory", location)));
  return (await found?.arrayBuffer())?.byteLength ?? 0;
})"""
"""How many bytes of memory are kept for the next visit; it must not open a cache before the page has made its own."""

SPOIL = """part => caches.keys().then(async ([name]) => {
  const cache = await caches.open(name);
  const place = new URL("python/memory", location);
  const memory = new Uint8Array(await (await cache.match(place)).arrayBuffer());
  await cache.put(place, new Response(part ? memory.slice(0, part) : memory.fill(7, 4096)));
})"""


@pytest.fixture
def host(small_page: Path) -> Iterator[Host]:
    with static_host(small_page) as host:
        yield host


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    yield page
    context.close()
    assert not page.faults


def sit_down(page: Any, game: str = "Kuhn Poker") -> None:
    page.get_by_role("article", name=game, exact=True).get_by_role("button", name="Sit down").click()
    page.wait_for_selector(".actions[data-phase=yours]")


def test_two_windows_show_one_game(page: Any, host: Host) -> None:
    page.goto(host.address)
    sit_down(page, "One Play Poker")
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(".actions[data-phase=yours]")
    Person(page).move("clicks")
    moved = page.get_attribute(".actions", "data-version")
    other.wait_for_selector(f".actions[data-version='{moved}']")
    assert other.inner_text(".felt") == page.inner_text(".felt")
    other.goto(f"{host.address}#/history")
    other.locator("button", has_text="delete").first.click()
    other.get_by_role("button", name="sure?").click()
    page.goto(f"{host.address}#/history")
    page.wait_for_selector("text=You have not finished a game yet")


def test_damaged_storage_is_named_and_can_be_deleted(page: Any, host: Host) -> None:
    page.goto(host.address)
    sit_down(page)
    page.evaluate(DAMAGE, JUNK)
    for value in ("{}", "[5]", "5", '"x"', "{"):
        page.evaluate("([names, value]) => names.forEach(n => localStorage[`cardgym.${n}`] = value)", [SETTINGS, value])
        page.goto(f"{host.address}#/")
        page.reload()
        page.wait_for_function(READY)
        page.wait_for_selector(".lobby article")
        assert not page.locator("#notice:not([hidden])").count()
    page.goto(f"{host.address}#/history")
    page.wait_for_selector(".history")
    for _ in range(page.locator("li", has_text="damaged").count()):
        page.locator("li button").first.click()
        page.get_by_role("button", name="sure?").click()
        page.get_by_role("button", name="sure?").wait_for(state="detached")
    assert not page.locator("li", has_text="damaged").count()
    page.goto(f"{host.address}#/")
    sit_down(page)


def test_a_file_that_is_no_record_is_refused(page: Any, host: Host) -> None:
    page.goto(f"{host.address}#/history")
    page.wait_for_selector(".history")
    for content in NO_RECORDS:
        page.evaluate("document.getElementById('notice').hidden = true")
        page.set_input_files("input[type=file]", {"name": "a.jsonl", "mimeType": "text/plain", "buffer": content})
        page.wait_for_selector("#notice:not([hidden])")
        assert "went wrong" not in page.inner_text("#notice"), content[:20]


@pytest.mark.parametrize(
    ("how", "part"),
    [("stop", "pyodide.asm.wasm"), ("stop", "pyodide.asm.js"), ("cut", "pyodide.asm.js"), ("cut", "numpy.bin")],
)
def test_a_network_that_fails_is_told_and_the_page_can_try_again(page: Any, host: Host, part: str, how: str) -> None:
    host.failing = lambda path: how if part in path else ""
    page.goto(host.address)
    page.wait_for_selector(".lobby article")
    again = page.get_by_role("button", name="Try again")
    again.wait_for()
    assert len(page.inner_text("#loading")) > 20
    host.failing = lambda path: ""
    again.click()
    sit_down(page)
    page.faults.clear()


def test_a_game_that_cannot_be_fetched_is_told_and_can_be_asked_for_again(page: Any, host: Host) -> None:
    page.goto(host.address)
    page.wait_for_function(READY)
    page.context.set_offline(True)
    page.get_by_role("article", name="Kuhn").get_by_role("button", name="Sit down").click()
    page.wait_for_selector("#notice:not([hidden])")
    assert "Without a network" in page.inner_text("#notice")
    page.context.set_offline(False)
    sit_down(page)


def test_the_next_visit_starts_from_the_memory_of_the_last_one(page: Any, host: Host) -> None:
    """Where it is damaged, the page can try again, and then does without."""
    page.goto(host.address)
    for damage in (None, 0, 10, 100_000):  # All but the head, or what is left of it.
        for _ in range(120):  # A minute.
            if page.evaluate(KEPT) >= 1_000_000:
                break
            page.wait_for_timeout(500)
        assert page.evaluate(KEPT) >= 1_000_000
        if damage is not None:
            page.evaluate(SPOIL, damage)
        page.reload()
        page.wait_for_selector("html[data-ready], #loading button", state="attached")
        assert page.locator("#loading button").count() == (damage is not None)
        if damage is not None:
            page.get_by_role("button", name="Try again").click()
        sit_down(page)
        page.goto(f"{host.address}#/")


def test_a_finger_plays_on_after_a_reload_while_the_coach_thinks(browser: Any, host: Host) -> None:
    context = browser.new_context(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(host.address)
    page.get_by_role("article", name="One Play Poker").get_by_role("button", name="Sit down").tap()
    person = Person(page)
    assert person.phase == "yours"
    shown = page.inner_text(".felt")
    page.get_by_role("button", name="Hint").tap()
    page.reload()
    page.wait_for_selector(".actions[data-phase=yours]")
    assert page.inner_text(".felt") == shown
    page.get_by_role("button", name="Hint").tap()
    page.wait_for_selector(".coach .advice")
    page.get_by_role("button", name="Close").tap()
    person.play_to_the_end("touch")
    assert not person.faults
    context.close()


@pytest.mark.parametrize("limits", [NO_STORAGE, FULL_DISK], ids=["forbidden", "full"])
def test_a_page_that_may_keep_nothing_says_so_and_plays(browser: Any, host: Host, limits: str) -> None:
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.add_init_script(limits)
    source = (host.folder / "static" / "worker.js").read_text()
    page.route("**/worker.js", lambda route: route.fulfill(body=limits + source, content_type="text/javascript"))
    page.goto(host.address)
    sit_down(page)
    assert "keeps nothing" in page.inner_text("#loading")
    person = Person(page)
    person.play_to_the_end("clicks")
    person.review()
    assert not faults
    context.close()
