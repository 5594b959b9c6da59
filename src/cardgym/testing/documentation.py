"""A game's documentation: headings, options, and tables of features, which are generated from the code.

A page marks the place of a table with a comment, and the fenced block after it is the table:

    <!-- features of KuhnPoker-v0, full -->
    ```
    0..2    card    ...
    ```

Write the tables of some pages, or check that they are up to date:

    python -m cardgym.testing.documentation [--update] PAGE ...
"""

from __future__ import annotations

import argparse
import dataclasses
import re
import sys
from pathlib import Path

from cardgym.engine.contract import Game, feature_table
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.files.atomic import replacing
from cardgym.testing.driver import ContractError, expect

# -- the env's documentation -------------------------------------------------------------------------------------------

HEADINGS = (
    "Description",
    "Action Space",
    "Observation Space",
    "Starting State",
    "Rewards",
    "Episode End",
    "Information",
    "Arguments",
    "References",
    "Version History",
)
"""The headings of Gymnasium's env pages."""


def check_doc(game: Game) -> None:
    """The documentation has Gymnasium's headings, every option, and the features of every observation."""
    doc = game.documentation
    lines = [" ".join(line.split()) for line in doc.splitlines()]
    headings = [line.lstrip("#").strip() for line in lines if line.startswith("#")]
    missing = [heading for heading in HEADINGS if heading not in headings]
    expect(not missing, f"{game.id}: the documentation has no heading {', '.join(missing)}")
    options = game.parse_options()
    for spec in dataclasses.fields(game.options):
        expect(
            f"`{spec.name}`" in doc,
            f"{game.id}: the documentation does not mention the option `{spec.name}`",
        )
    for name, observation in game.observations.items():
        named = len(game.observations) == 1 or f'obs="{name}"' in doc
        expect(named, f'{game.id}: the documentation does not mention obs="{name}"')
        if observation.discrete is not None:
            space = f"Discrete({observation.discrete(options)})"
            expect(space in doc, f"{game.id}: the documentation does not say that {name!r} is {space}")
            continue
        for row in feature_table(observation.features(options)).splitlines():
            line = " ".join(row.split())
            expect(line in lines, f"{game.id}: the documentation of {name!r} has no row {line!r}")


# -- tables of features in pages ---------------------------------------------------------------------------------------

_MARK = re.compile(
    r"(<!-- features of (?P<game>\S+), (?P<observation>\S+) -->\n```[a-z]*\n)(?P<table>.*?)(```)", re.DOTALL
)


def with_current_tables(page: str) -> str:
    """The text of a page with every marked table generated from the code."""

    def current(match: re.Match[str]) -> str:
        game = find(match["game"])
        features = game.observation(match["observation"]).features(game.parse_options())
        return f"{match[1]}{feature_table(features)}\n```"

    return _MARK.sub(current, page)


def check_page(path: Path, game: Game) -> None:
    """The page has an up-to-date table of features for each observation of the game, except discrete ones."""
    page = path.read_text(encoding="utf-8")
    marked = {(match["game"], match["observation"]) for match in _MARK.finditer(page)}
    for name, observation in game.observations.items():
        mark = f"<!-- features of {game.id}, {name} -->"
        expect(
            observation.discrete is not None or (game.id, name) in marked,
            f"{path} has no table of {name!r} of {game.id}: write {mark}, an empty fenced block below, then {_ADVICE}",
        )
    expect(with_current_tables(page) == page, f"{path} has an outdated table of features; {_ADVICE}")


_ADVICE = "run `python -m cardgym.testing.documentation --update` with the page"


def main(words: list[str] | None = None) -> int:
    """Check or write the tables of pages."""
    parser = argparse.ArgumentParser(
        prog="python -m cardgym.testing.documentation", description=__doc__.splitlines()[0]
    )
    parser.add_argument("pages", nargs="+", type=Path, metavar="PAGE", help="Markdown files")
    parser.add_argument("--update", action="store_true", help="write the tables instead of checking them")
    arguments = parser.parse_args(words)
    try:
        for path in arguments.pages:
            page = path.read_text(encoding="utf-8")
            current = with_current_tables(page)
            if arguments.update:
                with replacing(path) as temporary:
                    temporary.write_text(current, encoding="utf-8")
            elif current != page:
                raise ContractError(f"{path} has an outdated table of features; {_ADVICE}")
            print(f"{path}: {'written' if arguments.update else 'up to date'}")
    except (CardgymError, ContractError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
