"""Results of people's games as the arena's reports have them: a report for each line-up."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from cardgym.arena.report import Report
from cardgym.arena.totals import Totals
from cardgym.engine.registry import find, registered
from cardgym.statistics import Moments


def reports(games: Iterable[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], int]]:
    """A report for each line-up of entries of the game log, with the number of games left unfinished.

    Yields:
        A report like the arena's with each player's `score` and the `max_score` of all games beside it, and how many
        games are not in its figures.
    """
    lineups: dict[str, list[dict[str, Any]]] = {}
    for game in games:
        names = [player["name"] for player in game["players"]]
        metrics = sorted(game["players"][0]["metrics"])
        lineups.setdefault(json.dumps([game["env"], game["options"], names, metrics]), []).append(game)
    for same_lineup in lineups.values():
        first = same_lineup[0]
        finished = [game for game in same_lineup if game["finished"]]
        known = find(first["env"]).metrics if first["env"] in registered() else {}
        counts = tuple(name for name, metric in known.items() if metric.counts)
        totals = Totals(len(first["players"]), tuple(first["players"][0]["metrics"]), counts)
        moments = Moments(totals.size)
        for game in finished:
            moments.add(totals.vector(game["max_score"], game["players"])[None])
        names = [player["name"] for player in first["players"]]
        players = totals.reports(moments, names) if finished else ()
        report = Report(first["env"], first["options"], len(finished), 0, 0.0, 0.0, players).asdict()
        if not finished:
            report["players"] = [{"name": name} for name in names]
        for place, player in enumerate(report["players"]):
            player["score"] = sum(game["players"][place]["score"] for game in finished)
        report["max_score"] = sum(game["max_score"] for game in finished)
        for key in ("seed", "seconds", "decisions_per_second"):
            report[key] = None  # These games have many seeds and were played at a person's pace.
        yield report, len(same_lineup) - len(finished)
