"""Tables of features in pages: written by the code that the observations are made of.

A page marks the place of a table with a comment, and the fenced block after it is the table:

    <!-- features of KuhnPoker-v0, full -->
    ```
    0..2    card    ...
    ```

Write the tables of some pages, or see whether they are current:

    python -m cardgym.testing.feature_tables [--update] PAGE ...
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from cardgym.engine.contract import Game, feature_table
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.files.atomic import replacing
from cardgym.testing.driver import ContractError, expect

_MARK = re.compile(
    r"(<!-- features of (?P<game>\S+), (?P<observation>\S+) -->\n```[a-z]*\n)(?P<table>.*?)(```)", re.DOTALL
)


def with_current_tables(page: str) -> str:
    """The text of a page with every marked table as the code has it."""

    def current(match: re.Match[str]) -> str:
        game = find(match["game"])
        features = game.observation(match["observation"]).features(game.parse_options())
        return f"{match[1]}{feature_table(features)}\n```"

    return _MARK.sub(current, page)


def check_page(path: Path, game: Game) -> None:
    """The page has a table of features for each observation of the game but discrete ones, all of them current."""
    page = path.read_text(encoding="utf-8")
    marked = {(match["game"], match["observation"]) for match in _MARK.finditer(page)}
    for name, observation in game.observations.items():
        mark = f"<!-- features of {game.id}, {name} -->"
        expect(
            observation.discrete is not None or (game.id, name) in marked,
            f"{path} has no table of {name!r} of {game.id}; write {mark} and an empty fenced block after it, {_ADVICE}",
        )
    expect(with_current_tables(page) == page, f"{path} has a table of features that is not current; {_ADVICE}")


_ADVICE = "then run `python -m cardgym.testing.feature_tables --update` with the page"


def main(words: list[str] | None = None) -> int:
    """Compare pages with the code, or write their tables."""
    parser = argparse.ArgumentParser(
        prog="python -m cardgym.testing.feature_tables", description=__doc__.splitlines()[0]
    )
    parser.add_argument("pages", nargs="+", type=Path, metavar="PAGE", help="Markdown files")
    parser.add_argument("--update", action="store_true", help="write the tables instead of comparing them")
    arguments = parser.parse_args(words)
    try:
        for path in arguments.pages:
            page = path.read_text(encoding="utf-8")
            current = with_current_tables(page)
            if arguments.update:
                with replacing(path) as temporary:
                    temporary.write_text(current, encoding="utf-8")
            elif current != page:
                raise ContractError(f"{path} has a table of features that is not current; {_ADVICE}")
            print(f"{path}: {'written' if arguments.update else 'current'}")
    except (CardgymError, ContractError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
