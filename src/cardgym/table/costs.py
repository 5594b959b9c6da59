"""Over all games of a person: what a decision costs on average, by opponent and by kind of decision."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import cardgym
from cardgym.console.tables import with_interval
from cardgym.errors import CardgymError
from cardgym.statistics import Moments, half_width
from cardgym.table.game_log import GameLog
from cardgym.table.review import Review, names_of, review

Totals = dict[tuple[str, str], tuple[int, int, float]]
"""A game's decisions, those as good as the best, and their cost in all, by kind of decision and unit."""

_LATELY = 10
"""So many games are the last ones."""


@dataclass(frozen=True)
class Cost:
    """Decisions of one kind against one line-up of opponents.

    Attributes:
        env: the game.
        opponents: their names in the order of play after the person, with commas.
        games: how many finished games.
        won: the person's share of the scores to be had.
        won_ci95: the 95 % interval of that; None for both ends after a single game.
        kind: the kind of decision.
        unit: what costs are in.
        decisions: how many decisions.
        best: how many of them were as good as the best.
        cost: the average cost of a decision.
        cost_ci95: the 95 % interval of that, over games.
        lately: the average cost in the last ten games.
    """

    env: str
    opponents: str
    games: int
    won: float | None
    won_ci95: tuple[float | None, float | None]
    kind: str
    unit: str
    decisions: int
    best: int
    cost: float
    cost_ci95: tuple[float | None, float | None]
    lately: float

    def asdict(self) -> dict[str, Any]:
        """The figures as plain values for JSON."""
        return dataclasses.asdict(self)

    def cells(self) -> tuple[str, ...]:
        """The figures as texts."""
        won = "-"
        if self.won is not None:
            won = with_interval(self.won, self.won_ci95, ".1f", percent=True, separator="\n")
        return (
            f"{self.env}, {self.opponents}" if self.opponents else self.env,
            f"{self.games:,}",
            won,
            f"{self.kind} ({self.unit})",
            f"{self.decisions:,}",
            f"{100 * self.best / self.decisions:.0f} %",
            with_interval(self.cost, self.cost_ci95, ".3f", separator="\n"),
            f"{self.lately:.3f}",
        )


def costs(
    entries: Sequence[Mapping[str, Any]],
    *,
    source: str | Path | None = None,
    game_log: GameLog | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Cost]:
    """The costs of a person's decisions in finished games, by game, opponents and kind of decision.

    Games in which moves were taken back count as they were played in the end.

    Args:
        entries: games with their moves, in the order they were played; those of agents are left out.
        source: who advises; see `Coach`.
        game_log: the log that the games are from. It saves what the game's own adviser finds, so that no game is
            reviewed twice.
        progress: called with the games done and the games in all.
    """
    chosen = [entry for entry in entries if _is_a_persons(entry) and entry.get("moves")]
    known = _known(game_log) if game_log is not None and source is None else {}
    found = []
    for number, entry in enumerate(chosen, 1):
        totals = known.get(entry.get("id", ""))
        if totals is None:
            reviewed = review(entry, source=source, chart=False)
            totals = _totals(reviewed)
            if game_log is not None and source is None:
                save_costs(game_log, reviewed)
        found.append((entry, totals))
        if progress is not None:
            progress(number, len(chosen))
    return _costs(found)


def save_costs(game_log: GameLog, reviewed: Review) -> None:
    """Keep in the record what a person's decisions cost in a finished game, as the game's own adviser values them.

    A record that cannot be written is left as it is: the game is reviewed again when its costs are asked for.
    """
    if reviewed.finished and reviewed.person is not None and reviewed.seats == (reviewed.person,):
        rows = [[*kind, *figures] for kind, figures in _totals(reviewed).items()]
        with contextlib.suppress(CardgymError):
            game_log.save_totals(reviewed.id, cardgym.__version__, rows)


