"""Take the pictures of docs/images from a real session: `python tests/web/screenshots.py`."""

from __future__ import annotations

import argparse
import io
import tempfile
from pathlib import Path
from typing import Any

from browsing import Person, Server, open_browser
from PIL import Image

FOLDER = Path(__file__).parents[2] / "docs" / "images"
GAMES: dict[str, dict[str, Any]] = {  # Seeds and moves that show much of a game.
    "cribbage": {"game": "Cribbage-v0", "seed": 11, "opponents": ["greedy"], "moves": 8},
    "coda": {"game": "CodaOfficial-v0", "seed": 4, "opponents": ["bayes"], "moves": 6},
    "corellian_spike": {"game": "CorellianSpike-v0", "seed": 3, "options": {"num_players": 3}, "moves": 3},
    "one_play_poker": {"game": "OnePlayPoker-v0", "seed": 2, "moves": 2},
}


def save(page: Any, name: str, folder: Path) -> None:
    """What the page shows, small."""
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    page.wait_for_timeout(300)
    path = folder / f"{name}.webp"
    Image.open(io.BytesIO(page.screenshot())).save(path, quality=80, method=6)
    print(f"{path} ({path.stat().st_size / 1000:.0f} kB)")


def take(folder: Path) -> None:
    """All pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, open_browser() as browser:
        server = Server(Path(data))
        wide = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme="light")
        person = Person(wide)
        for name, wanted in GAMES.items():
            moves = wanted["moves"]
            about = {key: value for key, value in wanted.items() if key not in ("game", "moves")}
            address = server.open_table(wanted["game"], hints="demand", **about)
            person.sit_down(address)
            for _ in range(moves):
                person.move("clicks")
            wide.keyboard.press("h")
            wide.wait_for_selector(".advice")
            save(wide, name, folder)
            wide.emulate_media(color_scheme="dark")
            save(wide, f"{name}_dark", folder)
            wide.emulate_media(color_scheme="light")
            phone = browser.new_page(viewport={"width": 390, "height": 760}, color_scheme="light")
            phone.goto(address)
            phone.wait_for_selector(".felt")
            save(phone, f"{name}_phone", folder)
            phone.close()
        wide.goto(server.url)
        wide.wait_for_selector(".games")
        save(wide, "lobby", folder)
        person.sit_down(server.open_table("Cribbage-v0", seed=8, opponents=["expert"]))
        person.play_to_the_end("clicks")
        wide.get_by_role("link", name="Review this game").click()
        wide.wait_for_selector(".review .felt", timeout=120_000)
        save(wide, "review", folder)
        server.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder for the pictures")
    take(parser.parse_args().out)
