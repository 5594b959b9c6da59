"""A picture of the board, 121 x 121 scores: how much each family of strategies counts where, for dealer and pone."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.console.figures import new_figure
from cardgym.games.cribbage.experts.player import Weights, named_weights
from cardgym.games.cribbage.experts.strategies import FAMILIES

HARDLY = 0.03
"""Where no weight, of 1 in all, has moved by more than this, hardly anything was learned: such positions are grey."""

_UNTOUCHED = "#dddddd"
_COLOURS = "viridis"
"""From dark blue to yellow, ever lighter and never grey: people with any kind of colour blindness can read it."""


def family_shares(weights: Weights) -> npt.NDArray[np.float32]:
    """The sums of the weights by family, (121, 121, 2, 3) float32: hand, crib, pegging; 1 in all at each position."""
    shares = np.stack([weights[..., list(members)].sum(-1) for members in FAMILIES.values()], axis=-1)
    result: npt.NDArray[np.float32] = (shares / shares.sum(-1, keepdims=True)).astype(np.float32)
    return result


def untouched(weights: Weights, start: Weights) -> npt.NDArray[np.bool_]:
    """Where training has hardly changed the weights, (121, 121, 2) bool.

    Args:
        weights: the weights now.
        start: the weights before training.
    """
    hardly: npt.NDArray[np.bool_] = np.abs(weights - start).max(-1) <= HARDLY
    return hardly


def draw_board(weights: Weights, title: str = "", start: Weights | None = None) -> Any:
    """A matplotlib figure: own score to the right, opponent's score upwards; a column for each family of strategies.

    Args:
        weights: (121, 121, 2, 8) float32.
        title: what stands above.
        start: the weights before training; uniform weights if None.
    """
    shares = family_shares(weights)
    grey = untouched(weights, named_weights("uniform") if start is None else start)
    figure = new_figure(9.6, 6.6, dpi=110)
    from matplotlib import colormaps  # After `new_figure`, which raises a clear error if matplotlib is missing.
    from matplotlib.patches import Patch

    colours = colormaps[_COLOURS].with_extremes(bad=_UNTOUCHED)
    panels = figure.subplots(2, len(FAMILIES), sharex=True, sharey=True)
    for row, (dealer, name) in zip(panels, ((1, "dealer"), (0, "pone")), strict=True):
        for family, (axes, family_name) in enumerate(zip(row, FAMILIES, strict=True)):
            values = np.ma.masked_where(grey[:, :, dealer], shares[:, :, dealer, family]).swapaxes(0, 1)
            picture = axes.imshow(values, origin="lower", interpolation="nearest", cmap=colours, vmin=0, vmax=1)
            axes.set_title(f"{family_name}, as {name}", fontsize=11)
            axes.set(xlabel="own score", ylabel="opponent's score")
            axes.set_xticks(range(0, 121, 20))
            axes.set_yticks(range(0, 121, 20))
            axes.tick_params(labelbottom=True, labelleft=True)
    bar = figure.colorbar(picture, ax=panels, ticks=[0, 0.25, 0.5, 0.75, 1], shrink=0.7)
    bar.ax.set_yticklabels(["0 %", "25 %", "50 %", "75 %", "100 %"])
    bar.set_label("share of the weights")
    label = f"hardly learned: none of the eight weights is more than {100 * HARDLY:.0f} points away from its start"
    figure.legend(handles=[Patch(facecolor=_UNTOUCHED, label=label)], loc="outside lower center")
    if title:
        figure.suptitle(title)
    return figure


def board_pixels(weights: Weights, title: str = "", start: Weights | None = None) -> npt.NDArray[np.uint8]:
    """The picture as pixels, (height, width, 3) uint8, for TensorBoard; see `draw_board`."""
    figure = draw_board(weights, title, start)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3].copy()


def board_png(weights: Weights, title: str = "", start: Weights | None = None) -> bytes:
    """The picture as the bytes of a PNG file; see `draw_board`."""
    stream = io.BytesIO()
    draw_board(weights, title, start).savefig(stream, format="png")
    return stream.getvalue()
