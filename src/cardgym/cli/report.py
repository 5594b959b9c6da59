"""Print saved evaluations (of `cardgym evaluate --json`) and the logs of your own games as tables.

Without a file, the logs in your data folder that `cardgym play` writes. Games left unfinished are counted below the
table and are no part of its figures.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cardgym.cli.parser import Parser
from cardgym.errors import CardgymError

_REPORT_KEYS = {"env", "settings", "games", "players"}
_PLAYER_KEYS = {"name", "win_rate", "win_rate_ci95", "mean_return", "mean_return_ci95", "metrics"}


def add_arguments(parser: Parser) -> None:
    """The command's arguments."""
    parser.add_argument("files", metavar="FILE", nargs="*", type=Path, help="evaluations (.json), logs (.jsonl)")
    parser.add_argument("--json", action="store_true", help="print JSON: a list of reports")


def run(arguments: argparse.Namespace) -> None:
    """Read all files, then print."""
    from cardgym.play.log import data_folder, read_log

    files = arguments.files or sorted((data_folder() / "play").glob("*.jsonl"))
    if not files:
        raise CardgymError(f"no games played yet: {data_folder() / 'play'} holds no log; name a file, or play")
    reports: list[tuple[dict[str, Any], int]] = []
    for path in files:
        if path.suffix == ".jsonl":
            reports += _reports(read_log(path))
        else:
            reports.append((_read_report(path), 0))
    if arguments.json:
        print(json.dumps([report for report, _ in reports], indent=2, allow_nan=False))
        return
    from cardgym.arena.printing import print_report

    for place, (report, unfinished) in enumerate(reports):
        if place:
            print()
        if report["games"]:
            print_report(report)
        if unfinished:
            names = ", ".join(player["name"] for player in report["players"])
            games = "1 game" if unfinished == 1 else f"{unfinished} games"
            print(f"{report['env']}: {games} of {names} left unfinished, not in the figures")


def _read_report(path: Path) -> dict[str, Any]:
    from cardgym.arena.printing import report_texts

    try:
        report = json.loads(path.read_text())
        if report.keys() >= _REPORT_KEYS and all(player.keys() >= _PLAYER_KEYS for player in report["players"]):
            report_texts(report)  # Raises where a value is of the wrong type.
            return dict(report)
    except FileNotFoundError:
        raise CardgymError(f"file {path}: no such file") from None
    except (OSError, ValueError, AttributeError, TypeError, LookupError):
        pass
    raise CardgymError(f"file {path}: holds no report that `cardgym evaluate --json` printed")


def _reports(games: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], int]]:
    """A report for each line-up in a log, like the arena's, with the number of games left unfinished."""
    from cardgym.arena.report import Report
    from cardgym.arena.statistics import Moments
    from cardgym.arena.totals import Totals

    lineups: dict[str, list[dict[str, Any]]] = {}
    for game in games:
        names = [player["name"] for player in game["players"]]
        lineups.setdefault(json.dumps([game["env"], game["settings"], names]), []).append(game)
    for same_lineup in lineups.values():
        first = same_lineup[0]
        finished = [game for game in same_lineup if game["finished"]]
        totals = Totals(len(first["players"]), tuple(first["players"][0]["metrics"]))
        moments = Moments(totals.size)
        for game in finished:
            moments.add(totals.vector(game["max_score"], game["players"])[None])
        names = [player["name"] for player in first["players"]]
        players = totals.reports(moments, names) if finished else ()
        report = Report(first["env"], first["settings"], len(finished), 0, 0.0, 0.0, players).asdict()
        if not finished:
            report["players"] = [{"name": name} for name in names]
        for place, player in enumerate(report["players"]):
            player["score"] = sum(game["players"][place]["score"] for game in finished)
        report["max_score"] = sum(game["max_score"] for game in finished)
        for key in ("seed", "seconds", "decisions_per_second"):
            report[key] = None  # A log holds games of many seeds, played at a person's pace.
        yield report, len(same_lineup) - len(finished)
