"""Pictures of a table: the zones and counters of a view, laid out with a game's symbols in a fixed size.

The other seats are at the top, the middle of the table below them, and the viewer's own zones at the bottom. Everything
is drawn at the largest of a few scales that fits, so the frames of a game look alike.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, State
from cardgym.errors import require
from cardgym.table.drawings.shapes import Symbol, box, disc, placed, text, text_width
from cardgym.table.presentation import presentation_of, view_of
from cardgym.table.views import Counter, Item, View, Zone

WIDTH, HEIGHT = 960, 720
"""The size of every picture, in pixels; video encoders need even numbers."""

_SCALES = (1.0, 0.86, 0.74, 0.62, 0.52, 0.44, 0.36, 0.28, 0.2)
_NEARER = 1.4  # How much larger the middle and the viewer's own zones may be than those of others.
_MARGIN, _BAR, _GAP = 24.0, 52.0, 18.0
_NAME, _COUNTERS, _CAPTION, _LINE = 26.0, 18.0, 20.0, 32.0  # Line heights.
_BACKGROUND, _FELT, _EDGE, _INK, _DIM, _GOLD = "#0f1f1a", "#1d5b45", "#123c2e", "#f4f1e6", "#b9cfc4", "#f0c24b"
_PILE_STEP, _LETTER = 0.32, 0.7
_SHOWN = ("hand", "row", "pile", "dice", "board", "text")


@dataclass
class _Block:
    """A zone with its size at some scale."""

    zone: Zone
    counters: list[Counter]
    to_act: bool
    scale: float = 1.0
    width: float = 0.0
    height: float = 0.0
    steps: list[float] = field(default_factory=list)  # Where each item starts, from the left.


def picture_of(game: Game, state: State, seat: int) -> npt.NDArray[np.uint8]:
    """A state as `seat` sees it, or everything for seat -1: (720, 960, 3), uint8."""
    return rasterized(table(view_of(game, state, seat), presentation_of(game).symbols(), game.id))


def rasterized(svg: str) -> npt.NDArray[np.uint8]:
    """An SVG document without fonts as a picture, (height, width, 3), uint8.

    Raises:
        CardgymError: if the packages of the extra `pictures` are missing.
    """
    require("a picture", "resvg_py", "PIL")
    import resvg_py
    from PIL import Image

    png = resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True)
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def table(view: View, symbols: Mapping[str, Symbol], title: str) -> str:
    """A view as an SVG document of WIDTH x HEIGHT, without palettes; `title` is the text of the bar at the top."""
    parts = [
        box(0, 0, WIDTH, HEIGHT, 0, _BACKGROUND),
        box(8, _BAR, WIDTH - 16, HEIGHT - _BAR - 8, 26, _FELT, _EDGE, 4),
        _bar(title, [counter for counter in view["counters"] if counter["seat"] is None]),
    ]
    parts += [placed(_zone(block, symbols), left, top) for block, left, top in _placed_blocks(view, symbols)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f"{''.join(parts)}</svg>"
    )


def layout(view: View, symbols: Mapping[str, Symbol]) -> list[tuple[float, float, float, float]]:
    """The zones of a view: left, top, width and height of each, in pixels."""
    return [(left, top, block.width, block.height) for block, left, top in _placed_blocks(view, symbols)]


def _placed_blocks(view: View, symbols: Mapping[str, Symbol]) -> list[tuple[_Block, float, float]]:
    """The zones with their left and top."""
    viewer = _viewer(view)
    blocks = [
        _Block(zone, _counters_of(view, zone), view["to_act"] >= 0 and zone["seat"] == view["to_act"])
        for zone in view["zones"]
        if zone["kind"] in _SHOWN
    ]
    bands = [
        [block for block in blocks if block.zone["seat"] not in (None, viewer)],
        [block for block in blocks if block.zone["seat"] is None],
        [block for block in blocks if block.zone["seat"] is not None and block.zone["seat"] == viewer],
    ]
    available = HEIGHT - _BAR - _MARGIN
    for scale in _SCALES:
        near = min(scale * _NEARER, 1.0)
        rows = [_rows(bands[0], symbols, scale), _rows(bands[1], symbols, near), _rows(bands[2], symbols, near)]
        heights = [sum(_row_height(row) for row in band) for band in rows]
        if sum(heights) <= available:
            break
    spare = max(available - sum(heights), 0.0)
    first = _BAR + _GAP * 0.7
    tops = [first, first + heights[0] + spare / 2, HEIGHT - _MARGIN / 2 - heights[2]]
    blocks_placed = []
    for band, top in zip(rows, tops, strict=True):
        for row in band:
            left = (WIDTH - sum(block.width for block in row) - 2 * _GAP * (len(row) - 1)) / 2
            for block in row:
                blocks_placed.append((block, left, top))
                left += block.width + 2 * _GAP
            top += _row_height(row)
    return blocks_placed


def _viewer(view: View) -> int | None:
    """The viewer's seat; views list its zones last."""
    owned = [zone["seat"] for zone in view["zones"] if zone["seat"] is not None]
    return owned[-1] if owned else None


def _counters_of(view: View, zone: Zone) -> list[Counter]:
    """The counters of a zone's seat, if this is the seat's first zone."""
    if zone["seat"] is None or next(first for first in view["zones"] if first["seat"] == zone["seat"]) is not zone:
        return []
    return [counter for counter in view["counters"] if counter["seat"] == zone["seat"]]


