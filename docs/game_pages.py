"""Generate the reference page of every registered game from its `Game`.

    python docs/game_pages.py [--pictures] [ID ...]

The pages are committed, and a test checks that they are current. `--pictures` also regenerates the animations: a game
between the default opponents, as the first seat sees it.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
from pathlib import Path
from typing import Any

import gymnasium
import yaml

import cardgym
from cardgym.engine.contract import Game
from cardgym.engine.registry import package_of
from cardgym.files.atomic import replacing
from cardgym.players.base import TablePlayer, resolve
from cardgym.table.presentation import presentation_of

HERE = Path(__file__).parent
CITATIONS = HERE.parent / "CITATION.cff"
MAX_FRAMES, WIDTH, FRAME_MS, LAST_MS = 30, 480, 1200, 5000
"""Animation: maximum number of frames, width in pixels, and duration of a frame and of the last frame in ms."""


def folder_of(game: Game) -> Path:
    """The folder of a game's pages."""
    package = package_of(game)
    return HERE / "games" / (package.name if package else game.id)


def page_of(game: Game) -> str:
    """The text of a game's reference page."""
    env = gymnasium.make(game.id)
    strength = presentation_of(game).strength.get(game.id, {})
    first, heading, rest = game.doc.strip().partition("## Description")
    lines = [
        f"# {game.id}",
        "",
        f"<!-- Made by docs/game_pages.py from the code of {game.id}. -->",
        "",
        *([first.strip(), ""] if first else []),
        f"![A game of {game.id}, as its first seat sees it]({game.id}.webp)",
        "",
        "| | |",
        "|---|---|",
        f'| make it | `gymnasium.make("cardgym:{game.id}")`; without `cardgym:` after `import cardgym` |',
        f"| action space | `{env.action_space}` |",
        f"| observation space | {_space(env.observation_space)} |",
        f"| players at the table | {_seats(game)} |",
        "",
        "`help(env.unwrapped)` prints the text below. [More about the game](README.md): decisions where the sources",
        "are silent, known values, and measurements.",
        "",
        _fenced(heading + rest).strip(),
        "",
        "## Players",
        "",
        "Each is a name for `opponent=` and `--players`. The figures have 95 % intervals.",
        "",
        "| player | kind | measured |",
        "|---|---|---|",
        "| `random` | compiled | uniform over the legal actions |",
        *(f"| `{name}` | {_kind(game, name)} | {strength.get(name, '')} |" for name in game.players),
    ]
    entries = citations(game)
    if entries:
        lines += ["", "## How to cite", "", "The game is from:", "", "```bibtex", *entries, "```", ""]
        lines += ["[CITATION.cff](../../../CITATION.cff) is the entry of cardgym itself."]
    return "\n".join(lines) + "\n"


def _seats(game: Game) -> str:
    for spec in dataclasses.fields(game.options):
        if spec.name == "num_players":
            return f"{spec.metadata['low']} to {spec.metadata['high']}"
    return str(game.options.num_players)


def _space(space: gymnasium.Space[Any]) -> str:
    return f"`Box` of {space.shape}, {space.dtype}" if isinstance(space, gymnasium.spaces.Box) else f"`{space}`"


def _fenced(text: str) -> str:
    """The documentation with its feature tables in code fences."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    table = re.compile(r"(?:^\d+(?:\.\.\d+)? +\w+ +\[.*\n)+", re.MULTILINE)
    return "".join(part if part.startswith("```") else table.sub(r"```\n\g<0>```\n", part) for part in parts)


def _kind(game: Game, name: str) -> str:
    if name in game.compiled_players:
        return "compiled"
    return "table" if isinstance(resolve(name, game, game.parse_options()), TablePlayer) else "Python"


def citations(game: Game) -> list[str]:
    """BibTeX entries from CITATION.cff whose authors appear under References in the game's documentation."""
    sections = re.split(r"^## ", game.doc, flags=re.MULTILINE)
    references = next((section for section in sections if section.startswith("References")), "")
    works = yaml.safe_load(CITATIONS.read_text(encoding="utf-8"))["references"]
    return [
        bibtex(work)
        for work in works
        if all(re.search(rf"\b{author['family-names']}\b", references) for author in work["authors"])
    ]


def bibtex(work: dict[str, Any]) -> str:
    """A CITATION.cff reference as BibTeX."""
    authors = [f"{author['family-names']}, {author['given-names']}" for author in work["authors"]]
    values = {
        "author": " and ".join(authors),
        "title": f"{{{work['title']}}}",
        "institution": work.get("institution", {}).get("name"),
        "year": work.get("year"),
        "note": work.get("notes"),
    }
    key = work["authors"][0]["family-names"].lower() + str(work.get("year", ""))
    fields = [f"  {name} = {{{value}}}" for name, value in values.items() if value]
    return ",\n".join([f"@techreport{{{key}", *fields]) + "\n}"


def draw(game: Game, path: Path, seed: int = 1) -> None:
    """Write an animation of a game with the default opponent in every seat."""
    from PIL import Image

    from cardgym.players.base import resolve
    from cardgym.table.drawings.picture import picture_of
    from cardgym.table.session import Session
    from cardgym.table.setup import Setup

    options = game.parse_options()
    player = resolve(game.opponent, game, options)
    session = Session(Setup(game, options, [player] * options.num_players, seed, watched=True))
    frames = [picture_of(game, event.after, 0) for event in session.play() if event.text]
    if len(frames) > MAX_FRAMES:  # Keep the start and the end of a long game.
        frames = frames[: MAX_FRAMES - 4] + frames[-4:]
    drawn = [Image.fromarray(frame) for frame in frames]
    small = [image.resize((WIDTH, image.height * WIDTH // image.width), Image.Resampling.LANCZOS) for image in drawn]
    times = [FRAME_MS] * (len(small) - 1) + [LAST_MS]
    with replacing(path) as temporary:
        small[0].save(
            temporary,
            format="WEBP",
            save_all=True,
            append_images=small[1:],
            duration=times,
            loop=0,
            quality=60,
            method=6,
        )


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", metavar="ID", help="the games (all)")
    parser.add_argument("--pictures", action="store_true", help="also draw the animations")
    arguments = parser.parse_args()
    for game_id in arguments.ids or cardgym.registered():
        game = cardgym.find(game_id)
        folder = folder_of(game)
        folder.mkdir(exist_ok=True)
        with replacing(folder / f"{game_id}.md") as temporary:
            temporary.write_text(page_of(game), encoding="utf-8")
        if arguments.pictures:
            draw(game, folder / f"{game_id}.webp")


if __name__ == "__main__":
    main()
