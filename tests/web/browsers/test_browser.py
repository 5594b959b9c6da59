"""The page in Chromium: games by clicks and keys, reloads, restarts, phones and dark mode."""

from typing import Any

import pytest
from browsing import Person, Server, faults_of

from cardgym.engine.registry import registered

GAMES: dict[str, dict[str, Any]] = {
    "CorellianSpike-v0": {"hands": 2},
    "OnePlayPoker-v0": {},
    "Coda-v0": {},
    "CodaOfficial-v0": {},
    "Cribbage-v0": {"target": 61},
    "KuhnPoker-v0": {},
}


WAYS = [("CorellianSpike-v0", "clicks"), ("Cribbage-v0", "touch"), ("KuhnPoker-v0", "keys")]


@pytest.mark.parametrize(
    ("game", "way"),
    [
        pytest.param(game, way, marks=() if (game, way) in WAYS else pytest.mark.slow)
        for game in sorted({*GAMES, *registered()})
        for way in ("clicks", "keys", "touch")
    ],
)
def test_a_game_can_be_played_to_the_end(server: Server, browser: Any, game: str, way: str) -> None:
    size = {"width": 390, "height": 844} if way == "touch" else {"width": 1280, "height": 860}
    person = Person(browser.new_page(viewport=size, has_touch=way == "touch"))
    person.sit_down(server.open_table(game, options=GAMES.get(game, {}), seed=6))
    assert person.play_to_the_end(way) > 0
    assert person.page.inner_text(".result")
    assert person.page.get_by_role("link", name="Review this game").is_visible()
    assert not person.faults
    person.page.close()


def test_a_game_starts_from_the_lobby(server: Server, person: Person) -> None:
    person.page.goto(server.url)
    person.page.locator("article", has_text="Kuhn").get_by_role("button", name="Sit down").click()
    person.page.wait_for_selector(".felt")
    assert person.page.get_attribute(".own .item", "aria-label") in ("jack", "queen", "king")
    assert person.page.get_attribute(".others .item", "aria-label") == "card, face down"
    person.page.set_viewport_size({"width": 1024, "height": 600})
    person.page.go_back()
    person.page.get_by_role("link", name="Continue Kuhn Poker with Honest").wait_for()
    box = person.page.locator(".sit").first.bounding_box()
    assert box["y"] + box["height"] <= 600  # Without scrolling.


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
    person.faults.clear()  # The browser reports the lost connection.
    person.move("clicks")
    assert person.version > moved


def test_a_game_can_be_resigned_at_the_table(server: Server, person: Person) -> None:
    page, resign = person.page, person.page.locator(".side [data-key=resign]")
    person.sit_down(server.open_table("KuhnPoker-v0"))
    resign.dblclick()
    assert resign.inner_text() == "sure?"  # A double click is not the answer, nor is a key that is held down.
    resign.click()
    page.wait_for_selector(".games")  # Nothing was decided: the table is gone.
    person.sit_down(server.open_table("OnePlayPoker-v0"))
    before = person.version
    for number in (2, 3):  # Clicks that follow soon: a double click's is no second move, a further one is meant.
        assert person.version == before
        click = f"one => one.dispatchEvent(new MouseEvent('click', {{detail: {number}}}))"
        page.locator(".moves button").first.evaluate(click)
    assert person.phase == "yours"
    assert person.version > before
    resign.focus()
    for _ in range(3):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    assert resign.inner_text() == "sure?"
    page.locator(".moves button").first.focus()
    focused = []
    for _ in range(3):  # Other keys that are held down do what they do elsewhere.
        page.keyboard.down("Tab")
        focused.append(page.evaluate("document.activeElement.outerHTML"))
    page.keyboard.up("Tab")
    assert len({*focused}) == 3
    resign.click()
    assert page.wait_for_selector(".end").inner_text() == "You resigned"


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
    person.set_speed("1800")
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
    person.set_speed("0")


