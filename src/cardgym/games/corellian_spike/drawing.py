"""The cards and dice of Corellian Spike.

Whether a card is above or below zero can be told without colour: by its sign, and by its marks, which point up and are
filled above zero, and point down and are hollow below it.
"""

from __future__ import annotations

from cardgym.table.drawings.shapes import SLOT, Symbol, box, disc, half_turned, path, placed, text

_PAPER, _EDGE = "#fbf6e9", "#b9ad93"
_PLUS, _MINUS, _ZERO = "#0b5f96", "#b5421a", "#4b3a73"
MINUS = "\N{MINUS SIGN}"
_OUTLINE = "M13 1H87L99 17V123L87 139H13L1 123V17Z"
_INNER = "M18 8H82L92 21V119L82 132H18L8 119V21Z"


def card(value: int) -> Symbol:
    """A card, face up."""
    colour = _PLUS if value > 0 else _MINUS if value < 0 else _ZERO
    name = f"+{value}" if value > 0 else f"{MINUS}{-value}" if value < 0 else "0"
    corner = text(name, 11, 29, 17, colour, "start")
    parts = [path(_OUTLINE, _PAPER, _EDGE, 1.5), path(_INNER, "none", colour, 1.2)]
    parts += [corner, half_turned(corner, 100, 140)]
    parts.append(path("M50 31L78 47V79L50 95L22 79V47Z", colour, "#e0b95b", 2))
    parts.append(text(name, 49 if value else 50, 75, 33 if abs(value) < 10 else 28, "#fffdf5"))
    if value == 0:
        parts.append(disc(50, 63, 23, "none", "#e0b95b", 2))
    for mark in range(abs(value)):
        row, place = divmod(mark, 5)
        in_row = min(abs(value) - 5 * row, 5)
        x, y = 50 + 8.5 * (place - (in_row - 1) / 2), 99.5 + 7.6 * row
        if value > 0:
            parts.append(placed(path("M0-3.4L3.6 2.8H-3.6Z", colour), x, y))
        else:
            parts.append(placed(path("M0 2.9L3.1-2.6H-3.1Z", "none", colour, 1.3), x, y))
    return Symbol(100, 140, "".join(parts))


def back() -> Symbol:
    """A card, face down."""
    parts = [path(_OUTLINE, "#1b2540", _EDGE, 1.5), path(_INNER, "none", "#c79a3a", 1.4)]
    for size, colour, line in ((1.0, "#3d5080", 1.2), (0.8, "#3d5080", 1.2), (0.6, "#c79a3a", 1.6)):
        parts.append(placed(path("M0-48L38-26V26L0 48L-38 26V-26Z", "none", colour, line / size), 50, 70, size))
    parts.append(path("M50 48L58 70L50 92L42 70Z", "#c79a3a") + disc(50, 70, 4.5, "#1b2540"))
    return Symbol(100, 140, "".join(parts))


def die(points: int) -> Symbol:
    """A spike die with 1 to 6 points up."""
    places = {1: "c", 2: "as", 3: "acs", 4: "adps", 5: "adcps", 6: "adhlps"}[points]
    at = {"a": (23, 23), "d": (57, 23), "h": (23, 40), "c": (40, 40), "l": (57, 40), "p": (23, 57), "s": (57, 57)}
    parts = [box(3, 5, 74, 73, 15, "#8f6a1c"), box(3, 2, 74, 73, 15, "#e3b64a", "#a67c22", 1.5)]
    parts += [disc(x, y - 1.5, 7, "#2a2013") for x, y in (at[place] for place in places)]
    return Symbol(80, 80, "".join(parts))


def symbols() -> dict[str, Symbol]:
    """The cards by value, a back, a place without a card, and the dice."""
    cards = {f"card{value:+d}": card(value) for value in range(-10, 11)}
    return {**cards, "card-back": back(), "card-slot": SLOT, **{f"die-{points}": die(points) for points in range(1, 7)}}
