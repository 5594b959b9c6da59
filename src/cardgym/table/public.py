"""What everybody at a table sees: for spectators, and for a screen that passes from one person to the next."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cardgym.engine.contract import Game, State
from cardgym.table.people import named, with_names
from cardgym.table.presentation import presentation_of, view_of
from cardgym.table.views import Item, Reveal, View, Zone

PUBLIC = -2
"""The viewer who sees what everybody sees, and nothing else."""

_COVERED = re.compile("back|slot")
"""Symbols of cards whose face is not shown."""


def public_view(game: Game, state: State, people: Sequence[str]) -> View:
    """The game as all seats see it: each seat's zones as its neighbor sees them, and what is the same to all.

    Args:
        game: the game, of two or more seats.
        state: the state.
        people: the names by seat.
    """
    return _public([with_names(view_of(game, state, seat), people, seat) for seat in range(len(people))])


def public_showdown(game: Game, before: State, move: int, after: State, people: Sequence[str]) -> View | None:
    """The table with the hands turned up that a transition showed to all; None if it did not turn up hands."""
    views = []
    for seat in range(len(people)):
        view = presentation_of(game).showdown(before, move, after, seat)
        if view is None:
            return None
        views.append(with_names(view, people, seat))
    return _public(views)


def public_reveals(game: Game, before: State, move: int, after: State, people: Sequence[str]) -> list[Reveal]:
    """What a transition revealed to all seats in the same words."""
    reveals = presentation_of(game).reveals
    seen = [with_names(reveals(before, move, after, seat), people, seat) for seat in range(len(people))]
    return [reveal for reveal in seen[0] if all(_content(reveal) in map(_content, others) for others in seen)]


def _content(reveal: Reveal) -> tuple[object, ...]:
    return (reveal["name"], tuple(reveal["lines"]), reveal["total"], *(item["symbol"] for item in reveal["items"]))


def _public(views: Sequence[View]) -> View:
    """What all seats' views have in common."""
    seats = range(len(views))
    zones = [zone for seat in seats for zone in _zones(views[seat - 1], seat)]
    middle = [_zones(view, None) for view in views]
    zones += [_common(same) for same in zip(*middle, strict=True) if same[0]["kind"] != "palette"]
    counters = [counter for seat in seats for counter in views[seat - 1]["counters"] if counter["seat"] == seat]
    counters += [
        counter
        for counter in views[0]["counters"]
        if counter["seat"] is None and all(counter in view["counters"] for view in views)
    ]
    return {"to_act": views[0]["to_act"], "zones": zones, "counters": counters, "actions": {}}


def public_text(game: Game, before: State, move: int, after: State, seat: int, people: Sequence[str]) -> str:
    """The lines about a move that all other seats read, or all seats if chance moved."""
    texts = [
        named(game.words.narrate(before, move, after, viewer), people, viewer).splitlines()
        for viewer in range(len(people))
        if viewer != seat
    ]
    return "\n".join(line for line in texts[0] if all(line in lines for lines in texts))


def _zones(view: View, seat: int | None) -> list[Zone]:
    return [zone for zone in view["zones"] if zone["seat"] == seat]


def _common(zones: Sequence[Zone]) -> Zone:
    """A zone in the middle with the items that all views have; those that one view covers are covered."""
    others = [{item["id"]: item for item in zone["items"]} for zone in zones]
    found: list[Item] = []
    for id in others[0]:
        same = [items[id] for items in others if id in items]
        covered = [item for item in same if _COVERED.search(item["symbol"])]
        if len(same) == len(zones) and (covered or len({item["symbol"] for item in same}) == 1):
            found.append((covered or same)[0])
    return {**zones[0], "items": found}
