"""Take the screenshots for the docs: `python tests/web/screenshots.py`."""

from __future__ import annotations

import argparse
import io
import tempfile
from pathlib import Path
from typing import Any

from browsing import Person, Server, open_browser
from PIL import Image

DOCS = Path(__file__).parents[2] / "docs"
GAMES: dict[str, dict[str, Any]] = {  # Seeds and moves that show many features of a game.
    "cribbage": {"game": "Cribbage-v0", "seed": 11, "opponents": ["greedy"], "moves": 11},
    "coda": {"game": "CodaOfficial-v0", "seed": 4, "opponents": ["bayes"], "moves": 6},
    "corellian_spike": {"game": "CorellianSpike-v0", "seed": 3, "options": {"num_players": 3}, "moves": 3},
    "one_play_poker": {"game": "OnePlayPoker-v0", "seed": 2, "moves": 2},
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


def take(folder: Path) -> None:
    """Take all screenshots."""
    with tempfile.TemporaryDirectory() as data, open_browser() as browser:
        server = Server(Path(data))
        wide = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme="light")
        person = Person(wide)
        phones: list[Image.Image] = []
        for name, wanted in GAMES.items():
            moves = wanted["moves"]
            about = {key: value for key, value in wanted.items() if key not in ("game", "moves")}
            address = server.open_table(wanted["game"], hints="demand", **about)
            person.sit_down(address)
            for _ in range(moves):
                person.move("clicks")
            wide.keyboard.press("h")
            wide.wait_for_selector(".advice", timeout=180_000)
            save(picture(wide), f"games/{name}/table", folder)
            wide.emulate_media(color_scheme="dark")
            save(picture(wide), f"games/{name}/table_dark", folder)
            wide.emulate_media(color_scheme="light")
            phone = browser.new_page(viewport={"width": 390, "height": 760}, color_scheme="light")
            phone.goto(address)
            phone.wait_for_selector(".felt")
            phones.append(picture(phone))
            phone.close()
        save(strip(phones), "images/phones", folder)
        wide.goto(server.url)
        wide.wait_for_selector(".games")
        save(picture(wide), "images/lobby", folder)
        person.sit_down(server.open_table("Cribbage-v0", seed=8, opponents=["expert"]))
        person.play_to_the_end("clicks")
        wide.get_by_role("link", name="Review this game").click()
        wide.wait_for_selector(".review .felt", timeout=120_000)
        save(picture(wide), "images/review", folder)
        server.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=DOCS, help="the folder of the docs")
    take(parser.parse_args().out)
