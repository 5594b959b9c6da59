"""Compute the chance to win by score, dealer and phase, when both play like `equilibrium`.

4,000 deals take some 20 seconds of processor time; the chance at 0 to 0 is then within 1 % or so. Example:
cardgym cribbage-chances --deals 4000 --plot chances.png
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardgym.console.arguments import Parser
from cardgym.errors import CardgymError

if TYPE_CHECKING:
    import numpy.typing as npt

_PICTURES = (".png", ".svg", ".pdf")
_SHOWN = (121, 90, 60, 40, 30, 20, 15, 10, 5, 2)


def add_arguments(parser: Parser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--deals", type=int, default=4000, metavar="N", help="deals to sample (default 4000)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the deals (default 1)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write all chances to this file (.csv, or .npz)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw them (.png, .svg, .pdf)")


def run(arguments: argparse.Namespace) -> None:
    """Compute, write, draw and print.

    Raises:
        CardgymError: for a number of deals below 1, a seed below 0, or files of other kinds.
    """
    if arguments.deals < 1 or arguments.seed < 0:
        raise CardgymError("--deals: allowed are whole numbers from 1 on, and for --seed from 0 on")
    if arguments.out is not None and arguments.out.suffix not in (".csv", ".npz"):
        raise CardgymError(f"--out {arguments.out}: allowed are .csv, for people, and .npz, which players read")
    if arguments.plot is not None and arguments.plot.suffix not in _PICTURES:
        raise CardgymError(f"--plot {arguments.plot}: allowed are files ending in {', '.join(_PICTURES)}")
    from cardgym.console.output import print_results
    from cardgym.games.cribbage.chance_table import chance_table, save_table
    from cardgym.games.cribbage.chances import sample_deals, save_chances, win_chances

    points = sample_deals(arguments.deals, arguments.seed)
    chances = win_chances(points)
    rows = [(f"pone needs {pone}", *(f"{100 * chances[0, pone, dealer]:.0f}" for dealer in _SHOWN)) for pone in _SHOWN]
    heads = ("%", *(f"dealer {dealer}" for dealer in _SHOWN))
    first = 100 * (1 - chances[0, -1, -1])
    print_results("The pone wins, before the deal", heads, rows, f"the first dealer wins {first:.1f} %")
    if arguments.out is not None and arguments.out.suffix == ".npz":
        save_table(arguments.out, chance_table(chances, points), deals=arguments.deals, seed=arguments.seed)
    elif arguments.out is not None:
        save_chances(arguments.out, chances)
    if arguments.plot is not None:
        draw(chances, arguments.plot)


def draw(chances: npt.NDArray[Any], path: Path) -> None:
    """Draw the chance of the pone before the deal, before the play and before each part of the show."""
    import numpy as np

    from cardgym.console.figures import new_figure
    from cardgym.files.atomic import replacing
    from cardgym.games.cribbage.chance_table import PHASES

    figure = new_figure(14, 3.4, dpi=110)
    panels = figure.subplots(1, len(PHASES), sharey=True)
    most = 60
    for axes, phase, chance in zip(panels, PHASES, chances, strict=True):
        shown = 100 * chance[1 : most + 1, 1 : most + 1]
        picture = axes.imshow(shown, origin="lower", extent=(0.5, most + 0.5, 0.5, most + 0.5), vmin=0, vmax=100)
        lines = axes.contour(np.arange(1, most + 1), np.arange(1, most + 1), shown, levels=[25, 50, 75], colors="white")
        axes.clabel(lines, fmt="%d %%", fontsize=7)
        axes.set(title=f"before the {phase}", xlabel="the dealer needs")
    panels[0].set_ylabel("the pone needs")
    figure.colorbar(picture, ax=panels, label="the pone wins, %")
    with replacing(path) as temporary:
        figure.savefig(temporary, format=path.suffix[1:])
