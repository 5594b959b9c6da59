"""Generate the reference page of every folder of games from their `Game`s.

    python docs/game_pages.py [--pictures] [FOLDER ...]

The pages are committed, and a test checks that they are current. `--pictures` also regenerates the animations: a game
between the default opponents, as the first seat sees it.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import inspect
import re
from pathlib import Path
from typing import Any

import gymnasium
import yaml

import cardgym
from cardgym.console.tables import markdown_table
from cardgym.engine.contract import Game
from cardgym.engine.registry import package_of
from cardgym.errors import CardgymError
from cardgym.files import replacing

HERE = Path(__file__).parent
SOURCE = Path(cardgym.__file__).parent / "games"
CITATIONS = HERE.parent / "CITATION.cff"
MAX_FRAMES, WIDTH, FRAME_MS, LAST_MS = 30, 480, 1200, 5000
"""Animation: maximum number of frames, width in pixels, and duration of a frame and of the last frame in ms."""


def families() -> dict[str, list[Game]]:
    """The games that come with cardgym by folder, each with its largest game first; a folder has one reference."""
    found: dict[str, list[Game]] = {}
    for game_id in cardgym.registered():
        game = cardgym.find(game_id)
        package = package_of(game)
        if package and (SOURCE / package.name).is_dir():
            found.setdefault(package.name, []).append(game)
    return {name: sorted(games, key=lambda game: "Mini" in game.id) for name, games in found.items()}


def page_of(games: list[Game]) -> str:
    """The text of the reference of a folder: its first game, then what differs in the others."""
    main, *others = games
    first, heading, rest = main.documentation.strip().partition("## Description")
    lines = [
        f"# {_title(games)}: reference",
        "",
        "<!-- Made by docs/game_pages.py from the code. -->",
        "",
        *([first.strip(), ""] if first else []),
        "[The page of the game](README.md) explains the rules and how to play well. The text below is also",
        "`env.unwrapped.__doc__`.",
        "",
        *_summary(main),
        "",
        _fenced(heading + rest).strip(),
        "",
        *_players(games),
    ]
    for other in others:
        about = other.doc.strip().partition("## ")[0].strip()
        lines += ["", f"## {other.id}", "", *([about, ""] if about else []), _picture(other), ""]
        lines += [*_spaces(main, other)]
        lines += _differences(main, other, otherwise=bool(about))
    entries = citations(main)
    if entries:
        lines += ["", "## How to cite", "", "The game is from:", "", "```bibtex", *entries, "```", ""]
        lines += ["[CITATION.cff](../../../CITATION.cff) is the entry of cardgym itself."]
    return "\n".join(lines) + "\n"


def _title(games: list[Game]) -> str:
    return ", ".join(game.id for game in games)


def _summary(game: Game) -> list[str]:
    env = gymnasium.make(game.id)
    return [
        _picture(game),
        "",
        *markdown_table(
            (game.id, ""),
            [
                ("make it", f'`gymnasium.make("cardgym:{game.id}")`; without `cardgym:` after `import cardgym`'),
                ("action space", f"`{env.action_space}`"),
                ("observation space", _space(env.observation_space)),
                ("players at the table", _seats(game)),
            ],
        ),
    ]


def _picture(game: Game) -> str:
    return f"![A game of {game.id}, as its first seat sees it]({game.id}.webp)"


def _spaces(main: Game, other: Game) -> list[str]:
    """A sentence on the spaces and seats of a game, if they are not those of the first one."""
    ours, theirs = gymnasium.make(main.id), gymnasium.make(other.id)
    if ours.action_space != theirs.action_space or ours.observation_space != theirs.observation_space:
        return [f"Its spaces are `{theirs.action_space}` and a {_space(theirs.observation_space)}.", ""]
    return [] if _seats(main) == _seats(other) else [f"It is for {_seats(other)} players.", ""]


def _differences(main: Game, other: Game, otherwise: bool) -> list[str]:
    """The options that the two games start with, where they differ."""
    ours, theirs = (dataclasses.asdict(game.parse_options()) for game in (main, other))
    rows = [
        (f"`{name}`", str(ours.get(name, "-")), str(value)) for name, value in theirs.items() if ours.get(name) != value
    ]
    same = f"ules, actions and features are those of {main.id}, under these options:"
    return [
        f"Otherwise r{same}" if otherwise else f"R{same}",
        "",
        *markdown_table(("option", main.id, other.id), rows),
    ]


def _players(games: list[Game]) -> list[str]:
    """The players of a family by kind, with the games in which they play where these are not all."""
    kinds = {"compiled": ["`random`"]}
    for name in dict.fromkeys(name for game in games for name in game.players):
        of = [game for game in games if name in game.players]
        where = "" if len(of) == len(games) else f" ({', '.join(game.id for game in of)})"
        kinds.setdefault(_kind(of[0], name), []).append(f"`{name}`{where}")
    return [
        "## Players",
        "",
        "These names work for `opponent=` and `--players`; [How strong](../../strength/README.md) ranks most of them.",
        "",
        *(f"- {kind}: {', '.join(names)}" for kind, names in kinds.items()),
    ]


def _seats(game: Game) -> str:
    """The numbers of players for whom the deck of this game is large enough."""
    found = []
    for spec in dataclasses.fields(game.options):
        for number in range(spec.metadata["low"], spec.metadata["high"] + 1) if spec.name == "num_players" else ():
            with contextlib.suppress(CardgymError):
                found.append(game.parse_options({"num_players": number}).num_players)
    found = found or [game.options.num_players]
    return f"{found[0]} to {found[-1]}" if len(found) > 1 else str(found[0])


def _space(space: gymnasium.Space[Any]) -> str:
    return f"`Box` of {space.shape}, {space.dtype}" if isinstance(space, gymnasium.spaces.Box) else f"`{space}`"


def _fenced(text: str) -> str:
    """The documentation with its feature tables in code fences."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    table = re.compile(r"(?:^\d+(?:\.\.\d+)? +(?:\w+ +\[|as in ).*\n)+", re.MULTILINE)
    fenced = (part if part.startswith("```") else table.sub(r"```\n\g<0>```\n", part) for part in parts)
    return re.sub(r"^```(\n.*?^```$)", r"```text\1", "".join(fenced), flags=re.DOTALL | re.MULTILINE)


def _kind(game: Game, name: str) -> str:
    if name in game.compiled_players:
        return "compiled"
    made = inspect.get_annotations(game.players[name])["return"]  # To make one may compile a search.
    return "table" if made == "TablePlayer" else "Python"


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

    from cardgym.players import resolve
    from cardgym.table.drawings.picture import picture_of
    from cardgym.table.session import Session
    from cardgym.table.setup import GameSetup

    options = game.parse_options()
    player = resolve(game.opponent, game, options)
    session = Session(GameSetup(game, options, [player] * options.num_players, seed, watched=True))
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
    known = families()
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="the games (all)", choices=[[], *known])
    parser.add_argument("--pictures", action="store_true", help="also draw the animations")
    arguments = parser.parse_args()
    for name in arguments.folders or known:
        folder = HERE / "games" / name
        folder.mkdir(exist_ok=True)
        with replacing(folder / "reference.md") as temporary:
            temporary.write_text(page_of(known[name]), encoding="utf-8")
        for game in known[name] if arguments.pictures else ():
            draw(game, folder / f"{game.id}.webp")


if __name__ == "__main__":
    main()
