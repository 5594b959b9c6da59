"""Print a script that lets your shell complete commands, options, games, players, trainings and configs.

For bash: cardgym completion bash > ~/.local/share/bash-completion/completions/cardgym
For zsh:  cardgym completion zsh > a folder of your fpath, named _cardgym
For tcsh: cardgym completion tcsh > ~/.cardgym.tcsh, and `source ~/.cardgym.tcsh` in ~/.tcshrc
The script completes what is installed when you make it: make it again after installing a game.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
from pathlib import Path
from typing import Any

from cardgym.console.arguments import Parser
from cardgym.engine.registry import find, registered
from cardgym.errors import CardgymError, require
from cardgym.files import shipped
from cardgym.players.base import checkpoints, player_names

SHELLS = ("bash", "zsh", "tcsh")
_GAME_FIRST = ("advise", "solve")


def add_arguments(parser: Parser) -> None:
    """The command's arguments."""
    parser.add_argument("shell", choices=SHELLS, help="your shell")


def run(arguments: argparse.Namespace) -> None:
    """Print the script."""
    require("cardgym completion", "shtab")
    import shtab

    print(shtab.complete(_whole_parser(), arguments.shell))


def _whole_parser() -> argparse.ArgumentParser:
    """A parser of all commands, with the arguments that are known before a command runs."""
    from cardgym.cli import commands

    parser = Parser("cardgym", None)
    parser.add_argument("--version", action="store_true", help="print the version")
    parsers = parser.add_subparsers(parser_class=Parser)
    for name, command in commands().items():
        one = parsers.add_parser(name, help=command.help, description=None)
        try:
            module = importlib.import_module(command.module)
        except (CardgymError, ModuleNotFoundError):
            continue  # A command whose extra is not installed is completed by its name alone.
        if hasattr(module, "add_arguments"):
            module.add_arguments(one)
        elif name in _GAME_FIRST:
            one.add_argument("env", metavar="ENV")
        elif name == "reproduce":
            one.add_argument("paper", choices=sorted(module.papers()))
        elif name == "train":
            one.add_argument("script", choices=[*shipped.scripts(), *module.trainings()])
            one.add_argument("--config", choices=list(shipped.configs()))
        _complete(one)
    return parser


def _complete(parser: argparse.ArgumentParser) -> None:
    """Set what completes the arguments of a command: names of games, players and configs, and files."""
    import shtab

    for action in parser._actions:
        own: Any = action
        if action.dest in ("env", "envs"):
            own.choices = registered()
        elif action.dest in ("players", "opponent", "watch"):
            own.choices = _players()
        elif action.dest == "config":
            own.choices = list(shipped.configs())
        elif action.type is Path:
            own.complete = shtab.FILE


def _players() -> list[str]:
    """The names of all games' players."""
    games = [find(name) for name in registered()]
    names: dict[str, None] = {}
    for game in games:
        with contextlib.suppress(OSError, ValueError):  # A damaged checkpoint is an error where it is used.
            names |= dict.fromkeys([*player_names(game), *checkpoints(game)])
    return list(names)
