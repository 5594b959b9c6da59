"""Coda for people who learn it: a tip for each decision, and pictures of how a line is read."""

from __future__ import annotations

from cardgym.engine.contract import State
from cardgym.games.coda.state import GUESSING, NONE, OPTIONAL, PLACING, REVEALING, SETTING
from cardgym.table.views import Item, Reveal


def tip(state: State, seat: int) -> str:
    """What a beginner should know at this decision."""
    if state.phase == GUESSING:
        may_stop = state.continuation == OPTIONAL and state.hits > 0
        stop = " You may also stop, which keeps your drawn tile hidden." if may_stop else ""
        risk = " A wrong guess turns your drawn tile up." if state.drawn != NONE else ""
        return f"Lines are sorted, low to high. Pick a hidden tile, then what you think it is.{risk}{stop}"
    if state.phase in (PLACING, SETTING):
        return "Choose where it goes: your opponent sees the place and the colour."
    if state.phase == REVEALING:
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
    return {"name": name, "items": items, "lines": [], "total": total}