class Reviewer:
    """Reviews games of a record, on demand and in the background; the record keeps what they cost."""

    def __init__(self, game_log: GameLog) -> None:
        self._game_log = game_log
        self._lock = threading.Lock()
        self._waiting: dict[str, None] = {}  # A set that keeps its order.
        self._refused: set[str] = set()
        self._running = False

    def review(self, entry: Mapping[str, Any]) -> Review:
        """Review a game now; see `review`."""
        reviewed = review(entry)
        save_costs(self._game_log, reviewed)
        return reviewed

    def costs(self, entries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The costs in games reviewed by now, at once; the others' reviews begin in the background, the last first.

        Args:
            entries: games of the record, with or without their moves, in the order they were played.

        Returns:
            `costs`, each as a dictionary, and `reviewing`: how many games are not in them yet.
        """
        known = _known(self._game_log)
        chosen = [entry for entry in entries if _is_a_persons(entry)]
        with self._lock:
            missing = [entry["id"] for entry in chosen if entry["id"] not in known and entry["id"] not in self._refused]
            self._waiting |= dict.fromkeys(missing)
            if missing and not self._running:
                self._running = True
                # A daemon: nobody waits for it when the server ends.
                threading.Thread(target=self._work, name="reviewer", daemon=True).start()
        found = [(entry, known[entry["id"]]) for entry in chosen if entry["id"] in known]
        return {"costs": [cost.asdict() for cost in _costs(found)], "reviewing": len(missing)}

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._running = False
                    return
                id = next(reversed(self._waiting))
            try:
                save_costs(self._game_log, review(self._game_log.entry(id), chart=False))
            except Exception:  # A game without moves, one that this version cannot replay: it has no costs.
                with self._lock:
                    self._refused.add(id)
            with self._lock:
                del self._waiting[id]


def _is_a_persons(entry: Mapping[str, Any]) -> bool:
    return bool(entry["finished"]) and entry.get("person") is not None


def _totals(reviewed: Review) -> Totals:
    return {(one.kind, one.unit): (one.decisions, one.best, one.cost) for one in reviewed.totals}


def _known(game_log: GameLog) -> dict[str, Totals]:
    """What this version has kept of the record's games."""
    return {
        id: {(kind, unit): (decisions, best, cost) for kind, unit, decisions, best, cost in rows}
        for id, rows in game_log.totals(cardgym.__version__).items()
    }


def _costs(games: Sequence[tuple[Mapping[str, Any], Totals]]) -> list[Cost]:
    groups: dict[tuple[str, str], list[tuple[Mapping[str, Any], Totals]]] = {}
    for entry, totals in games:
        names = names_of(entry)
        person = int(entry["person"])
        others = ", ".join(names[(person + ahead) % len(names)] for ahead in range(1, len(names)))
        groups.setdefault((entry["env"], others), []).append((entry, totals))
    return [cost for (env, others), group in groups.items() for cost in _group(env, others, group)]


def _group(
    env: str,
    others: str,
    games: Sequence[tuple[Mapping[str, Any], Totals]],
) -> list[Cost]:
    shares = Moments(2)
    for entry, _ in games:
        score = next(player["score"] for player in entry["players"] if player["seat"] == entry["person"])
        shares.add(np.array([[entry["max_score"], score]], np.float64))
    won, won_interval = shares.share(1, 0)
    kinds = dict.fromkeys(kind for _, totals in games for kind in totals)
    found = []
    for kind in kinds:
        of_games = [totals.get(kind, (0, 0, 0.0)) for _, totals in games]
        decisions = sum(one[0] for one in of_games)
        cost = sum(one[2] for one in of_games) / decisions
        last = of_games[-_LATELY:]
        recent = sum(one[0] for one in last)
        found.append(
            Cost(
                env,
                others,
                len(games),
                None if math.isnan(won) else won,
                _plain(won_interval),
                *kind,
                decisions,
                sum(one[1] for one in of_games),
                cost,
                _mean_interval(of_games, cost, decisions),
                sum(one[2] for one in last) / recent if recent else 0.0,
            )
        )
    return found


def _mean_interval(
    games: Sequence[tuple[int, int, float]], cost: float, decisions: int
) -> tuple[float | None, float | None]:
    """The 95 % interval of a mean cost: a ratio of totals of games, which are independent (Cochran, ch. 6)."""
    count = len(games)
    if count < 2:
        return None, None
    apart = sum((one[2] - cost * one[0]) ** 2 for one in games)
    half = half_width(count, 0.0, apart) * count / decisions
    return max(cost - half, 0.0), cost + half


def _plain(interval: tuple[float, float]) -> tuple[float | None, float | None]:
    low, high = (None if math.isnan(end) else end for end in interval)
    return low, high
