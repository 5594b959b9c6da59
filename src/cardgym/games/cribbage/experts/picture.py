"""A picture of the board, 121 x 121 scores: which families of strategies count where, for dealer and pone."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.figures import new_figure
from cardgym.games.cribbage.experts.player import Weights
from cardgym.games.cribbage.strategies import FAMILIES


def family_shares(weights: Weights) -> npt.NDArray[np.float32]:
    """The sums of the weights by family, (121, 121, 2, 3) float32: hand, crib, pegging; 1 in all at each position."""
    shares = np.stack([weights[..., list(members)].sum(-1) for members in FAMILIES.values()], axis=-1)
    result: npt.NDArray[np.float32] = (shares / shares.sum(-1, keepdims=True)).astype(np.float32)
    return result


def draw_board(weights: Weights, title: str = "") -> Any:
    """A matplotlib figure: own score to the right, opponent's score upwards; red hand, green crib, blue pegging."""
    shares = family_shares(weights)
    figure = new_figure(11, 5.6, dpi=110)
    from matplotlib.patches import Patch  # After `new_figure`, which raises a clear error if matplotlib is missing.

    for axes, dealer, name in zip(figure.subplots(1, 2), (1, 0), ("dealer", "pone"), strict=True):
        axes.imshow(shares[:, :, dealer].swapaxes(0, 1), origin="lower", interpolation="nearest")
        axes.set(title=f"as {name}", xlabel="own score", ylabel="opponent's score")
        axes.set_xticks(range(0, 121, 20))
        axes.set_yticks(range(0, 121, 20))
    colours = [("red: hand", "#ff0000"), ("green: crib", "#00ff00"), ("blue: pegging", "#0000ff")]
    figure.legend(
        handles=[Patch(facecolor=colour, edgecolor="black", label=name) for name, colour in colours],
        loc="outside lower center",
        ncols=3,
        title="share of the weights by family; mixed colours are mixed shares",
    )
    if title:
        figure.suptitle(title)
    return figure


def board_pixels(weights: Weights, title: str = "") -> npt.NDArray[np.uint8]:
    """The picture as pixels, (height, width, 3) uint8, for TensorBoard."""
    figure = draw_board(weights, title)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3].copy()


def board_png(weights: Weights, title: str = "") -> bytes:
    """The picture as the bytes of a PNG file."""
    stream = io.BytesIO()
    draw_board(weights, title).savefig(stream, format="png")
    return stream.getvalue()
