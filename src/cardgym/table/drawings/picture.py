"""Pictures of a table: the zones and counters of a view, laid out with a game's symbols in a fixed size.

The other seats are at the top, the middle of the table below them, and the viewer's own zones at the bottom. Everything
is drawn at the largest of a few scales that fits, so the frames of a game look alike.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, State
from cardgym.errors import require
from cardgym.table.drawings.shapes import box, disc, placed, text, text_width
from cardgym.table.presentation import presentation_of, view_of
from cardgym.table.views import Counter, Item, Symbol, View, Zone

WIDTH, HEIGHT = 960, 720
"""The size of every picture, in pixels; video encoders need even numbers."""

_SCALES = (1.0, 0.86, 0.74, 0.62, 0.52, 0.44, 0.36, 0.28, 0.2)
_NEARER = 1.4  # How much larger the middle and the viewer's own zones may be than those of others.
_MARGIN, _BAR, _GAP = 24.0, 52.0, 18.0
_MAX_WIDTH = WIDTH - 2 * _MARGIN
_NAME, _COUNTERS, _CAPTION, _LINE = 26.0, 18.0, 20.0, 32.0  # Line heights.
_BACKGROUND, _FELT, _EDGE, _INK, _DIM, _GOLD = "#0f1f1a", "#1d5b45", "#123c2e", "#f4f1e6", "#b9cfc4", "#f0c24b"
_PILE_STEP, _LETTER = 0.32, 0.7
_SHOWN = ("hand", "row", "pile", "dice", "board", "text")


@dataclass(frozen=True)
class _Body:
    """What a zone shows at some scale; `draw` gets the middle and the top of the place for it."""

    width: float
    height: float
    draw: Callable[[float, float], str]


@dataclass(frozen=True)
class _Block:
    """A zone with its heading."""

    name: str
    counters: str
    to_act: bool
    body: _Body

    @property
    def width(self) -> float:
        return max(text_width(self.name, 17) + 24, text_width(self.counters, 13.5), self.body.width)

    @property
    def height(self) -> float:
        return self._top + self.body.height

    @property
    def _top(self) -> float:
        return _NAME + (_COUNTERS if self.counters else 0.0)

    def draw(self) -> str:
        """Draw it relative to its top left corner."""
        middle = self.width / 2
        parts = [text(self.name, middle, 17, 17, _GOLD if self.to_act else _INK)]
        if self.to_act:
            parts.append(disc(middle - text_width(self.name, 17) / 2 - 12, 11, 5, _GOLD))
        if self.counters:
            parts.append(text(self.counters, middle, _NAME + 9, 13.5, _DIM))
        return "".join([*parts, self.body.draw(middle, self._top)])


def picture_of(game: Game, state: State, seat: int) -> npt.NDArray[np.uint8]:
    """Return a state as `seat` sees it, or everything for seat -1: (720, 960, 3), uint8."""
    return rasterized(table(view_of(game, state, seat), presentation_of(game).symbols(), game.id))


def rasterized(svg: str) -> npt.NDArray[np.uint8]:
    """Return an SVG document without fonts as a picture, (height, width, 3), uint8.

    Raises:
        CardgymError: if the packages of the extra `pictures` are missing.
    """
    require("a picture", "resvg_py", "PIL")
    import resvg_py
    from PIL import Image

    png = resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True)
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def table(view: View, symbols: Mapping[str, Symbol], title: str) -> str:
    """Get a view as an SVG document of WIDTH x HEIGHT, without palettes; `title` is the text of the bar at the top."""
    parts = [
        box(0, 0, WIDTH, HEIGHT, 0, _BACKGROUND),
        box(8, _BAR, WIDTH - 16, HEIGHT - _BAR - 8, 26, _FELT, _EDGE, 4),
        _bar(title, [counter for counter in view["counters"] if counter["seat"] is None]),
    ]
    parts += [placed(block.draw(), left, top) for block, left, top in _placed_blocks(view, symbols)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f"{''.join(parts)}</svg>"
    )


def layout(view: View, symbols: Mapping[str, Symbol]) -> list[tuple[float, float, float, float]]:
    """Return the zones of a view: left, top, width and height of each, in pixels."""
    return [(left, top, block.width, block.height) for block, left, top in _placed_blocks(view, symbols)]


def _bar(title: str, counters: list[Counter]) -> str:
    """Return the bar at the top: the game and the counters of the table."""
    parts = [text(title, _MARGIN, 34, 22, _INK, "start")]
    right = WIDTH - _MARGIN
    for counter in reversed(counters):
        value = str(counter["value"])
        parts.append(text(value, right, 33, 18, _GOLD, "end"))
        right -= text_width(value, 18) + 7
        parts.append(text(counter["name"], right, 33, 14, _DIM, "end"))
        right -= text_width(counter["name"], 14) + 22
    return "".join(parts)


def _placed_blocks(view: View, symbols: Mapping[str, Symbol]) -> list[tuple[_Block, float, float]]:
    """Get the zones with their left and top: other seats' above the middle of the table, the viewer's own below it."""
    viewer = next((zone["seat"] for zone in reversed(view["zones"]) if zone["seat"] is not None), None)
    shown = [zone for zone in view["zones"] if zone["kind"] in _SHOWN]
    others = [zone for zone in shown if zone["seat"] not in (None, viewer)]
    middle = [zone for zone in shown if zone["seat"] is None]
    own = [zone for zone in shown if zone["seat"] is not None and zone["seat"] == viewer]
    available = HEIGHT - _BAR - _MARGIN
    for scale in _SCALES:
        near = min(scale * _NEARER, 1.0)
        bands = [_rows(view, zones, symbols, at) for zones, at in ((others, scale), (middle, near), (own, near))]
        heights = [sum(map(_height, band)) for band in bands]
        if sum(heights) <= available:
            break
    first = _BAR + _GAP * 0.7
    spare = max(available - sum(heights), 0.0)
    placed_blocks = []
    for band, top in zip(
        bands, (first, first + heights[0] + spare / 2, HEIGHT - _MARGIN / 2 - heights[2]), strict=True
    ):
        for row in band:
            left = (WIDTH - sum(block.width for block in row) - 2 * _GAP * (len(row) - 1)) / 2
            for block in row:
                placed_blocks.append((block, left, top))
                left += block.width + 2 * _GAP
            top += _height(row)
    return placed_blocks


def _rows(view: View, zones: list[Zone], symbols: Mapping[str, Symbol], scale: float) -> list[list[_Block]]:
    """Return a band's zones in rows no wider than the table."""
    rows: list[list[_Block]] = []
    left = 0.0
    for zone in zones:
        block = _block(view, zone, symbols, scale)
        if not rows or left + block.width > _MAX_WIDTH:
            rows.append([])
            left = 0.0
        rows[-1].append(block)
        left += block.width + 2 * _GAP
    return rows


