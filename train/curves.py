"""Draw how runs of a training script went: each figure of their evaluations, by number of decisions.

Usage:
    python train/curves.py --out curves.png double=runs/CorellianSpike-v0/double_dqn-seed1-1 double=... dqn=...

Runs of one name are drawn as their mean, with a band from the lowest to the highest.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from itertools import cycle
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from cardgym import CardgymError
from cardgym.figures import COLOURS, new_figure
from cardgym.files import replacing

Curves = dict[str, tuple[list[int], list[float]]]
"""Steps and values by tag."""

MARKERS = "osv^D"
FORMATS = (".png", ".svg", ".pdf")


def read(folder: Path) -> Curves:
    """The scalars of a run."""
    if not any(folder.glob("events.out.tfevents.*")):
        raise CardgymError(f"{folder}: holds no TensorBoard files; give the folder of a run")
    events = EventAccumulator(str(folder))
    events.Reload()
    found = {}
    for tag in events.Tags()["scalars"]:
        points = dict(sorted((event.step, event.value) for event in events.Scalars(tag)))
        found[tag] = (list(points), list(points.values()))
    return found


def draw(groups: dict[str, list[Curves]], tags: list[str]) -> Figure:
    """A panel for each tag, those of one figure in a row; a line for each group."""
    rows: dict[str, list[str]] = defaultdict(list)
    for tag in tags:
        rows[tag.partition("/")[0]].append(tag)
    columns = max(map(len, rows.values()))
    figure = new_figure(4 * columns, 3 * len(rows), dpi=120)
    panels = figure.subplots(len(rows), columns, squeeze=False)
    for panel in panels.flat:
        panel.set_visible(False)
    for line, its_tags in zip(panels, rows.values(), strict=True):
        for panel, tag in zip(line, its_tags, strict=False):
            panel.set_visible(True)
            _draw_panel(panel, tag, groups)
    panels[0, 0].legend()
    return figure


def _draw_panel(panel: Axes, tag: str, groups: dict[str, list[Curves]]) -> None:
    for (name, runs), colour, marker in zip(groups.items(), cycle(COLOURS), cycle(MARKERS), strict=False):
        lines = [run[tag] for run in runs if tag in run]
        shortest = min((len(steps) for steps, _ in lines), default=0)
        if shortest:
            steps = np.array(lines[0][0][:shortest]) / 1e6
            values = np.array([its[:shortest] for _, its in lines])
            panel.plot(steps, values.mean(axis=0), color=colour, marker=marker, markersize=4, label=name)
            panel.fill_between(steps, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.2, linewidth=0)
    figure_name, _, opponent = tag.partition("/")
    panel.set(title=f"against {opponent}", xlabel="million decisions", ylabel=figure_name.replace("_", " "))
    panel.grid(alpha=0.3)


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("runs", nargs="+", metavar="NAME=FOLDER", help="a run's folder, and the name of its line")
    parser.add_argument(
        "--tag", action="append", metavar="TAG", help="what to draw, such as win_rate/random; may repeat"
    )
    parser.add_argument("--out", type=Path, required=True, help=f"the picture: {', '.join(FORMATS)}")
    given = parser.parse_args(words)
    suffix = given.out.suffix.lower() or FORMATS[0]
    try:
        if suffix not in FORMATS:
            raise CardgymError(f"--out {given.out}: no picture ends in {suffix!r}; allowed: {', '.join(FORMATS)}")
        groups: dict[str, list[Curves]] = defaultdict(list)
        for word in given.runs:
            name, sign, folder = word.partition("=")
            groups[name if sign else Path(word).name].append(read(Path(folder if sign else word)))
        known = sorted({tag for runs in groups.values() for run in runs for tag in run})
        tags = given.tag or [tag for tag in known if tag.startswith("win_rate/")]
        if not tags:
            raise CardgymError(f"no win rates in these runs; name --tag, one of {', '.join(known) or 'none'}")
        for tag in tags:
            if tag not in known:
                raise CardgymError(f"--tag {tag}: not in these runs; they have {', '.join(known)}")
        with replacing(given.out) as temporary:
            draw(groups, tags).savefig(temporary, format=suffix.lstrip("."))
    except CardgymError as error:
        print(f"curves.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
