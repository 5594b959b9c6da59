"""Draw the curves of training runs: the results of their evaluations by step.

Usage:
    python train/curves.py --out curves.png double=runs/CorellianSpike-v0/double_dqn-seed1-1 double=... dqn=...

Runs with the same name are one line, their mean, with a band from the lowest to the highest of them. A single run has
the 95 % interval of each evaluation as its band.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from cardgym import CardgymError
from cardgym.arguments import Parser
from cardgym.figures import COLOURS, new_figure
from cardgym.files import replacing
from cardgym.learn.curves import Curve, read_curves
from cardgym.learn.tags import EVAL, LOWER, UPPER, WIN_RATE, ci95_tags, eval_tag

Curves = dict[str, Curve]
"""Curves by tag."""

MARKERS = "osv^D"
LINES = ("-", "--", "-.", ":")
FORMATS = (".png", ".svg", ".pdf")


def draw(groups: dict[str, list[Curves]], tags: list[str], even: float | None = 0.5) -> Figure:
    """A panel for each tag, with tags of the same metric in a row on the same axes, and a line for each group of runs.

    Args:
        groups: the curves of runs by the name of their line.
        tags: what to draw.
        even: the win rate of even players, drawn as a line; None for none.
    """
    rows: dict[str, list[str]] = defaultdict(list)
    for tag in tags:
        rows[_metric(tag)].append(tag)
    columns = max(map(len, rows.values()))
    figure = new_figure(max(3.3 * columns, 6), 2.6 * len(rows) + 0.7, dpi=120)
    panels = figure.subplots(len(rows), columns, squeeze=False, sharex=True, sharey="row")
    for panel in panels.flat:
        panel.set_visible(False)
    for row_of_panels, (metric, row_of_tags) in zip(panels, rows.items(), strict=True):
        for panel, tag in zip(row_of_panels, row_of_tags, strict=False):
            panel.set_visible(True)
            panel.set_title(f"against {tag.rpartition('/')[2]}" if tag.startswith(EVAL) else tag)
            _draw_lines(panel, tag, groups)
            if metric == WIN_RATE and even is not None and not tag.endswith("/alone"):
                panel.axhline(even, color="0.4", linewidth=1, linestyle=(0, (1, 2)), label=f"even: {even:.0%}")
            if metric == WIN_RATE:
                panel.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
            panel.set_xlabel("million steps")
            panel.tick_params(labelleft=True, labelbottom=True)
            panel.grid(alpha=0.3)
        low, high = row_of_panels[0].get_ylim()
        for panel in row_of_panels if low < 0 < high else ():
            panel.axhline(0, color="0.4", linewidth=1, linestyle=(0, (1, 2)))
        row_of_panels[0].set_ylabel(metric.replace("_", " "))
    lines = {label: line for line, label in zip(*panels[0, 0].get_legend_handles_labels(), strict=True)}
    figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=4, title=_caption(groups))
    return figure


def _metric(tag: str) -> str:
    """The first word of a tag behind its group: what its panel measures."""
    return (tag.removeprefix(EVAL) if tag.startswith(EVAL) else tag.partition("/")[2]).partition("/")[0]


def _caption(groups: dict[str, list[Curves]]) -> str:
    several = "lines: means over runs; bands: from the lowest run to the highest"
    single = "band: the 95 % interval of each evaluation"
    sizes = {len(runs) > 1 for runs in groups.values()}
    return f"{several}; of a single run, {single}" if len(sizes) == 2 else several if sizes == {True} else single


def _draw_lines(panel: Axes, tag: str, groups: dict[str, list[Curves]]) -> None:
    for (name, runs), *style in zip(groups.items(), cycle(COLOURS), cycle(MARKERS), cycle(LINES), strict=False):
        curves = [run[tag] for run in runs if tag in run]
        shortest = min((len(steps) for steps, _ in curves), default=0)
        if not shortest:
            continue
        colour, marker, line = style
        steps = np.array(curves[0][0][:shortest]) / 1e6
        values = np.array([values[:shortest] for _, values in curves])
        label = f"{name} ({len(runs)} runs)" if len(runs) > 1 else name
        panel.plot(steps, values.mean(axis=0), color=colour, marker=marker, markersize=4, linestyle=line, label=label)
        low, high = _band(tag, runs, values, shortest)
        if low is not None:
            panel.fill_between(steps, low, high, color=colour, alpha=0.2, linewidth=0)


def _band(tag: str, runs: list[Curves], values: Any, shortest: int) -> tuple[Any, Any]:
    """The ends of a band: the lowest and the highest run, or the interval of a single one, if it has one."""
    if len(values) > 1:
        return values.min(axis=0), values.max(axis=0)
    metric, _, opponent = tag.removeprefix(EVAL).partition("/")
    low, high = ([run[end][1][:shortest] for run in runs if end in run] for end in ci95_tags(metric, opponent))
    return (low[0], high[0]) if low and high else (None, None)


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    try:
        run(words)
    except CardgymError as error:
        print(f"curves.py: {error}", file=sys.stderr)
        return 2
    return 0


def run(words: list[str]) -> None:
    """Read the runs that the command line names, and draw them.

    Raises:
        CardgymError: for a bad command line, a folder that holds no run, or a tag that no run has.
    """
    parser = Parser("curves.py", (__doc__ or "").splitlines()[0])
    parser.add_argument("runs", nargs="+", metavar="NAME=FOLDER", help="a run's folder, and the name of its line")
    parser.add_argument(
        "--tag",
        action="append",
        metavar="TAG",
        help="what to draw, such as losses/td_loss or win_rate/random; may be repeated; all win rates by default",
    )
    parser.add_argument("--players", type=int, default=2, metavar="N", help="seats of the game, for the even line (2)")
    parser.add_argument("--out", type=Path, required=True, help=f"the picture: {', '.join(FORMATS)}")
    arguments = parser.parse_args(words)
    suffix = arguments.out.suffix.lower() or FORMATS[0]
    if suffix not in FORMATS:
        raise CardgymError(f"--out {arguments.out}: no picture ends in {suffix!r}; allowed: {', '.join(FORMATS)}")
    groups: dict[str, list[Curves]] = defaultdict(list)
    for word in arguments.runs:
        name, sign, folder = word.partition("=")
        groups[name if sign else Path(word).name].append(read_curves(Path(folder if sign else word)))
    tags = _chosen(arguments.tag, {tag for runs in groups.values() for curves in runs for tag in curves})
    even = 1 / arguments.players if arguments.players > 1 else None
    with replacing(arguments.out) as temporary:
        draw(groups, tags, even).savefig(temporary, format=suffix.lstrip("."))


def _chosen(words: list[str] | None, known: Iterable[str]) -> list[str]:
    """The tags to draw; a tag without its group is one of the evaluations."""
    shown = sorted(tag for tag in known if not tag.endswith((LOWER, UPPER)))
    if not words:
        tags = [tag for tag in shown if tag.startswith(eval_tag(WIN_RATE, ""))]
        if not tags:
            raise CardgymError(f"no win rates in these runs; name --tag, one of {', '.join(shown) or 'none'}")
        return tags
    tags = [word if word in shown else f"{EVAL}{word}" for word in words]
    for word, tag in zip(words, tags, strict=True):
        if tag not in shown:
            raise CardgymError(f"--tag {word}: not in these runs; they have {', '.join(shown)}")
    return tags


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
