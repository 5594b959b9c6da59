"""Play players against each other, each deal from every seat, and report with 95 % intervals."""

from __future__ import annotations

import argparse
import json

from cardgym.cli.flags import add_game, add_matches, add_models, game_of, limit_models
from cardgym.console.arguments import Parser, whole


def add_arguments(parser: Parser) -> None:
    add_game(parser)
    add_models(parser)
    add_matches(parser, games=10_000)
    parser.add_argument(
        "--seats",
        choices=("rotate", "fixed"),
        default="rotate",
        help="rotate: play each deal once from every seat (default); fixed: seat the players in the order named",
    )
    parser.add_argument(
        "--playouts", type=whole(0), default=0, metavar="N",
        help="also estimate the first player's mean return with less luck: play each decision out N times (0)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> None:
    from cardgym.arena import evaluate
    from cardgym.console.progress import Progress
    from cardgym.files.json_values import sealed

    limit_models(arguments)
    game, options = game_of(arguments)
    with Progress("evaluation", "games") as progress:
        report = evaluate(
            game,
            options,
            arguments.players,
            games=arguments.games,
            seed=arguments.seed,
            seats=arguments.seats,
            playouts=arguments.playouts,
            progress=progress,
        )
    if arguments.json:
        print(json.dumps(sealed(report.asdict()), indent=2, allow_nan=False))
        return
    from cardgym.arena.report import print_report

    print_report(report.asdict())
