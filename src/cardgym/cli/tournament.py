"""Play every player against every other on the same deals, and rank them with 95 % intervals.

Players are names, files, and folders; a folder means all players in it. In a game of more than two seats the other
player takes every other seat; in a game of one seat players are compared on the same deals. Payoffs are means per game.
Ratings follow the Bradley-Terry model, in Elo points with mean 0. The equilibrium is a mixture of the players that no
player beats. The same seed gives the same results with any number of workers.
"""

from __future__ import annotations

import argparse
import json
from contextlib import nullcontext
from pathlib import Path

from cardgym.cli.flags import add_engine, add_game, add_models, game_of, limit_models, open_engine
from cardgym.console.arguments import Parser, whole
from cardgym.console.progress import Progress
from cardgym.console.tables import print_results
from cardgym.errors import CardgymError
from cardgym.files.paths import pasted
from cardgym.scaling.stopping import resumable


def add_arguments(parser: Parser) -> None:
    add_game(parser)
    add_models(parser)
    parser.add_argument(
        "--players",
        nargs="+",
        required=True,
        metavar="PLAYER",
        help="names, paths (.json, .safetensors, .zip), ./bot.py:choose, and folders of files",
    )
    add_scale(parser)
    parser.add_argument("--payoff", metavar="NAME", help="what to compare: `return`, or one of the game's metrics")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_engine(parser)


def add_scale(parser: Parser) -> None:
    parser.add_argument("--games", type=whole(1, 10**40), default=10_000, metavar="N", help="games per match (10000)")
    parser.add_argument(
        "--games-of",
        action="append",
        default=[],
        metavar="PLAYER=N",
        help="fewer games in the matches of a slow player; may be repeated",
    )
    parser.add_argument("--seed", type=whole(0), default=0, metavar="S", help="the seed of the deals (0)")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="write results and pictures here, and save the games played"
    )
    parser.add_argument("--resume", action="store_true", help="continue from the games saved in --out")


def run(arguments: argparse.Namespace) -> None:
    from cardgym.arena.tournament import tournament
    from cardgym.arena.tournament.pages import printed, write_results
    from cardgym.arena.tournament.ranges import RangeStore
    from cardgym.players.llm.settings import PREFIX
    from cardgym.solvers.exact import exact_standings

    limit_models(arguments)
    asks_models = any(name.startswith(PREFIX) for name in arguments.players)
    if asks_models:
        arguments.workers = 1  # All requests of a match are made at once, and their limit holds for a process.
    if arguments.resume and arguments.out is None:
        raise CardgymError("--resume: name the folder of the tournament with --out")
    _, options = game_of(arguments)
    saved = nullcontext() if arguments.out is None else resumable(f"--resume --out {pasted(arguments.out)}")
    with saved, open_engine(arguments) as engine, Progress("games", "games") as progress:
        results = tournament(
            arguments.env,
            options,
            arguments.players,
            games=arguments.games,
            seed=arguments.seed,
            games_of=parse_games_of(arguments.games_of),
            payoff=arguments.payoff,
            engine=engine,
            store=None if arguments.out is None else RangeStore(arguments.out, resume=arguments.resume),
            progress=progress,
        )
        if not asks_models:  # They would be asked at every information set.
            results = exact_standings(results, results.names)
    if arguments.out is not None:
        write_results(results, arguments.out)
    if arguments.json:
        print(json.dumps(results.asdict(), indent=2, allow_nan=False))
        return
    for part in printed(results):
        print_results(*part)
    if arguments.out is not None:
        print(f"results and pictures in {arguments.out}")


def parse_games_of(words: list[str]) -> dict[str, int]:
    """Return the number of games by player from words such as `search=200`."""
    games = {}
    for word in words:
        name, _, number = word.rpartition("=")
        if not name or not number.isdecimal():
            raise CardgymError(f"--games-of {word!r}: write it as player=games, such as search=200")
        games[name] = int(number)
    return games
