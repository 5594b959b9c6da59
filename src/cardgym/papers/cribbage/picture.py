"""A picture of the weights on the board of 121 x 121 scores, by family of strategies, for dealer and pone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from cardgym.console.plots import new_figure, save_png
from cardgym.files import replacing
from cardgym.games.cribbage.experts import HOLES, Weights
from cardgym.papers.cribbage.weights import FAMILIES

MIN_CHANGE = 0.03
"""Positions where no weight, of 1 in all, has changed by more than this are gray: hardly anything was learned there."""

_GRAY = "#dddddd"
_COLORS = "viridis"
"""From dark blue to yellow, ever lighter and never gray, so that it is readable with any kind of color blindness."""


def family_shares(weights: Weights) -> npt.NDArray[np.float32]:
    """Return the share of each family in the weights, (121, 121, 2, 3) float32: hand, crib, pegging."""
    shares = np.stack([weights[..., list(members)].sum(-1) for members in FAMILIES.values()], axis=-1)
    result: npt.NDArray[np.float32] = (shares / shares.sum(-1, keepdims=True)).astype(np.float32)
    return result


def draw_board(path: Path, title: str, weights: Weights, start: Weights) -> None:
    """Draw weights and where they differ from those at the `start` as a PNG file: own score on x, opponent's on y.

    Each family of strategies has a column.
    """
    shares = family_shares(weights)
    gray = np.abs(weights - start).max(-1) <= MIN_CHANGE
    figure = new_figure(9.6, 6.6, dpi=110)
    from matplotlib import colormaps  # After `new_figure`, which raises a clear error if matplotlib is missing.
    from matplotlib.patches import Patch

    colors = colormaps[_COLORS].with_extremes(bad=_GRAY)
    panels = figure.subplots(2, len(FAMILIES), sharex=True, sharey=True)
    for row, (dealer, name) in zip(panels, ((1, "dealer"), (0, "pone")), strict=True):
        for family, (axes, family_name) in enumerate(zip(row, FAMILIES, strict=True)):
            values = np.ma.masked_where(gray[:, :, dealer], shares[:, :, dealer, family]).swapaxes(0, 1)
            picture = axes.imshow(values, origin="lower", interpolation="nearest", cmap=colors, vmin=0, vmax=1)
            axes.set_title(f"{family_name}, as {name}", fontsize=11)
            axes.set(xlabel="own score", ylabel="opponent's score")
            axes.set_xticks(range(0, 121, 20))
            axes.set_yticks(range(0, 121, 20))
            axes.tick_params(labelbottom=True, labelleft=True)
    bar = figure.colorbar(picture, ax=panels, ticks=[0, 0.25, 0.5, 0.75, 1], shrink=0.7)
    bar.ax.set_yticklabels(["0 %", "25 %", "50 %", "75 %", "100 %"])
    bar.set_label("share of the weights")
    label = f"hardly learned: none of the eight weights is more than {100 * MIN_CHANGE:.0f} points away from its start"
    figure.legend(handles=[Patch(facecolor=_GRAY, label=label)], loc="outside lower center")
    figure.suptitle(title)
    save_png(figure, path, dpi=110)


def write_animation(path: Path, weights: Sequence[Weights]) -> None:
    """Write the board as the paper imagines it, an animated GIF: a cell for each pair of scores, for dealer and pone.

    Red, green and blue of a cell are the shares of the families hand, crib and pegging; own score on x, opponent's on
    y, both from the lower left corner; the dealer is on the left.

    Raises:
        CardgymError: if the file cannot be written.
    """
    frames = []
    for one in weights:
        shares = family_shares(one)
        halves = [shares[:, :, dealer].swapaxes(0, 1)[::-1] for dealer in (1, 0)]
        cells = np.concatenate([halves[0], np.ones((len(halves[0]), 2, 3)), halves[1]], axis=1)
        frames.append(Image.fromarray(np.rint(255 * cells).astype(np.uint8)).resize((2 * cells.shape[1], 2 * HOLES), 0))
    times = [400] * (len(frames) - 1) + [3000]
    with replacing(path) as temporary:
        frames[0].save(temporary, format="gif", save_all=True, append_images=frames[1:], duration=times, loop=0)
