"""Take the screenshots for the docs: `python tests/web/screenshots.py`.

It also keeps what each page consists of; `--check` plays the same moves again and compares.
"""

import argparse
import io
import re
import tempfile
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import Any

from browsing import Person, Server, open_browser
from PIL import Image

DOCS = Path(__file__).parents[2] / "docs"
STRUCTURES = Path(__file__).parent / "pictures.yaml"
GAMES: dict[str, tuple[int, dict[str, Any]]] = {  # Moves and seeds that show many features of a game.
    "cribbage": (11, {"game": "Cribbage-v0", "seed": 11, "opponents": ["greedy"]}),
    "coda": (6, {"game": "CodaOfficial-v0", "seed": 4, "opponents": ["bayes"]}),
    "corellian_spike": (3, {"game": "CorellianSpike-v0", "seed": 3, "options": {"num_players": 3}}),
    "one_play_poker": (2, {"game": "OnePlayPoker-v0", "seed": 2}),
}


def picture(page: Any) -> Image.Image:
    """A screenshot of the page."""
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    page.wait_for_timeout(300)
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def strip(images: list[Image.Image]) -> Image.Image:
    """Pictures of equal height side by side."""
    whole = Image.new("RGB", (sum(image.width + 20 for image in images) - 20, images[0].height), "#ffffff")
    at = 0
    for image in images:
        whole.paste(image, (at, 0))
        at += image.width + 20
    return whole


def save(image: Image.Image, name: str, folder: Path) -> None:
    """Save a picture as a small file."""
    path = folder / f"{name}.webp"
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, quality=80, method=6)
    print(f"{path} ({path.stat().st_size / 1000:.0f} kB)")


def play(browser: Any, data: Path, take: Callable[[str, Any], object]) -> dict[str, str]:
    """Play the games of the pictures on a separate server; take each page by its name, and return their structures."""
    server = Server(data)
    structures = {}

    def shoot(name: str, page: Any) -> None:
        take(name, page)
        structures[name] = structure(page)

    wide = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme="light")
    person = Person(wide)
    for name, (moves, wanted) in GAMES.items():
        address = server.open_table(hints="demand", **wanted)
        person.sit_down(address)
        for _ in range(moves):
            person.move("clicks")
        wide.keyboard.press("h")
        wide.wait_for_selector(".coach:has(.advice):not(:has([data-part=thinking]))")
        shoot(f"games/{name}/table", wide)
        phone = browser.new_page(viewport={"width": 390, "height": 760}, color_scheme="light")
        phone.goto(address)
        phone.wait_for_selector(".felt")
        shoot(f"images/phones/{name}", phone)
        phone.close()
    wide.goto(server.url)
    wide.wait_for_selector(".games")
    shoot("images/lobby", wide)
    person.sit_down(server.open_table("Cribbage-v0", seed=8, opponents=["expert"]))
    person.play_to_the_end("clicks")
    person.review()
    shoot("images/review", wide)
    wide.close()
    server.stop()
    return structures


def structure(page: Any) -> str:
    """What a page consists of, as YAML: roles, names and texts, without random addresses and measured figures."""
    text = str(page.locator("body").aria_snapshot())
    return re.sub(r"\d+\.\d+", "#", re.sub(r"(table/|review/|record=)[\w-]+", r"\1#", text))


def structures_on_file() -> dict[str, str]:
    """What the pages of the pictures consisted of when these were taken."""
    _, *parts = re.split(r"^([\w/]+):\n", STRUCTURES.read_text(), flags=re.MULTILINE)
    return {name: text.rstrip("\n") for name, text in zip(parts[::2], parts[1::2], strict=True)}


def take(browser: Any, data: Path) -> None:
    """Take all screenshots."""
    phones: list[Image.Image] = []

    def shoot(name: str, page: Any) -> None:
        image = picture(page)
        if name.startswith("images/phones/"):
            phones.append(image)
        else:
            save(image, name, DOCS)
        if name.startswith("games/"):
            page.emulate_media(color_scheme="dark")
            save(picture(page), f"{name}_dark", DOCS)
            page.emulate_media(color_scheme="light")

    structures = play(browser, data, shoot)
    save(strip(phones), "images/phones", DOCS)
    STRUCTURES.write_text("".join(f"{name}:\n{text}\n" for name, text in structures.items()))


def changes(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """A line for each picture that shows a page which has changed since, with the first difference."""
    lines = []
    for name in sorted({*before, *now}):
        pairs = zip_longest(before.get(name, "").splitlines(), now.get(name, "").splitlines(), fillvalue="nothing")
        first = next(((old, new) for old, new in pairs if old != new), None)
        if first:
            lines.append(f"{name} has changed: was {first[0].strip()}, is {first[1].strip()}")
    return lines


def check(browser: Any, data: Path) -> list[str]:
    """Play the same moves again; a line for each picture that shows a page which has changed since."""
    return changes(structures_on_file(), play(browser, data, lambda name, page: page.wait_for_timeout(300)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="take none, and name those whose page has changed since")
    only_check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as folder, open_browser() as chromium:
        if not only_check:
            take(chromium, Path(folder))
        elif found := check(chromium, Path(folder)):
            raise SystemExit("\n".join([*found, "take them again: python tests/web/screenshots.py"]))
