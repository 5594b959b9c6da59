"""Coda for people who learn it: tips, pictures of how a line is read, and a first game."""

from __future__ import annotations

from cardgym.engine.contract import State
from cardgym.games.coda import state as s
from cardgym.table.presentation import Lesson
from cardgym.table.views import Item, Reveal, reveal

_TILES = 24
_B3, _B4, _B6, _B8 = 6, 8, 12, 16

LESSON = Lesson(
    opponent="heuristic",
    seed=9,
    steps=(
        (
            _B3,
            "Find the opponent's hidden tiles before they find yours. Pick the black tile, then a guess: black 3.",
        ),
        (
            _B4,
            "A miss: the tile you drew lies open. Lines are sorted, so place 1 is a black tile below their black 9. "
            "Guess black 4.",
        ),
        (
            _TILES + _B8,
            "Now the hidden tile lies between white 5 and black 9: it is black 6, 7 or 8. Guess black 8 at place 2.",
        ),
        (
            2 * _TILES + _B6,
            "It was not black 8, and black 7 you have just drawn yourself. Only black 6 is left: guess it at place 3.",
        ),
    ),
    closing="Their last hidden tile: you win. The order, your own tiles and every miss narrow down what is left.",
)
"""A game in which each miss tells something, until one tile is left."""


def tip(state: State, seat: int) -> str:
    if state.phase == s.GUESSING:
        may_stop = state.continuation == s.OPTIONAL and state.hits > 0
        stop = " You may also stop, which keeps your drawn tile hidden." if may_stop else ""
        risk = " A wrong guess turns your drawn tile up." if state.drawn != s.NONE else ""
        return f"Lines are sorted, low to high. Pick a hidden tile, then what you think it is.{risk}{stop}"
    if state.phase in (s.PLACING, s.SETTING):
        seen = "the place and the colour" if state.colour_visible == s.YES else "the place"
        return f"Choose where it goes: your opponent sees {'the tile' if state.missed else seen}."
    if state.phase == s.REVEALING:
        return "You have to turn up one of your tiles: choose one that tells little about the others."
    return ""


def examples() -> list[Reveal]:
    """How a line is sorted and what a place says."""
    return [
        _example("Sorted; black stands left of white", ("B2", "B5", "W5", "W9"), "2, 5, 5, 9"),
        _example("What can the white tile be?", ("B4", "back-W", "B6"), "white 4 or white 5"),
    ]


def _example(name: str, tiles: tuple[str, ...], total: str) -> Reveal:
    items: list[Item] = [
        {"id": f"example:{place}", "symbol": f"tile-{tile}", "label": tile} for place, tile in enumerate(tiles)
    ]
    return reveal(name, items=items, total=total)