def test_pencil_marks_stay_until_they_are_put_away(server: Server, person: Person) -> None:
    page = person.page
    person.sit_down(server.open_table("Coda-v0", seed=3, options={"n_start": 4}))
    assert page.query_selector(".marks") is None
    page.keyboard.press("p")
    hidden = page.locator(".others .item[aria-label^=hidden]")
    assert page.locator(".others .marks").count() == hidden.count() > 1
    assert all(", can be " in tile.get_attribute("aria-label") for tile in hidden.all())
    sizes = "marks => marks.filter(mark => mark.scrollHeight > mark.clientHeight + 1).length"
    assert page.locator(".marks").evaluate_all(sizes) == 0
    page.reload()
    page.wait_for_selector(".others .marks")
    page.get_by_role("button", name="Pencil").click()
    page.wait_for_selector(".others .marks", state="detached")


def test_agents_can_be_watched_step_by_step_or_running(server: Server, person: Person) -> None:
    person.sit_down(server.open_table("Cribbage-v0", options={"target": 31}, seat=None, opponents=["greedy", "expert"]))
    assert person.phase == "watching"
    moves = []
    for key in ("n", "n", "ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowRight"):
        before = person.page.inner_text(".felt") + person.page.inner_text(".now")
        person.page.keyboard.press(key)
        person.page.wait_for_function(
            "text => document.querySelector('.felt').innerText + document.querySelector('.now').innerText !== text",
            arg=before,
        )
        assert person.phase == "watching"
        person.page.wait_for_selector(".now small:has-text(':')")
        moves.append(person.page.inner_text(".now span"))
    assert moves[2:] == [*moves[2:4], moves[2], moves[1]]
    person.page.keyboard.press("r")
    person.page.wait_for_selector(".actions[data-phase=ended]")


@pytest.mark.parametrize(
    ("look", "games"),
    [
        ("light", ["Cribbage-v0"]),
        pytest.param(
            "light", ["Coda-v0", "KuhnPoker-v0", "CorellianSpike-v0", "OnePlayPoker-v0"], marks=pytest.mark.slow
        ),
        pytest.param("dark", ["Cribbage-v0", "KuhnPoker-v0"], marks=pytest.mark.slow),
    ],
)
def test_pages_are_accessible_and_fit_a_phone(server: Server, browser: Any, look: str, games: list[str]) -> None:
    page = browser.new_page(viewport={"width": 375, "height": 740}, color_scheme=look)
    person = Person(page)
    address = server.open_table("OnePlayPoker-v0")
    person.sit_down(address)
    person.play_to_the_end("keys")
    many_names = {"seat": None, "opponents": ["heuristic"], "options": {"num_players": 6}}
    server.open_table("CorellianSpike-v0", **many_names)
    places = [(server.url, ".games"), (f"{server.url}/#/history", ".history table")]
    places += [(address.replace("#/table/", "#/review/"), ".review .felt")]
    places += [(f"{server.url}/#/join", ".join-form"), (f"{server.url}/#/explore/{games[-1]}", ".explore .advice")]
    places += [(server.open_table("KuhnPoker-v0", people="hot", opponents=["human"]), "[data-phase=covered]")]
    places += [(server.open_table(game, hints="demand"), ".felt") for game in games]
    found = []
    for address, there in places:
        page.goto(address)
        page.wait_for_selector(there)
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), f"{address} is too wide"
        unfit = page.locator(".listing thead, .listing td:empty, .actions kbd")  # A table is a list here, without keys.
        assert not any(part.is_visible() for part in unfit.all()), address
        found += [f"{address} {fault}" for fault in faults_of(page, ("serious", "critical"))]
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(17, 21, 27)") == (look == "dark")
    page.close()
    assert not found, "\n".join(found)
    assert not person.faults


SIZES = [(390, 844), (844, 390), (1024, 600), (1440, 900)]

