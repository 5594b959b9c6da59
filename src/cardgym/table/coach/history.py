"""A person's games: results by line-up, and the average cost of decisions by opponent and kind of decision."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import cardgym
from cardgym.arena.report import TotalsLayout
from cardgym.engine.contract import Float64s
from cardgym.engine.registry import find, registered
from cardgym.errors import CardgymError
from cardgym.files.json_values import plain
from cardgym.statistics import Interval, Moments, mean_estimate
from cardgym.table.coach.review import MAX_MOVES, Review, counts, names_of, review
from cardgym.table.game_entries import KindTotal, read_entries
from cardgym.table.game_log import GameLog, default_path
from cardgym.table.people import people_of, shown_names
from cardgym.table.setup import is_practice, is_secret

Reviewed = tuple[Mapping[str, Any], Sequence[KindTotal]]
"""A game's entry and the totals of its review."""

_CURVE_GAMES = 50
"""How many games a curve of costs shows."""

_REVIEWED_GAMES = 100
"""A person's latest games, which are reviewed in the background."""

_MAX_PEOPLE = 100
"""People whose games wait for a review; those who asked first make room."""


def save_costs(game_log: GameLog, reviewed: Review) -> None:
    """Save what a person's decisions cost in a finished game, as the game's own adviser values them.

    If the log cannot be written, nothing is saved and the game is reviewed again next time.
    """
    if reviewed.finished and reviewed.person is not None and reviewed.seats == (reviewed.person,):
        with contextlib.suppress(CardgymError):
            game_log.save_totals(reviewed.id, cardgym.__version__, _totals_of(reviewed))


class Reviewer:
    """Reviews games of a game log, on demand and in the background; the log saves the costs."""

    def __init__(self, game_log: GameLog) -> None:
        self._game_log = game_log
        self._lock = threading.Lock()
        self._waiting: dict[str, list[str]] = {}  # Ids by person, the latest game last; the next person first.
        self._refused: set[str] = set()
        self._running = False
        self._under_review = ""

    def review(self, entry: Mapping[str, Any], progress: Callable[[int, int], None] | None = None) -> Review:
        """Review a game now; see `review`."""
        reviewed = review(entry, progress=progress)
        save_costs(self._game_log, reviewed)
        return reviewed

    def costs(self, entries: Sequence[Mapping[str, Any]], owner: str = "") -> dict[str, Any]:
        """Return the costs in games reviewed so far; a person's other latest games are then reviewed in the background.

        People take turns, each with their latest game.

        Args:
            entries: the person's games, oldest first.
            owner: the person.

        Returns:
            `reviewing`, how many games are still missing, and `costs`: for each line-up of `opponents` (their names in
            order of play after the person) and kind of decision, the share `won` of all scores (None if there were
            none), how many decisions were as good as the `best`, what one costs on average, with the interval over
            games and, as a `curve`, in each of the last games.
        """
        known = self._game_log.totals(cardgym.__version__, owner)
        chosen = [entry for entry in entries if counts(entry)]
        latest = [entry["id"] for entry in chosen[-_REVIEWED_GAMES:] if len(entry["moves"]) <= MAX_MOVES]
        with self._lock:
            missing = [id for id in latest if id not in known and id not in self._refused]
            if waiting := [id for id in missing if id != self._under_review]:
                self._waiting[owner] = waiting
            if len(self._waiting) > _MAX_PEOPLE:
                del self._waiting[next(iter(self._waiting))]
            if waiting and sys.platform == "emscripten":  # A page has no threads: one game after each visit.
                asyncio.get_running_loop().call_soon(self._review_next)
            elif waiting and not self._running:
                self._running = True
                # A daemon thread does not keep the server from exiting.
                threading.Thread(target=self._work, name="reviewer", daemon=True).start()
        found: list[Reviewed] = [(entry, known[entry["id"]]) for entry in chosen if entry["id"] in known]
        return {"costs": _costs(found), "reviewing": len(missing)}

    def _work(self) -> None:
        while self._review_next():
            pass

    def _review_next(self) -> bool:
        """Review the latest game of the person whose turn it is; whether there was one."""
        with self._lock:
            if not self._waiting:
                self._running = False
                return False
            owner = next(iter(self._waiting))
            ids = self._waiting.pop(owner)
            id = self._under_review = ids.pop()
            if ids:
                self._waiting[owner] = ids
        try:
            save_costs(self._game_log, review(self._game_log.entry(id), chart=False))
        except Exception:  # For example a game that this version cannot replay: it has no costs.
            with self._lock:
                self._refused.add(id)
        with self._lock:
            self._under_review = ""
        return True


def _totals_of(reviewed: Review) -> list[KindTotal]:
    return [(total.kind, total.unit, total.decisions, total.best, total.cost) for total in reviewed.totals]


def _costs(games: Sequence[Reviewed]) -> list[dict[str, Any]]:
    lineups: dict[tuple[str, str], list[Reviewed]] = {}
    for entry, totals in games:
        names, person = names_of(entry), int(entry["person"])
        others = ", ".join([*names[person + 1 :], *names[:person]])
        lineups.setdefault((entry["env"], others), []).append((entry, totals))
    return [cost for (env, others), lineup in lineups.items() for cost in _costs_of(env, others, lineup)]


