"""List the games, or one of them, with players, observations and options."""

from __future__ import annotations

import argparse
import dataclasses

from cardgym.cli.parser import Parser
from cardgym.engine.contract import Game
from cardgym.engine.registry import find, registered
from cardgym.players.base import checkpoints, player_names


def add_arguments(parser: Parser) -> None:
    """The command's arguments."""
    parser.add_argument("env", metavar="ENV", nargs="?", help="the id of one game (all games)")


def run(arguments: argparse.Namespace) -> None:
    """Print the games."""
    names = [arguments.env] if arguments.env else registered()
    print("\n\n".join(_text(find(name)) for name in names))


def _text(game: Game) -> str:
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
            (f"{spec.name}={getattr(defaults, spec.name)}", f"{spec.metadata['help']}; {_allowed(spec)}")
            for spec in dataclasses.fields(game.options)
        ),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join([game.id, *(f"  {name:<{width}}  {text}" for name, text in rows)])


def _allowed(spec: dataclasses.Field[object]) -> str:
    if "choices" in spec.metadata:
        return " or ".join(spec.metadata["choices"])
    step = f", in steps of {spec.metadata['step']}" if spec.metadata["step"] > 1 else ""
    return f"{spec.metadata['low']} to {spec.metadata['high']}{step}"
