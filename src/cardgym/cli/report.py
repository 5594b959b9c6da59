"""Print your games as tables, export and import them.

Without a file, it reads your game log, which `cardgym play` and `cardgym serve` write. Unfinished games are counted
below the table and left out of its figures.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from cardgym.console.arguments import Parser
from cardgym.errors import CardgymError, printable


def add_arguments(parser: Parser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="*", type=Path, help="exported games (.jsonl)")
    parser.add_argument("--export", type=Path, metavar="FILE", help="write your games to FILE, one JSON object a line")
    parser.add_argument(
        "--import",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        dest="imports",
        help="add the games of exported FILEs to yours",
    )
    parser.add_argument("--json", action="store_true", help="print JSON: a list of reports")


def run(arguments: argparse.Namespace) -> None:
    from cardgym.arena.report import print_report
    from cardgym.files import check_replaced
    from cardgym.table.coach.history import reports
    from cardgym.table.game_entries import read_entries
    from cardgym.table.game_log import GameLog

    if arguments.export or arguments.imports:
        if arguments.export:
            check_replaced(arguments.export, b'"versions": ', "--export")
        game_log = GameLog()
        for path in arguments.imports:
            print(f"{path}: games added to {game_log.path}: {game_log.import_entries(read_entries(path))}")
        if arguments.export:
            print(f"{arguments.export}: games written: {game_log.export(arguments.export)}")
        return
    games = [game for path in arguments.files for game in read_entries(path)] if arguments.files else _own_games()
    found = reports(games)
    if arguments.json:
        print(json.dumps(found, indent=2, allow_nan=False))
        return
    for place, report in enumerate(found):
        if place:
            print()
        if report["games"]:
            players = zip(report["players"], report["people"], strict=True)
            print_report({**report, "players": [{**player, "name": name} for player, name in players]})
        if report["unfinished"]:
            names = ", ".join(map(printable, report["people"]))
            count = "1 game" if report["unfinished"] == 1 else f"{report['unfinished']} games"
            print(f"{printable(report['env'])}: {count} left unfinished ({names}), not in the figures")


def _own_games() -> list[dict[str, Any]]:
    """Return the games in the user's log, without games left before the person decided anything."""
    from cardgym.table.game_log import GameLog

    game_log = GameLog()
    games = game_log.entries(finished=True) + [
        game for game in game_log.entries(finished=False) if any(seat == game["person"] for seat, _ in game["moves"])
    ]
    if not games:
        raise CardgymError(f"no games played yet: {game_log.path} has none; name a file, or play")
    return games
