"""Over all games of a person: what a decision costs on average, by opponent and by kind of decision."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from cardgym.arena.statistics import Moments
from cardgym.play.review import names_of, review

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
        won = "-" if self.won is None else f"{100 * self.won:.1f} %{_interval(self.won_ci95, 100, '.1f')}"
        return (
            f"{self.env}, {self.opponents}" if self.opponents else self.env,
            f"{self.games:,}",
            won,
            f"{self.kind} ({self.unit})",
            f"{self.decisions:,}",
            f"{100 * self.best / self.decisions:.0f} %",
            f"{self.cost:.3f}{_interval(self.cost_ci95, 1, '.3f')}",
            f"{self.lately:.3f}",
        )


def costs(
    entries: Sequence[Mapping[str, Any]],
    *,
    source: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Cost]:
    """The costs of a person's decisions in finished games, by game, opponents and kind of decision.

    Games in which moves were taken back count as they were played in the end. A game is reviewed once a process.

    Args:
        entries: games with their moves, in the order they were played; those of agents are left out.
        source: who advises; see `Coach`.
        progress: called with the games done and the games in all.
    """
    chosen = [
        entry for entry in entries if entry["finished"] and entry.get("person") is not None and entry.get("moves")
    ]
    groups: dict[tuple[str, str], list[tuple[Mapping[str, Any], dict[tuple[str, str], tuple[int, int, float]]]]] = {}
    for number, entry in enumerate(chosen, 1):
        names = names_of(entry)
        person = int(entry["person"])
        others = ", ".join(names[(person + ahead) % len(names)] for ahead in range(1, len(names)))
        groups.setdefault((entry["env"], others), []).append((entry, _totals(_Key(entry), source)))
        if progress is not None:
            progress(number, len(chosen))
    return [cost for (env, others), games in groups.items() for cost in _group(env, others, games)]


class _Key:
    """An entry that can be looked up by its game's id and its moves."""

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self.entry = entry
        moves = tuple(tuple(move) for move in entry["moves"])
        self._key = (entry["env"], repr(sorted(entry["settings"].items())), entry["person"], moves)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._key == other._key


@lru_cache(maxsize=1000)
def _totals(key: _Key, source: str | Path | None) -> dict[tuple[str, str], tuple[int, int, float]]:
    reviewed = review(key.entry, source=source, chart=False)
    return {(one.kind, one.unit): (one.decisions, one.best, one.cost) for one in reviewed.totals}


def _group(
    env: str,
    others: str,
    games: Sequence[tuple[Mapping[str, Any], dict[tuple[str, str], tuple[int, int, float]]]],
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
    half = 1.96 * math.sqrt(apart * count / (count - 1)) / decisions
    return max(cost - half, 0.0), cost + half


def _plain(interval: tuple[float, float]) -> tuple[float | None, float | None]:
    low, high = (None if math.isnan(end) else end for end in interval)
    return low, high


def _interval(ends: tuple[float | None, float | None], factor: float, form: str) -> str:
    low, high = ends
    return "" if low is None or high is None else f"\n[{factor * low:{form}}, {factor * high:{form}}]"
