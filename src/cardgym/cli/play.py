"""Play a game in the terminal, with a coach, undo and a review.

Every game is saved move by move in the game log, which `cardgym report` and `cardgym review` read.
"""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Collection
from functools import partial
from pathlib import Path

from cardgym.cli.flags import add_game, add_models, game_of, limit_models, open_log
from cardgym.console.arguments import Parser, whole
from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError
from cardgym.players import Player, resolve, resolve_all, seated
from cardgym.table.coach.advice import HINTS


def add_arguments(parser: Parser) -> None:
    add_game(parser)
    add_models(parser)
    parser.add_argument(
        "--opponent",
        nargs="+",
        metavar="PLAYER",
        help="the players in the other seats: one for all, or one for each in order of play after you "
        "(the game's usual opponent)",
    )
    parser.add_argument("--seat", type=whole(0, 63), metavar="N", help="your seat (drawn for each game)")
    parser.add_argument("--seed", type=whole(0), metavar="S", help="the seed of the deals (drawn)")
    parser.add_argument(
        "--hints",
        choices=HINTS,
        default="demand",
        help="when the coach speaks: never, when you type h, or before every move (demand)",
    )
    parser.add_argument("--warn", action="store_true", help="ask for confirmation before a blunder")
    parser.add_argument("--coach", metavar="PLAYER", help="who advises: a player for playouts (the game's own adviser)")
    parser.add_argument("--resume", action="store_true", help="continue your latest unfinished game")
    parser.add_argument(
        "--watch", nargs="+", metavar="PLAYER", help="watch these players, one for each seat, step by step"
    )
    parser.add_argument("--log", type=Path, metavar="FILE", help="the game log (a file in your data folder)")


def run(arguments: argparse.Namespace) -> None:
    from cardgym.table.session import Session
    from cardgym.table.setup import GameSetup, is_secret
    from cardgym.table.terminal.game import Terminal, watch

    limit_models(arguments)
    game, options = game_of(arguments)
    if arguments.opponent and options.num_players == 1:
        raise CardgymError(f"--opponent {' '.join(arguments.opponent)}: {game.id} has no other seats; leave it out")
    seed = secrets.randbelow(2**32) if arguments.seed is None else arguments.seed
    watched = resolve_all(arguments.watch, game, options) if arguments.watch else None
    with open_log(arguments.log) as game_log:
        if watched is not None:
            watch(Session(GameSetup(game, options, watched, seed, arguments.seat, watched=True), game_log))
            return
        resumed = None
        if arguments.resume:
            mine = [entry for entry in game_log.entries(game.id, finished=False) if entry["person"] is not None]
            left = [entry["id"] for entry in mine if entry["moves"] and not is_secret(entry)]
            if not left:
                raise CardgymError(f"--resume: you have no unfinished game of {game.id}")
            resumed = Session.restore(game_log, left[-1], partial(_logged, arguments.opponent or ()))
            options, seed = resumed.options, resumed.seed
        names = arguments.opponent or [game.opponent]
        named = seated(names[0] if len(names) == 1 else names, options.num_players - 1)
        opponents = [resolve(name, game, options) for name in named]
        setup = GameSetup(game, options, opponents, seed, arguments.seat)
        terminal = Terminal(setup, game_log, hints=arguments.hints, warn=arguments.warn, coach=arguments.coach)
        terminal.play(resumed)


def _logged(opponents: Collection[str], name: str, game: Game, options: Options) -> Player:
    """Return the player of a logged game; a program only if the person has named it in this command, too."""
    return resolve(name, game, options, programs=name in opponents)
