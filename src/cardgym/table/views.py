"""What a person sees of a game: zones of cards and other items, counters, and the items that each action is about.

It is plain data for JSON. A game makes it in its `view` and `reveals`; pages and pictures lay it out without knowing
the game.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from cardgym.engine.declarations import State

COVERED = re.compile("back|slot")
"""Symbols of cards whose face is not shown."""


@dataclass(frozen=True)
class Symbol:
    """A drawing: SVG elements in a box of `width` x `height` units."""

    width: int
    height: int
    content: str


class Item(TypedDict):
    """A card, tile, die or peg.

    Keys:
        id: its name in the view, such as `hand:0`.
        symbol: the name of its drawing among the symbols of the game.
        label: what a screen reader says, such as "five of hearts".
        caption: a few characters below it.
        faded: whether it is out of play.
        marks: what it can still be, as far as the viewer knows, in a few characters each; "" for what it cannot be.
        x, y: on a board, its center in the units of the board's symbol.
    """

    id: str
    symbol: str
    label: str
    caption: NotRequired[str]
    faded: NotRequired[bool]
    marks: NotRequired[list[str]]
    x: NotRequired[float]
    y: NotRequired[float]


class Zone(TypedDict):
    """A group of items.

    Keys:
        name: its heading, such as "Your hand".
        seat: the seat it belongs to; None for the middle of the table.
        kind: `hand` or `row` (side by side), `pile` (on top of each other), `dice`, `palette` (values to choose from,
            which are not on the table), `board` (items at `x` and `y` on `symbol`), `text` (the labels as lines).
        items: the items, from left to right.
        captions: whether items can have captions, which the table then reserves room for; yes if left out.
        room: how many items the table reserves room for, so that nothing moves when they arrive; the number of items if
            left out.
        symbol: the drawing of a board.
    """

    name: str
    seat: int | None
    kind: str
    items: list[Item]
    captions: NotRequired[bool]
    room: NotRequired[int]
    symbol: NotRequired[str]


class Counter(TypedDict):
    """A number or a word to show, such as the pot.

    Keys:
        seat: the seat it belongs to; None for the table.
        chips: whether it counts chips, which move from one counter to another.
    """

    name: str
    value: int | str
    seat: int | None
    chips: NotRequired[bool]


class View(TypedDict):
    """A game as one seat sees it.

    Keys:
        to_act: the seat to decide; -1 while chance moves and at the end.
        zones: the zones.
        counters: the counters.
        actions: the ids of the items that each legal action is about; empty unless the viewer is to decide.
    """

    to_act: int
    zones: list[Zone]
    counters: list[Counter]
    actions: dict[int, list[str]]


class Reveal(TypedDict):
    """What a move reveals, explained point by point: a hand being counted, a roll of dice, a showdown.

    Keys:
        name: its heading, such as "Your hand".
        items: the items shown.
        lines: the points, as a player counts them aloud.
        total: their sum.
        banner: whether it is the outcome of a hand, a deal or a game; its lines say what decided.
    """

    name: str
    items: list[Item]
    lines: list[str]
    total: str
    banner: NotRequired[bool]


def reveal(
    name: str, lines: Sequence[str] = (), items: Sequence[Item] = (), total: str = "", *, banner: bool = False
) -> Reveal:
    """Return a `Reveal`: a name, `lines` of text, `items` and a `total`; a `banner` is large."""
    found: Reveal = {"name": name, "items": list(items), "lines": list(lines), "total": total}
    return {**found, "banner": True} if banner else found


def listed(view: View, texts: Mapping[int, str]) -> list[dict[str, Any]]:
    """Return actions with their texts and their items in a view."""
    return [{"action": action, "text": texts[action], "items": view["actions"].get(action, [])} for action in texts]


def view_in_words(describe: Callable[[State, int], str], state: State, seat: int, num_players: int) -> View:
    """Return what `describe` says as a view of lines, for a game without one; of `num_players` seats for seat -1."""
    zones: list[Zone] = []
    for viewer in range(num_players) if seat < 0 else [seat]:
        lines = describe(state, viewer).splitlines()
        items: list[Item] = [
            {"id": f"line:{viewer}:{number}", "symbol": "", "label": line} for number, line in enumerate(lines)
        ]
        name = "The game" if viewer == seat else f"As seat {viewer} sees it"
        zones.append({"name": name, "seat": None, "kind": "text", "items": items})
    return {"to_act": -1, "zones": zones, "counters": [], "actions": {}}
