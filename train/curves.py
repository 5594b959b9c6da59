"""Draw the curves of training runs: the results of their evaluations by step.

Usage:
    python train/curves.py --out curves.png double=runs/CorellianSpike-v0/double_dqn-seed1-1 double=... dqn=...

Runs with the same name are one line, their mean, with a band from the lowest to the highest.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from itertools import cycle
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from cardgym import CardgymError
from cardgym.arguments import Parser
from cardgym.figures import COLOURS, new_figure
from cardgym.files import replacing

Curves = dict[str, tuple[list[int], list[float]]]
"""Steps and values by tag."""

MARKERS = "osv^D"
FORMATS = (".png", ".svg", ".pdf")


def read(folder: Path) -> Curves:
    """The curves of a run.

    Raises:
        CardgymError: if the folder holds no TensorBoard files.
    """
    if not any(folder.glob("events.out.tfevents.*")):
        raise CardgymError(f"{folder}: holds no TensorBoard files; name the folder of a run")
    events = EventAccumulator(str(folder))
    events.Reload()
    curves: Curves = {}
    for tag in events.Tags()["scalars"]:
        points = dict(sorted((event.step, event.value) for event in events.Scalars(tag)))
        curves[tag] = (list(points), list(points.values()))
    return curves


def draw(groups: dict[str, list[Curves]], tags: list[str]) -> Figure:
    """A panel for each tag, with tags of the same metric in a row, and a line for each group of runs."""
    rows: dict[str, list[str]] = defaultdict(list)
    for tag in tags:
        rows[tag.partition("/")[0]].append(tag)
    columns = max(map(len, rows.values()))
    figure = new_figure(4 * columns, 3 * len(rows), dpi=120)
    panels = figure.subplots(len(rows), columns, squeeze=False)
    for panel in panels.flat:
        panel.set_visible(False)
    for row_of_panels, row_of_tags in zip(panels, rows.values(), strict=True):
        for panel, tag in zip(row_of_panels, row_of_tags, strict=False):
            panel.set_visible(True)
            _draw_panel(panel, tag, groups)
    panels[0, 0].legend()
    return figure


def _draw_panel(panel: Axes, tag: str, groups: dict[str, list[Curves]]) -> None:
    for (name, runs), colour, marker in zip(groups.items(), cycle(COLOURS), cycle(MARKERS), strict=False):
        curves = [run[tag] for run in runs if tag in run]
        shortest = min((len(steps) for steps, _ in curves), default=0)
        if shortest:
            steps = np.array(curves[0][0][:shortest]) / 1e6
            values = np.array([values[:shortest] for _, values in curves])
            panel.plot(steps, values.mean(axis=0), color=colour, marker=marker, markersize=4, label=name)
            panel.fill_between(steps, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.2, linewidth=0)
    metric, _, opponent = tag.partition("/")
    panel.set(title=f"against {opponent}", xlabel="million steps", ylabel=metric.replace("_", " "))
    panel.grid(alpha=0.3)


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
        "--tag", action="append", metavar="TAG", help="what to draw, such as win_rate/random; may be repeated"
    )
    parser.add_argument("--out", type=Path, required=True, help=f"the picture: {', '.join(FORMATS)}")
    arguments = parser.parse_args(words)
    suffix = arguments.out.suffix.lower() or FORMATS[0]
    if suffix not in FORMATS:
        raise CardgymError(f"--out {arguments.out}: no picture ends in {suffix!r}; allowed: {', '.join(FORMATS)}")
    groups: dict[str, list[Curves]] = defaultdict(list)
    for word in arguments.runs:
        name, sign, folder = word.partition("=")
        groups[name if sign else Path(word).name].append(read(Path(folder if sign else word)))
    known = sorted({tag for runs in groups.values() for curves in runs for tag in curves})
    tags = arguments.tag or [tag for tag in known if tag.startswith("win_rate/")]
    if not tags:
        raise CardgymError(f"no win rates in these runs; name --tag, one of {', '.join(known) or 'none'}")
    for tag in tags:
        if tag not in known:
            raise CardgymError(f"--tag {tag}: not in these runs; they have {', '.join(known)}")
    with replacing(arguments.out) as temporary:
        draw(groups, tags).savefig(temporary, format=suffix.lstrip("."))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
