"""Play a game in the terminal. Results go to a log, which `cardgym report` prints as a table."""

from __future__ import annotations

import argparse
import secrets
from pathlib import Path

from cardgym.cli.parser import Parser, add_game, add_trust, game_of, whole
from cardgym.errors import CardgymError


def add_arguments(parser: Parser) -> None:
    """The command's arguments."""
    add_game(parser)
    parser.add_argument(
        "--opponent",
        nargs="+",
        metavar="PLAYER",
        help="who takes the other seats: one player for all, or one for each in the order of play after you "
        "(the game's usual opponent)",
    )
    add_trust(parser)
    parser.add_argument("--seat", type=whole(0, 63), metavar="N", help="your seat (drawn for each game)")
    parser.add_argument("--seed", type=whole(0), metavar="S", help="the seed of the deals (drawn)")
    parser.add_argument("--log", type=Path, metavar="FILE", help="where results go (a file in your data folder)")


def run(arguments: argparse.Namespace) -> None:
    """Play until the person leaves."""
    from cardgym.play.human_game import HumanGame
    from cardgym.play.log import check_log, default_log
    from cardgym.play.terminal import Terminal
    from cardgym.players.base import resolve, seated

    game, options = game_of(arguments)
    others = options.num_players - 1
    if arguments.seat is not None and arguments.seat > others:
        raise CardgymError(f"seat {arguments.seat}: {game.id} has seats 0 to {others} here")
    if arguments.opponent and not others:
        raise CardgymError(f"--opponent {' '.join(arguments.opponent)}: {game.id} has no other seats; leave it out")
    names = arguments.opponent or [game.opponent]
    opponents = [resolve(name, game, options) for name in seated(names[0] if len(names) == 1 else names, others)]
    log = arguments.log or default_log(game.id)
    check_log(log)
    seed = secrets.randbelow(2**32) if arguments.seed is None else arguments.seed
    Terminal(HumanGame(game, options, opponents, seat=arguments.seat, seed=seed), log, seed).play()