# -- measuring --------------------------------------------------------------------------------------------------------


def _rows(band: list[_Block], symbols: Mapping[str, Symbol], scale: float) -> list[list[_Block]]:
    """A band's zones in rows no wider than the table."""
    rows: list[list[_Block]] = []
    left = 0.0
    for block in band:
        _measure(block, symbols, scale)
        if not rows or left + block.width > WIDTH - 2 * _MARGIN:
            rows.append([])
            left = 0.0
        rows[-1].append(block)
        left += block.width + 2 * _GAP
    return rows


def _row_height(row: list[_Block]) -> float:
    return max(block.height for block in row) + _GAP


def _heading_height(block: _Block) -> float:
    return _NAME + (_COUNTERS if block.counters else 0.0)


def _counters(block: _Block) -> str:
    return "   ".join(f"{counter['name']} {counter['value']}" for counter in block.counters)


def _measure(block: _Block, symbols: Mapping[str, Symbol], scale: float) -> None:
    """Set a zone's scale, size and the positions of its items."""
    zone, max_width, heading = block.zone, WIDTH - 2 * _MARGIN, _heading_height(block)
    block.scale = scale
    min_width = max(text_width(zone["name"], 17) + 24, text_width(_counters(block), 13.5))
    if zone["kind"] == "text":
        size = _LINE * min(scale, 1.0)
        longest = max((text_width(item["label"], size * _LETTER) for item in zone["items"]), default=0.0)
        block.width, block.height = max(min_width, min(longest, max_width)), heading + size * len(zone["items"])
        return
    if zone["kind"] == "board":
        board = symbols[zone["symbol"]]
        block.width, block.height = max(min_width, board.width * scale), heading + board.height * scale
        return
    sizes = [symbols[item["symbol"]] for item in zone["items"]]
    block.steps, at = [], 0.0
    for symbol in sizes:
        block.steps.append(at)
        at += symbol.width * scale * _PILE_STEP if zone["kind"] == "pile" else (symbol.width + 10) * scale
    natural = block.steps[-1] + sizes[-1].width * scale if sizes else 0.0
    if natural > max_width:  # Items overlap.
        squeeze = (max_width - sizes[-1].width * scale) / block.steps[-1]
        block.steps = [step * squeeze for step in block.steps]
        natural = max_width
    captions = _CAPTION if any("caption" in item for item in zone["items"]) else 0.0
    tallest = max((symbol.height for symbol in sizes), default=0)
    block.width, block.height = max(min_width, natural), heading + tallest * scale + captions


# -- drawing ----------------------------------------------------------------------------------------------------------


def _bar(title: str, counters: list[Counter]) -> str:
    """The bar at the top: the game and the counters of the table."""
    parts = [text(title, _MARGIN, 34, 22, _INK, "start")]
    at = WIDTH - _MARGIN
    for counter in reversed(counters):
        value = str(counter["value"])
        parts.append(text(value, at, 33, 18, _GOLD, "end"))
        at -= text_width(value, 18) + 7
        parts.append(text(counter["name"], at, 33, 14, _DIM, "end"))
        at -= text_width(counter["name"], 14) + 22
    return "".join(parts)


def _zone(block: _Block, symbols: Mapping[str, Symbol]) -> str:
    """A zone with its heading, relative to its top left corner."""
    zone, scale, middle, top = block.zone, block.scale, block.width / 2, _heading_height(block)
    parts = [text(zone["name"], middle, 17, 17, _GOLD if block.to_act else _INK)]
    if block.to_act:
        parts.append(disc(middle - text_width(zone["name"], 17) / 2 - 12, 11, 5, _GOLD))
    if block.counters:
        parts.append(text(_counters(block), middle, _NAME + 9, 13.5, _DIM))
    if zone["kind"] == "text":
        size = _LINE * min(scale, 1.0)
        for number, item in enumerate(zone["items"], 1):
            parts.append(text(item["label"], 0, top + size * (number - 0.25), size * _LETTER, _INK, "start"))
    elif zone["kind"] == "board":
        board = symbols[zone["symbol"]]
        pegs = "".join(_peg(item, symbols[item["symbol"]]) for item in zone["items"])
        parts.append(placed(board.content + pegs, middle - board.width * scale / 2, top, scale))
    else:
        sizes = [symbols[item["symbol"]] for item in zone["items"]]
        width = block.steps[-1] + sizes[-1].width * scale if sizes else 0.0
        for item, symbol, step in zip(zone["items"], sizes, block.steps, strict=True):
            parts.append(_item(item, symbol, middle - width / 2 + step, top, scale))
    return "".join(parts)


def _peg(item: Item, symbol: Symbol) -> str:
    return placed(symbol.content, item["x"] - symbol.width / 2, item["y"] - symbol.height / 2)


def _item(item: Item, symbol: Symbol, left: float, top: float, scale: float) -> str:
    drawn = placed(symbol.content, left, top, scale)
    if item.get("faded"):
        drawn = f'<g opacity="0.4">{drawn}</g>'
    if "caption" in item:
        below = top + symbol.height * scale + 15
        drawn += text(item["caption"], left + symbol.width * scale / 2, below, 13, _DIM)
    return drawn
