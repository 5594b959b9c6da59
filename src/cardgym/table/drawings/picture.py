"""A view as a picture: the SVG of the table, drawn by resvg."""

from __future__ import annotations

import io

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, State
from cardgym.errors import require
from cardgym.table.drawings.sprite import symbols
from cardgym.table.drawings.table import table
from cardgym.table.presentation import view_of
from cardgym.table.views import View


def picture(game: Game, view: View) -> npt.NDArray[np.uint8]:
    """A view of a game as a picture, (720, 960, 3), uint8: the same size for every view of every game."""
    return rasterized(table(view, symbols(game), game.id))


def picture_of(game: Game, state: State, seat: int) -> npt.NDArray[np.uint8]:
    """A state as `seat` sees it, (720, 960, 3), uint8; everything for seat -1."""
    return picture(game, view_of(game, state, seat))


def rasterized(svg: str) -> npt.NDArray[np.uint8]:
    """An SVG document as a picture, (height, width, 3), uint8. It may use no fonts.

    Raises:
        CardgymError: if the packages of the extra `pictures` are missing.
    """
    require("a picture", "resvg_py", "PIL")
    import resvg_py
    from PIL import Image

    drawn = resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True)
    return np.asarray(Image.open(io.BytesIO(drawn)).convert("RGB"))
