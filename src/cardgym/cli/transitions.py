"""Play games and write the transitions (s, a, r, s') of all seats to a file, CSV or npz by its suffix.

s and s' are the game's state keys. s' is the same seat's next decision, or 0 at the end of the deal; r is the sum of
rewards that the seat was paid in between.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from cardgym.cli.flags import add_game, add_matches, game_of
from cardgym.console.arguments import Parser


def add_arguments(parser: Parser) -> None:
    """The command's arguments."""
    add_game(parser)
    add_matches(parser, games=2_000)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the file to write: .csv or .npz")


def run(arguments: argparse.Namespace) -> None:
    """Record and write."""
    from cardgym.arena.match import number_of_games
    from cardgym.arena.transitions import LOG, check_suffix, record_chunks, write_transitions
    from cardgym.console.progress import Progress
    from cardgym.files.limits import check_disk, check_memory

    check_suffix(arguments.out)
    game, options = game_of(arguments)
    games = number_of_games(arguments.games)
    if arguments.out.suffix == ".npz":  # It is held in memory, with two transitions of a game or more.
        check_memory(f"a recording of {games:,} games", 2 * games * LOG.itemsize, "write .csv, or record fewer games")
    else:
        check_disk(f"a recording of {games:,} games", 30 * games, arguments.out.parent, "record fewer games")
    about = {
        "env": game.id,
        "options": options.asdict(),
        "players": arguments.players,
        "games": arguments.games,
        "seed": arguments.seed,
    }
    with Progress("recording", "games") as progress:
        chunks = record_chunks(
            game, options, arguments.players, games=arguments.games, seed=arguments.seed, progress=progress
        )
        count = write_transitions(arguments.out, chunks, about)
    print(f"{count:,} transitions of {arguments.games:,} games in {arguments.out}")
