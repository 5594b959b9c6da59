"""Play games and write the decisions of all seats to a dataset, for learners from data.

--out decides the form. A path that ends in .npz has a column for each of observations, masks, actions, rewards, ends,
seat, player and game. Anything else is the id of a Minari dataset, such as mine/ppo-v0, with an episode for each seat
of each game. Deal by deal the players take every seat. The same command goes on after it was stopped.
"""

from __future__ import annotations

import argparse

from cardgym.cli.flags import add_game, add_matches, game_of
from cardgym.console.arguments import Parser


def add_arguments(parser: Parser) -> None:
    add_game(parser)
    add_matches(parser, games=2_000)
    parser.add_argument(
        "--out", required=True, metavar="DATASET", help="a path (.npz), or a Minari id such as mine/ppo-v0"
    )


def run(arguments: argparse.Namespace) -> None:
    from cardgym.arena.datasets import record_dataset
    from cardgym.console.progress import Progress
    from cardgym.scaling.stopping import resumable

    game, options = game_of(arguments)
    games, out = arguments.games, arguments.out
    with resumable(), Progress("recording", "games", total=games) as progress:
        rows = record_dataset(
            game, options, arguments.players, games=games, seed=arguments.seed, out=out, progress=progress
        )
    print(f"{rows:,} decision{'s' * (rows != 1)} of {games:,} game{'s' * (games != 1)} in {out}")
