"""Review a game: the cost of each decision, the costliest first, a chart, luck, and a step through all decisions.

Without a file, it reads your game log, which `cardgym play` and `cardgym serve` write. If you only watched, all seats
are reviewed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardgym.console.arguments import Parser, whole
from cardgym.errors import CardgymError


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="a game log (.sqlite) or its export (.jsonl); your own log"
    )
    parser.add_argument("--game", type=whole(1), metavar="N", help="the game's number in --list (the latest)")
    parser.add_argument("--env", metavar="ENV", help="only games of this id")
    parser.add_argument("--seats", type=whole(0, 63), nargs="+", metavar="N", help="whose decisions (the person's)")
    parser.add_argument("--coach", metavar="PLAYER", help="a player for playouts (the game's adviser)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the games with their numbers")
    what.add_argument("--step", action="store_true", help="step through the decisions, all cards shown")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> None:
    from cardgym.engine.registry import find
    from cardgym.table.coach.history import saved_games

    entries = saved_games(arguments.file, None if arguments.env is None else find(arguments.env).id)
    if arguments.list:
        _list(entries, arguments)
    else:
        _review(entry_of(entries, arguments.game, arguments.env), arguments)


def entry_of(entries: Sequence[dict[str, Any]], number: int | None, env: str | None) -> dict[str, Any]:
    """Return the game of that number, from 1, of `env` or all; None for the latest finished one, or else the latest."""
    if number is None:
        return next((entry for entry in reversed(entries) if entry["finished"]), entries[-1])
    if number > len(entries):
        command = "cardgym review --list" if env is None else f"cardgym review --list --env {env}"
        raise CardgymError(f"--game {number}: the last one is game {len(entries)}; `{command}` shows them")
    return entries[number - 1]


def _list(entries: Sequence[dict[str, Any]], arguments: argparse.Namespace) -> None:
    from cardgym.console.tables import print_results
    from cardgym.table.coach.review import names_of
    from cardgym.table.people import people_of

    names = names_of if arguments.json else people_of  # People do not type the names that they read.
    rows = []
    for number, entry in enumerate(entries, 1):
        scores = [f"{player['score']:g}" for player in sorted(entry["players"], key=lambda player: player["seat"])]
        result = " : ".join(scores) if entry["finished"] else "unfinished"
        undone = str(entry.get("undone") or "")
        rows.append((str(number), entry["env"], ", ".join(names(entry)), result, undone, entry["time"][:16]))
    head = ("game", "env", "players by seat", "score", "taken back", "started (UTC)")
    env = "" if arguments.env is None else f" --env {arguments.env}"
    if arguments.json:
        print(json.dumps([dict(zip(head, row, strict=True)) for row in rows], indent=2))
    else:
        print_results("Games", head, rows, f"cardgym review{env} --game N reviews one")


def _review(entry: dict[str, Any], arguments: argparse.Namespace) -> None:
    from cardgym.console.progress import Progress
    from cardgym.table.coach.history import save_costs
    from cardgym.table.coach.review import review
    from cardgym.table.game_log import GameLog
    from cardgym.table.terminal.review import decision_table, step_through, summary_lines
    from cardgym.table.terminal.screen import Screen

    seats = arguments.seats
    if seats is not None and max(seats) >= len(entry["players"]):
        raise CardgymError(f"--seats {max(seats)}: this game has seats 0 to {len(entry['players']) - 1}")
    with Progress("review", "moves") as progress:
        reviewed = review(entry, source=arguments.coach, seats=seats, progress=progress)
    if arguments.coach is None and arguments.file is None:
        with contextlib.closing(GameLog()) as game_log:
            save_costs(game_log, reviewed)
    if arguments.json:
        print(json.dumps(reviewed.asdict(), indent=2, allow_nan=False))
        return
    screen = Screen()
    lines = summary_lines(reviewed, screen)
    if arguments.step:
        with contextlib.suppress(EOFError, KeyboardInterrupt):
            screen.page(lines)
            step_through(entry, reviewed, screen)
    else:
        screen.show([*lines, "", "Every decision:", *decision_table(reviewed, screen)])
