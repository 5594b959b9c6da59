"""Play every player against every other on the same deals, and rank them with 95 % intervals.

Players are names, files, and folders; a folder means all players in it. In a game of more than two seats the other
player takes every other seat; in a game of one seat players are compared on the same deals. Payoffs are means per game.
Ratings follow the Bradley-Terry model, in Elo points with mean 0. The equilibrium is a mixture of the players that none
of them beats. The same seed gives the same results with any number of workers.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from cardgym.cli.flags import add_engine, add_options, add_trust, game_of, open_engine
from cardgym.console.arguments import Parser, whole
from cardgym.console.progress import Progress
from cardgym.console.tables import print_results
from cardgym.engine.registry import find, registered
from cardgym.errors import CardgymError, unknown
from cardgym.players.base import checkpoints, player_names

if TYPE_CHECKING:
    from cardgym.arena.tournament import Standings


def add_arguments(parser: Parser) -> None:
    """The command's arguments."""
    parser.add_argument("env", metavar="ENV", nargs="?", help="the game's id, as `cardgym games` lists it")
    add_options(parser)
    parser.add_argument(
        "--players",
        nargs="+",
        default=[],
        metavar="PLAYER",
        help="names that `cardgym games` lists, paths (.json, .safetensors, .zip), and folders of such files",
    )
    add_trust(parser)
    parser.add_argument("--games", type=whole(1, 10**40), default=10_000, metavar="N", help="games per match (10000)")
    parser.add_argument(
        "--games-of",
        action="append",
        default=[],
        metavar="PLAYER=N",
        help="fewer games in the matches of a slow player; may be repeated",
    )
    parser.add_argument("--seed", type=whole(0), default=0, metavar="S", help="the seed of the deals (0)")
    parser.add_argument("--payoff", metavar="NAME", help="what to compare: `return`, or one of the game's metrics")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="write results and pictures here, and save the games played"
    )
    parser.add_argument("--resume", action="store_true", help="continue from the games saved in --out")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--all", action="store_true", help="play every game, with all its players and checkpoints")
    parser.add_argument("--docs", type=Path, metavar="FILE", help="with --all: write the page of leaderboards here")
    add_engine(parser)


def run(arguments: argparse.Namespace) -> None:
    """Play and print."""
    from cardgym.arena.tournament import tournament
    from cardgym.arena.tournament.pages import printed

    games_of = _games_of(arguments.games_of)
    if arguments.all or arguments.docs is not None:
        _leaderboards(arguments, games_of)
        return
    if arguments.env is None or not arguments.players:
        raise CardgymError("name a game, and players with --players; or --all for every game")
    _, options = game_of(arguments)
    with open_engine(arguments) as engine, Progress("games", "games") as progress:
        results = tournament(
            arguments.env,
            options,
            arguments.players,
            games=arguments.games,
            seed=arguments.seed,
            games_of=games_of,
            payoff=arguments.payoff,
            engine=engine,
            folder=arguments.out,
            resume=arguments.resume,
            progress=progress,
        )
    if arguments.out is not None:
        from cardgym.arena.tournament.pages import write_results

        write_results(results, arguments.out)
    if arguments.json:
        print(json.dumps(results.asdict(), indent=2, allow_nan=False))
        return
    for part in printed(results):
        print_results(*part)
    if arguments.out is not None:
        print(f"results and pictures in {arguments.out}")


def _games_of(words: list[str]) -> dict[str, int]:
    games = {}
    for word in words:
        name, _, number = word.rpartition("=")
        if not name or not number.isdecimal():
            raise CardgymError(f"--games-of {word!r}: write it as player=games, such as search=200")
        games[name] = int(number)
    return games


def _leaderboards(arguments: argparse.Namespace, games_of: dict[str, int]) -> None:
    """A tournament of every game, and the page of all."""
    from cardgym.arena.tournament import tournament
    from cardgym.arena.tournament.pages import printed, write_leaderboards

    if not arguments.all or arguments.env is not None or arguments.players or arguments.options:
        raise CardgymError("--all takes every game and player: name neither, and give --docs only with --all")
    rosters = {
        game: [*player_names(game), *checkpoints(game, game.parse_options())] for game in map(find, registered())
    }
    known = {name for roster in rosters.values() for name in roster}
    for name in games_of:
        if name not in known:
            raise unknown("player in --games-of", name, known)
    results: list[Standings] = []
    with open_engine(arguments) as engine:
        for game, roster in rosters.items():
            with Progress(game.id, "games") as progress:
                results.append(
                    tournament(
                        game.id,
                        None,
                        roster,
                        games=arguments.games,
                        seed=arguments.seed,
                        games_of={name: games for name, games in games_of.items() if name in roster},
                        engine=engine,
                        folder=None if arguments.out is None else arguments.out / game.id,
                        resume=arguments.resume,
                        progress=progress,
                    )
                )
    if arguments.docs is not None:
        few = "".join(f" --games-of {name}={games}" for name, games in games_of.items())
        command = f"cardgym tournament --all --games {arguments.games}{few} --seed {arguments.seed} --docs FILE"
        write_leaderboards(results, arguments.docs, command)
    if arguments.json:
        print(json.dumps([one.asdict() for one in results], indent=2, allow_nan=False))
        return
    for one in results:
        for part in printed(one):
            print_results(*part)
