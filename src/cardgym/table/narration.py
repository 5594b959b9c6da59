"""What the people at a table read about its moves, each from their seat, with everyone's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cardgym.engine.contract import Game, State
from cardgym.table.people import name_key, named, shown_names
from cardgym.table.public import PUBLIC, public_text


@dataclass(frozen=True)
class Event:
    """A move that was made.

    Attributes:
        seat: the seat that decided; -1 for chance.
        move: the action, or the outcome of chance, which the person may not know.
        text: what the person saw of it, with the names of `Session.people`; empty if nothing.
        before: the state before it.
        after: the state after it.
        texts: what each viewer saw of it: more than the person where several people play.
    """

    seat: int
    move: int
    text: str
    before: State
    after: State
    texts: Mapping[int, str] = field(default_factory=dict)


class Narration:
    """The texts of a game so far.

    Attributes:
        names: the players' names by seat, as the game log has them.
        texts: by viewer, the texts with the seat that decided; `PUBLIC` reads along where several people play.
    """

    def __init__(
        self, game: Game, names: Sequence[str], persons: Sequence[int], viewer: int, about: Mapping[str, Any]
    ) -> None:
        """Begin a narration.

        Args:
            game: the game.
            names: the players' names by seat.
            persons: the seats of the people.
            viewer: the seat that reads if it is nobody's.
            about: what is saved with the game: the names that people gave.
        """
        self.names = list(names)
        self._game, self._persons, self._about = game, tuple(persons), about
        viewers = (*persons, PUBLIC) if len(persons) > 1 else (viewer,)
        self.texts: dict[int, list[tuple[int, str]]] = {reader: [] for reader in viewers}

    def people(self, viewer: int) -> list[str]:
        """The names by seat as a person at `viewer` reads them, and as others do for a seat that is nobody's."""
        names = [str(self._about.get(name_key(seat), name)) for seat, name in enumerate(self.names)]
        return shown_names(names, viewer if viewer in self._persons else None)

    def clear(self) -> None:
        """Forget all texts."""
        for texts in self.texts.values():
            texts.clear()

    def add(self, before: State, move: int, after: State, seat: int, *, forced: bool) -> dict[int, str]:
        """Narrate a move; returns what each viewer reads, often nothing.

        Args:
            before: the state before it.
            move: the move.
            after: the state after it.
            seat: who decided; -1 for chance.
            forced: whether it was the only legal move of a person.
        """
        told = {}
        for viewer, texts in self.texts.items():
            people = self.people(viewer)
            if viewer == PUBLIC:
                text = public_text(self._game, before, move, after, seat, people)
            else:
                text = named(self._game.words.narrate(before, move, after, viewer), people, viewer)
            if text and forced and viewer == seat:
                first, newline, rest = text.partition("\n")
                text = f"{first} (the only move){newline}{rest}"
            if text:
                texts.append((seat, text))
            told[viewer] = text
        return told
