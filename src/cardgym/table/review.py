"""The review of a game: what every decision cost, the worst of them, a chart, and luck told from skill."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cardgym.engine.registry import find
from cardgym.table.advice import ActionAdvice, Advice
from cardgym.table.coach import Coach
from cardgym.table.rollouts import look
from cardgym.table.session import Event, replay

WORST = 3
"""How many of the dearest decisions come first."""
_SHOWN = 5
"""How many of a decision's actions are kept, besides the one chosen."""


@dataclass(frozen=True)
class Decision:
    """One decision, reviewed.

    Attributes:
        number: its place among the decisions reviewed, from 0.
        move: its place among the game's moves, from 0.
        seat: who decided.
        player: the player's name.
        kind: the kind of decision.
        unit: what `cost` and values are in.
        source: what the values are by; see `Advice`.
        chosen: the action taken.
        best: the best action.
        text: the action taken, in words.
        best_text: the best action in words.
        cost: how much less the action taken is worth; 0 where the difference is within the error.
        reason: what speaks for the best action.
        chosen_reason: what is said of the action taken.
        blunder: whether it costs as much as a blunder.
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
    actions: tuple[ActionAdvice, ...]


@dataclass(frozen=True)
class Total:
    """Decisions of one seat and one kind, added up."""

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
        id: the game's id.
        env: the game.
        options: its options.
        players: the names by seat.
        person: the person's seat; None where players were watched.
        seats: whose decisions are reviewed.
        finished: whether the game was played to its end.
        scores: each seat's score.
        decisions: the decisions with more than one legal action, in order.
        worst: the numbers of the dearest decisions, the dearest first; those that cost nothing are left out.
        totals: costs by seat and kind of decision.
        chart: how every seat stood at each decision and at the end: `move` and `values` by seat.
        chart_unit: what these values are in.
        luck: what chance gave each seat, exactly, in `luck_unit`; None where no exact values are known.
        luck_unit: what luck is in.
    """

    id: str
    env: str
    options: dict[str, int | str]
    players: tuple[str, ...]
    person: int | None
    seats: tuple[int, ...]
    finished: bool
    scores: tuple[float, ...]
    decisions: tuple[Decision, ...]
    worst: tuple[int, ...]
    totals: tuple[Total, ...]
    chart: tuple[dict[str, Any], ...]
    chart_unit: str
    luck: tuple[float, ...] | None
    luck_unit: str

    def asdict(self) -> dict[str, Any]:
        """The review as plain values for JSON."""
        return dataclasses.asdict(self)


def review(
    entry: Mapping[str, Any],
    *,
    source: str | Path | None = None,
    seats: Sequence[int] | None = None,
    chart: bool = True,
    progress: Callable[[int, int], None] | None = None,
    events: Sequence[Event] | None = None,
) -> Review:
    """Review a game.

    Args:
        entry: the game with its moves, from a game log or its export.
        source: who advises; see `Coach`.
        seats: whose decisions; None for the person's, or everybody's where players were watched.
        chart: whether to compute the chart too.
        progress: called with the moves done and the moves in all.
        events: the game's moves where the caller has replayed it already.

    Raises:
        CardgymError: for a game that cannot be replayed, or a source that cannot advise.
    """
    game = find(entry["env"])
    options = game.parse_options(entry["options"])
    coach = Coach(game, options, source)
    moves = replay(dict(entry)) if events is None else events
    names = names_of(entry)
    person = entry.get("person")
    seats = reviewed_seats(entry) if seats is None else seats
    decisions: list[Decision] = []
    points: list[dict[str, Any]] = []
    luck = [0.0] * len(names)
    for number, event in enumerate(moves):
        if event.seat in seats:
            if chart:
                points.append({"move": number, "values": coach.standing(event.before)})
            if np.count_nonzero(look(game, options, event.before, event.seat)[1]) > 1:
                advice = coach.advise(event.before, event.seat)
                decisions.append(_decision(len(decisions), number, event, names[event.seat], advice))
        if coach.adviser.luck is not None:
            for seat in range(len(names)):
                luck[seat] += coach.adviser.luck(event.before, event.move, event.after, seat)
        if progress is not None:
            progress(number + 1, len(moves))
    if chart and moves:
        points.append({"move": len(moves), "values": coach.standing(moves[-1].after)})
    dear = sorted((one for one in decisions if one.cost > 0), key=_weight, reverse=True)
    scores = {player["seat"]: float(player["score"]) for player in entry["players"]}
    return Review(
        id=entry["id"],
        env=game.id,
        options=options.asdict(),
        players=tuple(names),
        person=person,
        seats=tuple(seats),
        finished=bool(entry["finished"]),
        scores=tuple(scores[seat] for seat in sorted(scores)),
        decisions=tuple(decisions),
        worst=tuple(one.number for one in dear[:WORST]),
        totals=tuple(_totals(decisions)),
        chart=tuple(points),
        chart_unit=coach.standing_unit,
        luck=tuple(luck) if coach.adviser.luck is not None else None,
        luck_unit=coach.adviser.luck_unit,
    )


def decisions_of(entry: Mapping[str, Any], seats: Sequence[int] | None = None) -> list[tuple[int, Event]]:
    """The decisions of a game that a review numbers: their places among the moves, and the moves.

    Args:
        entry: the game with its moves.
        seats: whose; None as in `review`.
    """
    game = find(entry["env"])
    options = game.parse_options(entry["options"])
    kept = reviewed_seats(entry) if seats is None else seats
    return [
        (place, event)
        for place, event in enumerate(replay(dict(entry)))
        if event.seat in kept and np.count_nonzero(look(game, options, event.before, event.seat)[1]) > 1
    ]


def reviewed_seats(entry: Mapping[str, Any]) -> list[int]:
    """Whose decisions are reviewed unless the caller says so: the person's, or everybody's of a game watched."""
    person = entry.get("person")
    return list(range(len(entry["players"]))) if person is None else [int(person)]


def names_of(entry: Mapping[str, Any]) -> list[str]:
    """The players' names by seat."""
    return [str(player["name"]) for player in sorted(entry["players"], key=lambda player: int(player["seat"]))]


def _decision(number: int, move: int, event: Event, player: str, advice: Advice) -> Decision:
    chosen, best = advice.of(event.move), advice.best
    cost = advice.cost(event.move)
    if cost == 0.0:  # As good as the best, as far as the adviser can tell.
        best = chosen
    shown = advice.actions[:_SHOWN]
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
        actions=shown if chosen in shown else (*shown, chosen),
    )


def _weight(decision: Decision) -> tuple[bool, float]:
    """Blunders first, then by cost: costs of several kinds may be in several units."""
    return decision.blunder, decision.cost


def _totals(decisions: Sequence[Decision]) -> list[Total]:
    groups: dict[tuple[int, str, str, str], list[Decision]] = {}
    for one in decisions:
        groups.setdefault((one.seat, one.player, one.kind, one.unit), []).append(one)
    return [
        Total(*key, len(group), sum(one.cost == 0.0 for one in group), sum(one.cost for one in group))
        for key, group in groups.items()
    ]
