"""List all games, or one, with players, observations and options."""

from __future__ import annotations

import argparse
import dataclasses
import textwrap

from cardgym.console.arguments import Parser
from cardgym.console.tables import results_width
from cardgym.engine.contract import Game
from cardgym.engine.declarations import allowed_values
from cardgym.engine.registry import find, registered
from cardgym.players import player_names
from cardgym.players.resolver import checkpoints


def add_arguments(parser: Parser) -> None:
    parser.add_argument("env", metavar="ENV", nargs="?", help="the id of one game (all games)")


def run(arguments: argparse.Namespace) -> None:
    names = [arguments.env] if arguments.env else registered()
    columns = results_width()
    print("\n\n".join(_text(find(name), columns) for name in names))


def _text(game: Game, columns: int) -> str:
    defaults = game.parse_options()
    rows = [
        ("players", ", ".join([*player_names(game), *checkpoints(game)])),
        ("actions", str(game.num_actions)),
        *(
            (f"obs={name}", f"{observation.size(defaults)} numbers")
            if observation.discrete is None
            else (f"obs={name}", f"one of {observation.discrete(defaults):,}")
            for name, observation in game.observations.items()
        ),
        *(
            (f"{spec.name}={getattr(defaults, spec.name)}", f"{spec.metadata['help']}; {allowed_values(spec)}")
            for spec in dataclasses.fields(game.options)
        ),
    ]
    width = max(len(name) for name, _ in rows)
    lines = [game.id]
    for name, text in rows:
        lines += textwrap.wrap(
            text,
            max(columns, width + 20),
            initial_indent=f"  {name:<{width}}  ",
            subsequent_indent=" " * (width + 4),
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines)
