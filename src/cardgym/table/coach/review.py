"""The review of a game: the cost of each decision, the costliest ones, a chart, and luck separated from skill."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardgym.engine.contract import Names
from cardgym.engine.registry import find
from cardgym.table.coach.advice import ActionAdvice, Advice, Adviser
from cardgym.table.coach.coach import Coach
from cardgym.table.narration import Event
from cardgym.table.people import people_of
from cardgym.table.session import replay
from cardgym.table.setup import PERSON, TABLE, is_practice

MAX_MOVES = 5000
"""Moves of the longest game that a server reviews."""
WORST = 3
"""How many of the costliest decisions are listed first."""
_GRADES = {"??": 1.0, "?": 1 / 3, "?!": 1 / 10}
"""The least share of a blunder's cost for each grade."""
_LISTED_ACTIONS = 5
"""How many actions of a decision are listed, besides the one taken."""


@dataclass(frozen=True)
class Decision:
    """One decision, reviewed.

    Attributes:
        number: its index among the reviewed decisions.
        move: its index among the game's moves.
        unit: what `cost` and values are in.
        source: where the values come from; see `Advice`.
        best: the best action, or the one taken if it is as good.
        cost: how much less the action taken is worth; 0 if the difference is within the error.
        reason: why the best action is good.
        chosen_reason: the reason given for the action taken.
        grade: `??` for a blunder, `?` and `?!` for lesser costs, empty for less than that.
        actions: the best actions and the one taken, best first.
    """

    number: int
    move: int
    seat: int
    player: str
    kind: str
    unit: str
    source: str
    chosen: int
    best: int
    text: str
    best_text: str
    cost: float
    reason: str
    chosen_reason: str
    blunder: bool
    grade: str
    actions: tuple[ActionAdvice, ...]


@dataclass(frozen=True)
class SeatTotal:
    """The decisions of one seat and one kind."""

    seat: int
    player: str
    kind: str
    unit: str
    decisions: int
    best: int
    cost: float

    @property
    def mean(self) -> float:
        """The average cost of a decision."""
        return self.cost / self.decisions


@dataclass(frozen=True)
class Review:
    """A game, reviewed.

    Attributes:
        people: the names by seat for people.
        person: the person's seat; None if the game was watched.
        finished: whether the game was played to its end.
        decisions: the decisions with more than one legal action, in order.
        worst: the numbers of the costliest decisions, costliest first, without those that cost nothing.
        totals: costs by seat and kind of decision.
        chart: how every seat stood at each decision and at the end: `move` and `values` by seat.
        luck: what chance gave each seat, exactly, in `luck_unit`; None if exact values are not known.
        strength: how strong the coach is as a player; see `Advice`.
    """

    id: str
    env: str
    options: dict[str, int | str]
    players: tuple[str, ...]
    people: Names
    person: int | None
    seats: tuple[int, ...]
    finished: bool
    scores: tuple[float, ...]
    decisions: tuple[Decision, ...]
    worst: tuple[int, ...]
    totals: tuple[SeatTotal, ...]
    chart: tuple[dict[str, Any], ...]
    chart_unit: str
    luck: tuple[float, ...] | None
    luck_unit: str
    strength: str

    def asdict(self) -> dict[str, Any]:
        """Return the review as plain values for JSON."""
        return dataclasses.asdict(self)