def _costs_of(env: str, others: str, games: Sequence[Reviewed]) -> list[dict[str, Any]]:
    """Return the costs against one line-up, by kind of decision."""
    scores = Moments(2)
    for entry, _ in games:
        score = next(player["score"] for player in entry["players"] if player["seat"] == entry["person"])
        scores.add(np.array([[entry["max_score"], score]], np.float64))
    won, won_ci95 = scores.share(1, 0)
    found = []
    for kind, unit in dict.fromkeys(total[:2] for _, totals in games for total in totals):
        of_kind = ([total[2:] for total in totals if total[:2] == (kind, unit)] for _, totals in games)
        rows = np.array([own[0] if own else (0, 0, 0.0) for own in of_kind], np.float64)
        decisions, best, cost = rows.sum(axis=0)
        figures = {
            "env": env,
            "opponents": others,
            "people": ", ".join(shown_names(others.split(", "), None)) if others else "",
            "games": len(games),
            "won": won,
            "won_ci95": won_ci95,
            "kind": kind,
            "unit": unit,
            "decisions": int(decisions),
            "best": int(best),
            "cost": float(cost / decisions),
            "cost_ci95": _cost_interval(rows[:, 0], rows[:, 2]),
            "curve": [float(row[2] / row[0]) for row in rows[-_CURVE_GAMES:] if row[0]],
        }
        found.append(dict(plain(figures)))
    return found


def _cost_interval(decisions: Float64s, costs: Float64s) -> Interval:
    """Return the 95 % interval of the cost of a decision: a ratio of totals of independent games (Cochran, ch. 6)."""
    cost = costs.sum() / decisions.sum()
    half = mean_estimate(costs - cost * decisions).half_width / decisions.mean()
    return float(max(cost - half, 0.0)), float(cost + half)


# -- results ----------------------------------------------------------------------------------------------------------


def reports(games: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the results of logged games by line-up, in the form of the arena's reports.

    A report has `people`, the names as people read them, how many games are `unfinished` and so not in the figures, the
    `max_score` of all games, and the `score` of each player; without finished games, players have nothing else. Lessons
    and games that continue another one are left out.
    """
    lineups: dict[str, list[dict[str, Any]]] = {}
    for game in games:
        if not is_practice(game):
            names = [(player["name"], people) for player, people in zip(game["players"], _people(game), strict=True)]
            metrics = sorted(game["players"][0]["metrics"])
            lineups.setdefault(json.dumps([game["env"], game["options"], names, metrics]), []).append(game)
    return [_report(same_lineup) for same_lineup in lineups.values()]


def _people(game: Mapping[str, Any]) -> list[str]:
    """Return the names as people read them, in the order of the game's players."""
    names = people_of(game)
    return [names[player["seat"]] for player in game["players"]]


def _report(games: Sequence[dict[str, Any]]) -> dict[str, Any]:
    first = games[0]
    env, names = first["env"], [player["name"] for player in first["players"]]
    finished = [game for game in games if game["finished"]]
    players: list[dict[str, Any]] = [{"name": name} for name in names]
    if finished:
        known = find(env).metrics if env in registered() else {}
        counts = tuple(name for name, metric in known.items() if metric.counts)
        layout = TotalsLayout(len(names), tuple(first["players"][0]["metrics"]), counts)
        moments = Moments(layout.size)
        for game in finished:
            totals = layout.vector(game["max_score"], game["players"])
            moments.add(totals[None], np.abs(totals))
        players = [dataclasses.asdict(player) for player in layout.reports(moments, names)]
    for place, player in enumerate(players):
        player["score"] = sum(game["players"][place]["score"] for game in finished)
    report = {
        "env": env,
        "options": first["options"],
        "games": len(finished),
        "unfinished": len(games) - len(finished),
        "max_score": sum(game["max_score"] for game in finished),
        "people": _people(first),
        "players": players,
    }
    return dict(plain(report))


# -- games of a file --------------------------------------------------------------------------------------------------


def saved_games(path: Path | None = None, env: str | None = None) -> list[dict[str, Any]]:
    """Return the games of a game log (None: the user's own) or its export that have moves, oldest first.

    It leaves out unfinished games of several people, whose cards are secret.

    Raises:
        CardgymError: if there is no such file, it is not a game log, or no game matches.
    """
    path = path or default_path()
    if not path.exists() and not path.is_symlink():
        raise CardgymError(f"game log {path}: no such file; play a game first, or name a file")
    if path.suffix in (".jsonl", ".json"):
        entries = [entry for entry in read_entries(path) if env in (None, entry["env"])]
    else:
        with contextlib.closing(GameLog(path, read_only=True)) as game_log:
            entries = game_log.entries(env)
    entries = [entry for entry in entries if entry["moves"] and not is_secret(entry)]
    if not entries:
        raise CardgymError(f"game log {path}: it has no game{f' of {env}' if env else ''}; play one first")
    return entries