IN_WINDOW = """() => {
  const felt = document.querySelector('.felt').getBoundingClientRect();
  const screen = {left: 0, top: 0, right: innerWidth, bottom: innerHeight};
  return [...document.querySelectorAll(
    '.own .item, .own .counters div, .actions button:not(.idle), .actions a')].filter(element => {
    const [box, room] = [element.getBoundingClientRect(), element.closest('.felt') ? felt : screen];
    return box.width && (box.left < room.left - 1 || box.top < room.top - 1 || box.right > room.right + 1 ||
      box.bottom > room.bottom + 1);
  }).map(element => element.outerHTML.slice(0, 120)); }"""
"""The person's cards and counters that are not on the felt, and the buttons that are not in the window."""

CUT_NAMES = """() => [...document.querySelectorAll('.player h2 span:first-child, .player .counters *')].filter(
  text => text.scrollWidth > text.clientWidth + 1 && getComputedStyle(text).display !== 'none')
  .map(text => text.textContent)"""
"""Names and counters of players that are not shown in full."""

COVERED_NAMES = """() => [...document.querySelectorAll('.player')].flatMap(player => {
  const cards = [...player.querySelectorAll('.items')].map(items => items.getBoundingClientRect());
  return [...player.querySelectorAll('h2')].filter(name => { const box = name.getBoundingClientRect();
    return cards.some(other => Math.min(box.right, other.right) - Math.max(box.left, other.left) > 1 &&
      Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top) > 1); }).map(name => name.textContent); })"""
"""Names of players that lie under or over cards."""

TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""On a busy machine a shift is reported late, and would count for the next decision."""

WATCH_SHIFTS = """() => { const shifts = []; const add = found => { for (const shift of found)
  shifts.push([shift.value, shift.sources.map(s => s.node?.outerHTML?.slice(0, 80)).join(' | ')]); };
  const observer = new PerformanceObserver(list => add(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: false });
  window.takeShifts = () => { add(observer.takeRecords()); return shifts.splice(0); }; }"""


QUICK = [("Cribbage-v0", SIZES[0]), ("CorellianSpike-v0", SIZES[1])]


@pytest.mark.parametrize(
    ("game", "size"),
    [
        pytest.param(game, size, marks=() if (game, size) in QUICK else pytest.mark.slow)
        for game in GAMES
        for size in (*SIZES, (3840, 2160))
        if game != "Coda-v0"
    ],
)
def test_nothing_jumps_and_everything_is_in_the_window(
    server: Server, person: Person, game: str, size: tuple[int, int]
) -> None:
    page = person.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    # With seed 3, a line of Coda begins short, as a joker is still to be placed, and grows to eleven tiles.
    person.sit_down(server.open_table(game, options=GAMES[game], seed=3, hints="demand"))
    card = person.card_height
    page.evaluate(WATCH_SHIFTS)
    for _ in range(12):
        ended = person.phase == "ended"
        assert page.evaluate(IN_WINDOW) == []
        assert page.evaluate(COVERED_NAMES) == []
        if ended:
            break
        person.move("clicks")
        page.evaluate(TWO_FRAMES)
        page.wait_for_timeout(50)
        shifts = page.evaluate("() => window.takeShifts()")
        assert sum(value for value, _ in shifts) < 0.02, shifts
    assert person.card_height == card


@pytest.mark.parametrize("size", [SIZES[0], *(pytest.param(size, marks=pytest.mark.slow) for size in SIZES[1:])])
def test_eight_players_fit(server: Server, person: Person, size: tuple[int, int]) -> None:
    person.page.set_viewport_size({"width": size[0], "height": size[1]})
    person.sit_down(server.open_table("CorellianSpike-v0", options={"num_players": 8}))
    for _ in range(3):
        assert person.phase == "yours"
        assert person.page.evaluate(IN_WINDOW) == []
        assert person.page.query_selector(".felt.tight") is None
        assert person.page.evaluate(CUT_NAMES) == []
        person.move("clicks")


def test_a_guess_at_coda_offers_only_what_can_be_there(server: Server, person: Person) -> None:
    page = person.page
    person.sit_down(server.open_table("Coda-v0", seed=3, options={"n_start": 4}))
    assert person.phase == "yours"
    assert "line, then what it is" in page.inner_text(".actions")
    color = "white" if "white" in page.get_attribute(".others button.item", "aria-label") else "black"
    page.locator(".others button.item").first.click()
    choices = page.locator(".palette button.item")
    assert choices.count() > 1
    assert all(color in choice.get_attribute("aria-label") for choice in choices.all())


def test_a_showdown_names_the_rule_and_waits(server: Server, person: Person) -> None:
    person.sit_down(server.open_table("CorellianSpike-v0", options={"hands": 2}))
    page = person.page
    for _ in range(40):
        if page.get_attribute(".actions", "data-phase") == "paused":
            break
        texts = page.locator(".moves > button:not(.soft)").all_inner_texts()
        chosen = next((at for at, text in enumerate(texts) if text.startswith(("match", "don't"))), 0)
        page.keyboard.press(str(1 + chosen))
        page.wait_for_selector(".actions:not([data-phase=busy])")
    assert " wins the pool" in page.inner_text(".banner") or "You win the pool" in page.inner_text(".banner")
    assert page.query_selector(".others .item[data-symbol='card-back']") is None  # Turned up in place.
    page.wait_for_timeout(300)
    assert page.get_attribute(".actions", "data-phase") == "paused"
    page.get_by_role("button", name="Go on").click()
    assert person.phase == "yours"
    assert page.query_selector(".banner") is None


def test_the_rules_and_the_tips_of_a_first_game(server: Server, person: Person) -> None:
    page = person.page
    page.goto(server.url)
    card = page.locator("article", has_text="Corellian")
    card.get_by_role("button", name="Rules").click()
    assert "The showdown" in page.inner_text("#rules[open]")
    assert page.locator("#rules .examples .item").count() >= 12
    page.keyboard.press("Escape")
    card.get_by_role("button", name="Learn by playing").click()
    for step in range(1, 9):  # The first hand, explained choice by choice.
        page.wait_for_selector(f".now.tip:has-text('{step} of 8')")
        person.set_speed("0")
        page.locator("button.guide" if step != 3 else "button.item.guide").first.click()
        page.wait_for_selector(".actions:not([data-phase=busy])")
    assert "the pool is yours" in page.inner_text(".now")
    assert person.phase == "ended"
    page.evaluate("localStorage.clear()")
    page.goto(server.url)
    card.get_by_role("button", name="Sit down").click()
    page.wait_for_selector(".now.tip")
    assert "nearest to 0" in page.inner_text(".now")
    page.get_by_role("button", name="Skip tips").click()
    assert page.query_selector(".now.tip") is None
    page.reload()
    page.wait_for_selector(".felt")
    assert page.query_selector(".now.tip") is None


def test_a_choice_that_is_only_in_the_new_form_stays_chosen(server: Server, person: Person) -> None:
    """As where the answer to a form comes late, and a person has gone on choosing."""
    person.page.goto(server.url)
    chosen = person.page.evaluate("""async () => {
        const { h, patch } = await import("/static/dom.js");
        const draw = (words) => h("select", words.map((word) => h("option", { selected: word === "last" }, word)));
        const old = draw(["first", "last"]);
        patch(old, draw(["first", "second", "third", "last"]));
        return old.value;
    }""")
    assert chosen == "last"


def test_the_lobby_remembers_level_and_variant(server: Server, person: Person) -> None:
    page = person.page
    page.goto(server.url)
    card = page.locator("article", has_text="Cribbage")
    card.get_by_text("Deal", exact=True).click()
    card.get_by_label("level").select_option("Easy")
    card.get_by_text("You meet Greedy").click()
    assert "against Expert" in card.inner_text()
    page.reload()
    card.get_by_text("You meet Greedy").wait_for()
    card.get_by_role("button", name="Sit down").click()
    page.wait_for_selector(".felt")
    assert "Greedy" in page.inner_text(".others")
    assert "Cribbage Deal" in page.locator("h1").inner_text()