def _height(row: list[_Block]) -> float:
    return max(block.height for block in row) + _GAP


# -- zones ------------------------------------------------------------------------------------------------------------


def _block(view: View, zone: Zone, symbols: Mapping[str, Symbol], scale: float) -> _Block:
    """Return a zone at a scale; a seat's first zone has its counters."""
    first = next(other for other in view["zones"] if other["seat"] == zone["seat"]) is zone
    counters = [counter for counter in view["counters"] if counter["seat"] == zone["seat"] is not None and first]
    words = "   ".join(f"{counter['name']} {counter['value']}" for counter in counters)
    if zone["kind"] == "text":
        body = _lines(zone["items"], scale)
    elif zone["kind"] == "board":
        body = _board(zone, symbols, scale)
    else:
        body = _items(zone, symbols, scale)
    return _Block(zone["name"], words, view["to_act"] >= 0 and zone["seat"] == view["to_act"], body)


def _lines(items: list[Item], scale: float) -> _Body:
    size = _LINE * min(scale, 1.0)
    longest = max((text_width(item["label"], size * _LETTER) for item in items), default=0.0)

    def draw(middle: float, top: float) -> str:
        rows = [(item["label"], 0, top + size * (number - 0.25)) for number, item in enumerate(items, 1)]
        return "".join(text(*row, size * _LETTER, _INK, "start") for row in rows)

    return _Body(min(longest, _MAX_WIDTH), size * len(items), draw)


def _board(zone: Zone, symbols: Mapping[str, Symbol], scale: float) -> _Body:
    board = symbols[zone["symbol"]]

    def peg(item: Item) -> str:
        symbol = symbols[item["symbol"]]
        return placed(symbol.content, item["x"] - symbol.width / 2, item["y"] - symbol.height / 2)

    def draw(middle: float, top: float) -> str:
        content = board.content + "".join(map(peg, zone["items"]))
        return placed(content, middle - board.width * scale / 2, top, scale)

    return _Body(board.width * scale, board.height * scale, draw)


def _items(zone: Zone, symbols: Mapping[str, Symbol], scale: float) -> _Body:
    """Items side by side or on a pile; they overlap where they would be too wide."""
    items, sizes = zone["items"], [symbols[item["symbol"]] for item in zone["items"]]
    steps, left = [], 0.0  # Where each item starts.
    for symbol in sizes:
        steps.append(left)
        left += symbol.width * scale * _PILE_STEP if zone["kind"] == "pile" else (symbol.width + 10) * scale
    last = sizes[-1].width * scale if sizes else 0.0
    if sizes and steps[-1] + last > _MAX_WIDTH:
        squeeze = (_MAX_WIDTH - last) / steps[-1]
        steps = [step * squeeze for step in steps]
    width = steps[-1] + last if sizes else 0.0

    def draw(middle: float, top: float) -> str:
        lefts = [middle - width / 2 + step for step in steps]
        return "".join(_item(*drawn, top, scale) for drawn in zip(items, sizes, lefts, strict=True))

    captions = _CAPTION if any("caption" in item for item in items) else 0.0
    return _Body(width, max((symbol.height for symbol in sizes), default=0) * scale + captions, draw)


def _item(item: Item, symbol: Symbol, left: float, top: float, scale: float) -> str:
    drawn = placed(symbol.content, left, top, scale)
    if item.get("faded"):
        drawn = f'<g opacity="0.4">{drawn}</g>'
    if "caption" in item:
        below = top + symbol.height * scale + 15
        drawn += text(item["caption"], left + symbol.width * scale / 2, below, 13, _DIM)
    return drawn
