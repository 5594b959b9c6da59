"""Shapes that symbols are drawn with: without CSS, ids and fonts, so that every renderer draws the same.

Letters are paths of Roboto Slab Bold (`LICENSE-RobotoSlab.txt`), in `glyphs.json` with 200 units per em.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from cardgym.table.views import Symbol

_EM = 200
CAPITALS = 142 / 200
"""The height of a capital or a digit, relative to the text size."""


@cache
def _glyphs() -> dict[str, tuple[int, str]]:
    source = files("cardgym.table.drawings").joinpath("glyphs.json").read_text(encoding="utf-8")
    return {letter: (int(advance), str(path)) for letter, (advance, path) in json.loads(source).items()}


def text_width(words: str, size: float) -> float:
    """Return the width of a text; unknown letters are drawn as question marks."""
    glyphs = _glyphs()
    return sum(glyphs.get(letter, glyphs["?"])[0] for letter in words) * size / _EM


def text(words: str, x: float, y: float, size: float, fill: str, anchor: str = "middle") -> str:
    """Return a line of text, as paths.

    Args:
        words: the text; ASCII and a few signs.
        x: its start, middle or end, by `anchor`.
        y: its baseline.
        size: the size of an em.
        fill: the color.
        anchor: `start`, `middle` or `end`.
    """
    glyphs = _glyphs()
    at = x - text_width(words, size) * {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
    scale = size / _EM
    parts = []
    for letter in words:
        advance, path = glyphs.get(letter, glyphs["?"])
        if path:
            parts.append(f'<path transform="translate({at:.4g} {y:.4g}) scale({scale:.4g})" d="{path}"/>')
        at += advance * scale
    return f'<g fill="{fill}">{"".join(parts)}</g>'


def box(
    x: float, y: float, width: float, height: float, radius: float, fill: str, stroke: str = "", line: float = 1.0
) -> str:
    """Return a rectangle with round corners; `stroke` is the color of its outline, `line` its width."""
    outline = _outline(stroke, line)
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" fill="{fill}"{outline}/>'


def disc(x: float, y: float, radius: float, fill: str, stroke: str = "", line: float = 1.0) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}"{_outline(stroke, line)}/>'


def path(data: str, fill: str, stroke: str = "", line: float = 1.0) -> str:
    joins = ' stroke-linejoin="round" stroke-linecap="round"' if stroke else ""
    return f'<path d="{data}" fill="{fill}"{_outline(stroke, line)}{joins}/>'


def _outline(stroke: str, line: float) -> str:
    return f' stroke="{stroke}" stroke-width="{line:g}"' if stroke else ""


def placed(content: str, x: float, y: float, scale: float = 1.0, turn: float = 0.0) -> str:
    """Elements scaled, turned by `turn` degrees and moved."""
    turned = f" rotate({turn:g})" if turn else ""
    return f'<g transform="translate({x:g} {y:g}){turned} scale({scale:g})">{content}</g>'


def half_turned(content: str, width: float, height: float) -> str:
    """Elements as they look on an upside-down card of that size."""
    return f'<g transform="rotate(180 {width / 2:g} {height / 2:g})">{content}</g>'


def lattice(left: float, top: float, right: float, bottom: float, step: float, fill: str) -> str:
    """Return a pattern of diamonds."""
    half, side = step / 2, step / 2 - 1
    parts = []
    y, row = top, 0
    while y + step <= bottom + 1e-6:
        x = left + (half if row % 2 else 0.0)
        while x + step <= right + 1e-6:
            parts.append(f"M{x + half:g} {y + 1:g}l{side:g} {side:g} {-side:g} {side:g} {-side:g} {-side:g}z")
            x += step
        y, row = y + half, row + 1
    return path("".join(parts), fill)


SLOT = Symbol(
    100,
    140,
    '<rect x="2" y="2" width="96" height="136" rx="8" fill="none" stroke="#8a94a6" stroke-width="2"'
    ' stroke-dasharray="7 6"/>',
)
"""An empty place for a card."""


def sprite(symbols: Mapping[str, Symbol]) -> str:
    """One SVG document with a `<symbol>` for each symbol; its id is the name."""
    parts = [
        f'<symbol id="{name}" viewBox="0 0 {symbol.width} {symbol.height}">{symbol.content}</symbol>\n'
        for name, symbol in symbols.items()
    ]
    return f'<svg xmlns="http://www.w3.org/2000/svg">\n{"".join(parts)}</svg>\n'
