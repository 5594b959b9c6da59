"""Figures with matplotlib: a palette, empty figures, and reproducible PNG files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardgym.errors import require
from cardgym.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000", "#999999")
"""The palette of Okabe and Ito, and gray: color-blind people can tell its colors apart."""


def new_figure(width: float, height: float, **more: Any) -> Figure:
    """Return an empty figure of that size in inches, laid out automatically; `more` goes to matplotlib's `Figure`."""
    require("a figure", "matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", **more)
    FigureCanvasAgg(figure)
    return figure


def literal(text: str) -> str:
    """Return a text, such as a player's name, in which matplotlib finds no formulas."""
    return text.replace("$", r"\$")


def save_png(figure: Figure, path: Path, dpi: int) -> None:
    """Write a figure as a PNG file. The same figure gives the same bytes: matplotlib's version is left out."""
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png", dpi=dpi, metadata={"Software": ""})
