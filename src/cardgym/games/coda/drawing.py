"""The tiles of Coda."""

from __future__ import annotations

from cardgym.table.drawings.shapes import Symbol, box, lattice, path, text

_STYLES = {  # Body, edge, ink, and the body's side, by colour.
    "B": ("#232a38", "#0d1119", "#f7f4ea", "#0d1119"),
    "W": ("#fdfbf3", "#b7ad97", "#1d2330", "#c9bfa8"),
    "?": ("#78839a", "#535d72", "#f7f4ea", "#535d72"),
}


def _body(colour: str) -> str:
    fill, edge, _, side = _STYLES[colour]
    return box(2, 5, 76, 113, 10, side) + box(2, 2, 76, 111, 10, fill, edge, 1.5)


def tile(colour: str, name: str) -> Symbol:
    """A tile, face up, with a number or the joker's dash. Six and nine are underlined, as on the tiles one can buy."""
    ink = _STYLES[colour][2]
    parts = [_body(colour), box(9, 9, 62, 97, 6, "none", ink, 0.8)]
    if name == "-":
        parts.append(box(20, 52, 40, 10, 3, ink) + path("M40 22l3 7 7 1-5 5 1 7-6-4-6 4 1-7-5-5 7-1z", "#d9a13b"))
    else:
        parts.append(text(name, 40, 74, 50 if len(name) == 1 else 42, ink))
        if name in ("6", "9"):
            parts.append(box(27, 82, 26, 4.5, 2, ink))
    return Symbol(80, 120, "".join(parts))


def back(colour: str) -> Symbol:
    """A tile, face down: its colour shows, or it is grey where colours are hidden."""
    ink = _STYLES[colour][2]
    soft = {"B": "#39445c", "W": "#e7dfca", "?": "#8d98ae"}[colour]
    return Symbol(80, 120, "".join([_body(colour), lattice(12, 12, 68, 103, 14, soft), text("?", 40, 73, 44, ink)]))


def symbols() -> dict[str, Symbol]:
    """All tiles, `tile-B7` and the jokers `tile-B-`, and the backs."""
    names = [str(number) for number in range(13)] + ["-"]
    tiles = {f"tile-{colour}{name}": tile(colour, name) for colour in "BW" for name in names}
    return {**tiles, **{f"tile-back-{colour}": back(colour) for colour in "BW"}, "tile-back": back("?")}
