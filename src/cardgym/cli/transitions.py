"""Play games and write the transitions (s, a, r, s') of all seats to a CSV file.

s and s' are the game's state keys. s' is the same seat's next decision, or 0 at the end of the deal; r is the sum of
rewards that the seat was paid in between.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from cardgym.cli.flags import add_game, add_matches, game_of
from cardgym.console.arguments import Parser
from cardgym.errors import CardgymError
from cardgym.files import replacing


def add_arguments(parser: Parser) -> None:
    add_game(parser)
    add_matches(parser, games=2_000)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the file to write")


def run(arguments: argparse.Namespace) -> None:
    from cardgym.arena.transitions import TRANSITION, record_chunks
    from cardgym.console.progress import Progress

    out: Path = arguments.out
    if out.suffix != ".csv":
        raise CardgymError(f"--out {out}: transitions are written as .csv; give the file that suffix")
    game, options = game_of(arguments)
    count = 0
    with (
        Progress("recording", "games", total=arguments.games) as progress,
        replacing(out) as temporary,
        open(temporary, "w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(TRANSITION.names or ())
        for chunk in record_chunks(game, options, arguments.players, games=arguments.games, seed=arguments.seed):
            writer.writerows(chunk.tolist())
            count += len(chunk)
            progress(int(chunk.game[-1]) + 1)
    print(f"{count:,} transitions of {arguments.games:,} games in {out}")
