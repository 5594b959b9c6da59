"""Play a game in the terminal. Results are kept in a log, of which `cardgym report` makes a table."""

from __future__ import annotations

import argparse
import secrets
from pathlib import Path

from cardgym.cli.parser import Parser, add_game, game_of, whole
from cardgym.engine.contract import Game
from cardgym.errors import CardgymError


def add_arguments(parser: Parser) -> None:
    """The command's arguments."""
    add_game(parser)
    parser.add_argument(
        "--opponent",
        nargs="+",
        metavar="PLAYER",
        help="who sits at the other seats: one for all, or one for each in the order of play (heuristic or "
        "expert where the game has one, else random)",
    )
    parser.add_argument("--seat", type=whole(0, 63), metavar="N", help="your seat; drawn for each game if left out")
    parser.add_argument("--seed", type=whole(0), metavar="S", help="what the games are dealt from; drawn")
    parser.add_argument("--log", type=Path, metavar="FILE", help="where results go; in your data folder")


def run(arguments: argparse.Namespace) -> None:
    """Play until the person leaves."""
    from cardgym.play.human_game import Table
    from cardgym.play.log import check_log, default_log
    from cardgym.play.terminal import Terminal
    from cardgym.players.base import resolve, seated

    game, options = game_of(arguments)
    others = options.num_players - 1
    if arguments.seat is not None and arguments.seat > others:
        raise CardgymError(f"seat {arguments.seat}: {game.id} has seats 0 to {others} here")
    if arguments.opponent and not others:
        raise CardgymError(f"--opponent {' '.join(arguments.opponent)}: {game.id} has no other seats; leave it out")
    names = arguments.opponent or [_usual_opponent(game)]
    opponents = [resolve(name, game, options) for name in seated(names[0] if len(names) == 1 else names, others)]
    log = arguments.log or default_log(game.id)
    check_log(log)
    seed = secrets.randbelow(2**32) if arguments.seed is None else arguments.seed
    Terminal(Table(game, options, opponents, seat=arguments.seat, seed=seed), log, seed).play()


def _usual_opponent(game: Game) -> str:
    return next((name for name in ("heuristic", "expert") if name in game.players), "random")
