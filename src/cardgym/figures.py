"""Figures: what every drawing begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cardgym.errors import CardgymError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000")
"""Okabe and Ito's cycle: told apart without seeing every colour."""


def new_figure(width: float, height: float, **more: Any) -> Figure:
    """An empty figure of so many inches that lays itself out, drawn without a screen.

    Raises:
        CardgymError: where matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise CardgymError("figures need matplotlib: pip install 'cardgym[learn]'") from None
    figure = Figure(figsize=(width, height), layout="constrained", **more)
    FigureCanvasAgg(figure)
    return figure
