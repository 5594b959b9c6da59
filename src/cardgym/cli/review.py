"""Review a game: what each decision cost, the worst first, a chart, luck, and a step through all of it.

Without a file, the games in your game log, which `cardgym play` and `cardgym serve` write; `--all` sets them side by
side: how much a decision costs on average, by opponent and by kind of decision. Games of agents, watched or in a file,
are reviewed for all seats.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardgym.cli.parser import Parser, add_trust, whole
from cardgym.errors import CardgymError

if TYPE_CHECKING:
    from cardgym.table.game_log import GameLog

_LINES = (".jsonl", ".json")


def add_arguments(parser: Parser) -> None:
    """The command's arguments."""
    parser.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="a game log (.sqlite) or its export (.jsonl); your own log"
    )
    parser.add_argument("--game", type=whole(1), metavar="N", help="the game's number, as --list shows it (the last)")
    parser.add_argument("--env", metavar="ENV", help="games of this id only")
    parser.add_argument("--seats", type=whole(0, 63), nargs="+", metavar="N", help="whose decisions (the person's)")
    parser.add_argument("--coach", metavar="PLAYER", help="a player for rollouts, or a Q-network (the game's adviser)")
    add_trust(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the games with their numbers")
    what.add_argument("--all", action="store_true", help="costs of decisions over all games of a person")
    what.add_argument("--step", action="store_true", help="step through the decisions, all cards shown")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> None:
    """Review and print."""
    entries = entries_of(arguments.file, arguments.env)
    if arguments.list:
        _print_list(entries, arguments.json)
    elif arguments.all:
        _print_all(entries, arguments)
    else:
        _print_review(entry_of(entries, arguments.game), arguments)


def entries_of(path: Path | None, env: str | None) -> list[dict[str, Any]]:
    """The games with moves of a game log or of its export, oldest first.

    Raises:
        CardgymError: for a file that is missing or holds no games, or where no game has been played.
    """
    from cardgym.engine.registry import find
    from cardgym.table.game_log import GameLog, default_path, read_entries

    path = path or default_path()
    game_id = None if env is None else find(env).id
    if not path.is_file():
        raise CardgymError(f"game log {path}: no such file; play a game first, or name a file")
    if path.suffix in _LINES:
        entries = [entry for entry in read_entries(path) if game_id in (None, entry["env"])]
    else:
        with contextlib.closing(GameLog(path)) as game_log:
            entries = list(game_log.entries(game_id))
    return [entry for entry in entries if entry.get("moves")]


@contextlib.contextmanager
def _log_of(path: Path | None) -> Iterator[GameLog | None]:
    """The game log that the games come from, open; None for an export."""
    from cardgym.table.game_log import GameLog, default_path

    path = path or default_path()
    if path.suffix in _LINES:
        yield None
    else:
        with contextlib.closing(GameLog(path)) as game_log:
            yield game_log


def entry_of(entries: Sequence[dict[str, Any]], number: int | None) -> dict[str, Any]:
    """The game of that number, from 1; None for the last that was finished, or else the last.

    Raises:
        CardgymError: where there is none.
    """
    if not entries:
        raise CardgymError("no matching game in the log; play one first")
    if number is None:
        return next((entry for entry in reversed(entries) if entry["finished"]), entries[-1])
    if number > len(entries):
        raise CardgymError(f"--game {number}: there are {len(entries)} games; --list shows them")
    return entries[number - 1]


def _print_list(entries: Sequence[dict[str, Any]], as_json: bool) -> None:
    from cardgym.console.tables import print_results
    from cardgym.table.review import names_of

    rows = []
    for number, entry in enumerate(entries, 1):
        score = " : ".join(f"{player['score']:g}" for player in sorted(entry["players"], key=lambda one: one["seat"]))
        undone = str(entry.get("undone", 0) or "")
        rows.append(
            (str(number), entry["env"], ", ".join(names_of(entry)), score if entry["finished"] else "unfinished",
             undone, str(entry.get("time", ""))[:16])
        )  # fmt: skip
    head = ("game", "env", "players by seat", "score", "taken back", "begun (UTC)")
    if as_json:
        print(json.dumps([dict(zip(head, row, strict=True)) for row in rows], indent=2))
    else:
        print_results("Games", head, rows, "cardgym review --game N reviews one")


def _print_review(entry: dict[str, Any], arguments: argparse.Namespace) -> None:
    from cardgym.console.progress import Progress
    from cardgym.table.costs import save_costs
    from cardgym.table.review import review
    from cardgym.table.terminal.review import Pages, step_through, summary_lines, table_lines
    from cardgym.table.terminal.style import Style, can_show, size

    seats = arguments.seats
    if seats is not None and max(seats) >= len(entry["players"]):
        raise CardgymError(f"--seats {max(seats)}: this game has seats 0 to {len(entry['players']) - 1}")
    with Progress("review", "moves") as progress:
        reviewed = review(entry, source=arguments.coach, seats=seats, progress=progress)
    if arguments.coach is None:
        with _log_of(arguments.file) as game_log:
            if game_log is not None:
                save_costs(game_log, reviewed)
    if arguments.json:
        print(json.dumps(reviewed.asdict(), indent=2, allow_nan=False))
        return
    style, width = Style.of(), size()[0]
    lines = summary_lines(reviewed, width, symbols=can_show("▁█"))
    if arguments.step:
        pages = Pages(_ask, print, style)
        pages.show(lines)
        with contextlib.suppress(EOFError, KeyboardInterrupt):
            step_through(entry, reviewed, pages)
    else:
        print(style.cards("\n".join([*lines, "", "Every decision:", *table_lines(reviewed, width)])))


def _ask(text: str) -> str:
    answer = input(text).strip()
    if answer.lower() in ("q", "quit"):
        raise EOFError
    return answer


def _print_all(entries: Sequence[dict[str, Any]], arguments: argparse.Namespace) -> None:
    from cardgym.console.progress import Progress
    from cardgym.console.tables import print_results
    from cardgym.table.costs import costs

    with _log_of(arguments.file) as game_log, Progress("review", "games") as progress:
        rows = costs(entries, source=arguments.coach, game_log=game_log, progress=progress)
    if arguments.json:
        print(json.dumps([row.asdict() for row in rows], indent=2, allow_nan=False))
        return
    if not rows:
        print("No finished game of a person has a decision to review.", file=sys.stderr)
        return
    head = ("game, opponent", "games", "won", "decision", "how many", "as good as best", "cost each", "lately")
    cells = [row.cells() for row in rows]
    print_results("Your decisions", head, cells, "cost each: with its 95 % interval; lately: the last ten games")