def review(
    entry: Mapping[str, Any],
    *,
    source: str | Path | None = None,
    seats: Sequence[int] | None = None,
    chart: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Review:
    """Return the review of a game: what its decisions cost.

    Args:
        entry: the game with its moves, from a game log or its export.
        source: who advises; see `Coach`.
        seats: whose decisions; None for the person's, or all seats' if the game was watched.
        chart: whether to compute the chart too.
        progress: called with the number of moves done and the total.

    Raises:
        CardgymError: if the game cannot be replayed or the source cannot advise.
    """
    game = find(entry["env"])
    options = game.parse_options(entry["options"])
    coach, events, names = Coach(game, options, source), replay(entry), names_of(entry)
    seats = reviewed_seats(entry) if seats is None else seats
    decisions: list[Decision] = []
    points: list[dict[str, Any]] = []
    for number, event in enumerate(events):
        if chart and event.seat in seats:
            points.append({"move": number, "values": coach.standing(event.before)})
        if event.seat in seats and event.is_choice:
            advice = coach.advise(event.before, event.seat, names)
            decisions.append(decision(len(decisions), number, event, names[event.seat], advice))
        if progress is not None:
            progress(number + 1, len(events))
    if chart and events:
        points.append({"move": len(events), "values": coach.standing(events[-1].after)})
    return Review(
        id=entry["id"],
        env=game.id,
        options=options.asdict(),
        players=tuple(names),
        people=people_of(entry),
        person=entry["person"],
        seats=tuple(seats),
        finished=bool(entry["finished"]),
        scores=tuple(float(player["score"]) for player in _by_seat(entry)),
        decisions=tuple(decisions),
        worst=_costliest(decisions),
        totals=tuple(_totals(decisions)),
        chart=tuple(points),
        chart_unit=coach.standing_unit,
        luck=_luck(coach.adviser, events, len(names)),
        luck_unit=coach.adviser.luck_unit,
        strength=coach.strength,
    )


def _costliest(decisions: Sequence[Decision]) -> tuple[int, ...]:
    """Get the numbers of the costliest decisions; blunders come first, as costs of several kinds have several units."""
    costly = [decision for decision in decisions if decision.cost > 0]
    costly.sort(key=lambda decision: (decision.blunder, decision.cost), reverse=True)
    return tuple(decision.number for decision in costly[:WORST])


def _luck(adviser: Adviser, events: Sequence[Event], num_players: int) -> tuple[float, ...] | None:
    """Return what chance gave each seat; None if the adviser does not know it."""
    luck = adviser.luck
    if luck is None:
        return None
    return tuple(
        math.fsum(luck(event.before, event.move, event.after, seat) for event in events) for seat in range(num_players)
    )


def reviewed_seats(entry: Mapping[str, Any]) -> list[int]:
    """Return the seats that are reviewed by default: the person's, all people's at a shared screen, all if watched."""
    person = entry["person"]
    if shares_screen(entry):
        return sorted(player["seat"] for player in entry["players"] if player["name"] == PERSON)
    return list(range(len(entry["players"]))) if person is None else [int(person)]


def shares_screen(entry: Mapping[str, Any]) -> bool:
    """Whether several people played a game at one screen."""
    return bool(entry["about"].get(TABLE) == "hot")


def counts(entry: Mapping[str, Any]) -> bool:
    """Whether one person finished the game, alone at a screen and without knowing what would come."""
    alone = entry["person"] is not None and not shares_screen(entry)
    return bool(entry["finished"]) and alone and not is_practice(entry)


def names_of(entry: Mapping[str, Any]) -> list[str]:
    """Return the players' names by seat."""
    return [str(player["name"]) for player in _by_seat(entry)]


def _by_seat(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    return sorted(entry["players"], key=lambda player: int(player["seat"]))


def decision(number: int, move: int, event: Event, player: str, advice: Advice) -> Decision:
    """Review one decision, given the coach's advice for it."""
    chosen, best = advice.of(event.move), advice.best
    cost = advice.cost(event.move)
    if cost == 0.0:  # As good as the best, as far as the adviser can tell.
        best = chosen
    listed = advice.actions[:_LISTED_ACTIONS]
    return Decision(
        number=number,
        move=move,
        seat=event.seat,
        player=player,
        kind=advice.kind,
        unit=advice.unit,
        source=advice.source,
        chosen=event.move,
        best=best.action,
        text=chosen.text,
        best_text=best.text,
        cost=cost,
        reason=best.reason,
        chosen_reason=chosen.reason,
        blunder=advice.is_blunder(event.move),
        grade=next((sign for sign, share in _GRADES.items() if cost and cost >= share * advice.blunder), ""),
        actions=listed if chosen in listed else (*listed, chosen),
    )


def _totals(decisions: Sequence[Decision]) -> list[SeatTotal]:
    groups: dict[tuple[int, str, str, str], list[float]] = {}
    for decision in decisions:
        groups.setdefault((decision.seat, decision.player, decision.kind, decision.unit), []).append(decision.cost)
    return [SeatTotal(*key, len(costs), costs.count(0.0), math.fsum(costs)) for key, costs in groups.items()]
