"""What the people at a table read about its moves, each from their own seat, with everyone's names; and what all see.

What all see is for spectators, and for a screen that is passed from one person to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cardgym.engine.contract import Game, Names, State
from cardgym.engine.sight import narrate
from cardgym.table.people import shown_names
from cardgym.table.presentation import presentation_of, view_of
from cardgym.table.views import COVERED, Item, Reveal, View, Zone

_UNDONE = 1_000_000
"""More moves than a game has."""

PUBLIC = -2
"""The viewer who sees only what everyone sees."""


@dataclass(frozen=True)
class Event:
    """A move that was made.

    Attributes:
        seat: the seat that decided, or CHANCE.
        move: the action, or the outcome of chance, which the person may not know.
        is_choice: whether the seat had two or more legal actions.
        text: what the person saw of it, with the names of `Session.people`; empty if nothing.
        texts: what each viewer saw of it: if several people play, there are more viewers than the person.
    """

    seat: int
    move: int
    is_choice: bool
    text: str
    before: State
    after: State
    texts: Mapping[int, str] = field(default_factory=dict)


class Narration:
    """The texts of a game so far.

    Attributes:
        names: the players' names by seat, as the game log has them.
        texts: by viewer, the texts with the seat that decided; `PUBLIC` is a viewer if several people play.
        known: by viewer, how many moves they know of, and far more after a move was taken back.
    """

    def __init__(
        self, game: Game, names: Sequence[str], persons: Sequence[int], viewer: int, about: Mapping[str, Any]
    ) -> None:
        """Begin a narration.

        Args:
            viewer: the seat from which a game without people is read.
            about: what is saved with the game: the names that people gave.
        """
        self.names = list(names)
        self._game, self._persons, self._about = game, tuple(persons), about
        viewers = (*persons, PUBLIC) if len(persons) > 1 else (viewer,)
        self.texts: dict[int, list[tuple[int, str]]] = {reader: [] for reader in viewers}

    def begin(self, undone: int) -> None:
        """Start again from the first move; `undone` is how often moves were taken back."""
        self.known = dict.fromkeys(self.texts, undone * _UNDONE)
        for texts in self.texts.values():
            texts.clear()

    def people(self, viewer: int) -> Names:
        """Return the names by seat as `viewer` reads them; a person who sits there is "You"."""
        return shown_names(self.names, viewer if viewer in self._persons else None, self._about)

    def add(self, before: State, move: int, after: State, seat: int, *, forced: bool) -> dict[int, str]:
        """Narrate a move; return what each viewer reads, often nothing.

        Args:
            seat: who decided, or CHANCE.
            forced: whether it was the only legal move of a person.
        """
        seen = {}
        for viewer, texts in self.texts.items():
            people = self.people(viewer)
            if not self._persons:
                text = informed_text(self._game, before, move, after, seat, people)
            elif viewer == PUBLIC:
                text = public_text(self._game, before, move, after, seat, people)
            else:
                text = narrate(self._game, before, move, after, viewer, people)
            if text and forced and viewer == seat:
                first, newline, rest = text.partition("\n")
                text = f"{first} (the only move){newline}{rest}"
            if text:
                texts.append((seat, text))
            seen[viewer] = text
            self.known[viewer] += knows(viewer, seat, text)
        return seen


def knows(viewer: int, seat: int, text: str) -> bool:
    """Whether a viewer knows of a move of `seat`, of which they read `text`: not of a hidden one of another."""
    return bool(text) or seat == viewer


# -- what all can see -------------------------------------------------------------------------------------------------


def public_view(game: Game, state: State, people: Names) -> View:
    """Return the game as all seats see it: each seat's zones as all others see them, and what is the same for all."""
    return _public([view_of(game, state, seat, (), people) for seat in range(len(people))])


def public_showdown(game: Game, before: State, move: int, after: State, people: Names) -> View | None:
    """Return the table with the hands face up that a transition showed to all; None if it showed no hands."""
    showdown = presentation_of(game).showdown
    views = [view for seat in range(len(people)) if (view := showdown(before, move, after, seat, people)) is not None]
    return _public(views) if len(views) == len(people) else None


def public_reveals(game: Game, before: State, move: int, after: State, people: Names) -> list[Reveal]:
    """Return the reveals of a transition that all seats see in the same words."""
    reveals = presentation_of(game).reveals
    seen = [reveals(before, move, after, seat, people) for seat in range(len(people))]
    return [reveal for reveal in seen[0] if all(_content(reveal) in map(_content, others) for others in seen)]


def _content(reveal: Reveal) -> tuple[object, ...]:
    return (reveal["name"], tuple(reveal["lines"]), reveal["total"], *(item["symbol"] for item in reveal["items"]))


def _public(views: Sequence[View]) -> View:
    """Return what all seats' views have in common."""
    seats = range(len(views))
    zones, counters = [], []
    for seat in (*seats, None):
        seen = [view for reader, view in enumerate(views) if reader != seat]
        zones += [_common(same) for same in zip(*(_zones(view, seat) for view in seen), strict=True)]
        counters += [
            counter
            for counter in seen[0]["counters"]
            if counter["seat"] == seat and all(counter in view["counters"] for view in seen)
        ]
    return {"to_act": views[0]["to_act"], "zones": zones, "counters": counters, "actions": {}}


def public_text(game: Game, before: State, move: int, after: State, seat: int, people: Names) -> str:
    """Return the lines about a move that all other seats read, or all seats if chance moved."""
    texts = [
        narrate(game, before, move, after, viewer, people).splitlines()
        for viewer in range(len(people))
        if viewer != seat
    ]
    return "\n".join(line for line in texts[0] if all(line in lines for lines in texts))


def informed_text(game: Game, before: State, move: int, after: State, seat: int, people: Names) -> str:
    """Return a move for people who watch all hands, as the seat that acts or gets a card reads it."""
    if seat >= 0:
        return narrate(game, before, move, after, seat, people)
    return max((narrate(game, before, move, after, reader, people) for reader in range(len(people))), key=len)


def _zones(view: View, seat: int | None) -> list[Zone]:
    return [zone for zone in view["zones"] if zone["seat"] == seat]


def _common(zones: Sequence[Zone]) -> Zone:
    """Return a zone in the middle with the items that all views have; an item is covered if one view covers it.

    What a seat may choose, and what it may rule out, depends on what it sees: of a palette only the room is kept, and
    of an item no marks.
    """
    if zones[0]["kind"] == "palette":
        return {**zones[0], "items": []}
    others = [{item["id"]: item for item in zone["items"]} for zone in zones]
    found: list[Item] = []
    for id in others[0]:
        same = [items[id] for items in others if id in items]
        covered = [item for item in same if COVERED.search(item["symbol"])]
        if len(same) == len(zones) and (covered or len({item["symbol"] for item in same}) == 1):
            item = (covered or same)[0].copy()
            item.pop("marks", None)
            found.append(item)
    return {**zones[0], "items": found}
