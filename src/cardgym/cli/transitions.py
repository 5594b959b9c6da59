"""Play games and write the transitions (s, a, r, s') of all seats to a CSV file.

s and s' are the game's state keys. s' is the same seat's next decision, or 0 at the end of the deal; r is the sum of
rewards that the seat was paid in between.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from cardgym.cli.flags import add_game, add_matches, game_of
from cardgym.console.arguments import Parser
from cardgym.errors import CardgymError


def add_arguments(parser: Parser) -> None:
    add_game(parser)
    add_matches(parser, games=2_000)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the file to write")


def run(arguments: argparse.Namespace) -> None:
    from cardgym.arena.transitions import record_chunks, write_csv
    from cardgym.console.progress import Progress

    if arguments.out.suffix != ".csv":
        raise CardgymError(f"--out {arguments.out}: transitions are written as .csv; give the file that suffix")
    game, options = game_of(arguments)
    with Progress("recording", "games") as progress:
        chunks = record_chunks(
            game, options, arguments.players, games=arguments.games, seed=arguments.seed, progress=progress
        )
        count = write_csv(arguments.out, chunks)
    print(f"{count:,} transitions of {arguments.games:,} games in {arguments.out}")
