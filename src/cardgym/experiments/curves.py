"""Draw the curves of training runs: the results of their evaluations by step.

Usage:
    python train/curves.py --out curves.png double=runs/GAME/double_dqn-seed1-1 double=... dqn=...

Runs with the same name are drawn as one line, their interquartile mean, with the 95 % interval of the bootstrap as its
band. A single run has the 95 % interval of each evaluation. `cardgym sweep` draws its runs the same way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from cardgym.console.arguments import Parser
from cardgym.console.streams import guarded
from cardgym.errors import CardgymError
from cardgym.experiments.sweep_report import Curves, draw
from cardgym.files import replacing
from cardgym.learn.tags import EVAL, LOWER, UPPER, WIN_RATE, eval_tag
from cardgym.learn.tensorboard import read_curves

FORMATS = (".png", ".svg", ".pdf")


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    return guarded(lambda: run(words), "curves.py")


def run(words: list[str]) -> int:
    """Read the runs that the command line names, and draw them.

    Raises:
        CardgymError: for a bad command line, a folder without a run, or a tag that no run has.
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
        raise CardgymError(f"--out {arguments.out}: allowed are files ending in {', '.join(FORMATS)}")
    groups: dict[str, list[Curves]] = defaultdict(list)
    for word in arguments.runs:
        name, sign, folder = word.partition("=")
        groups[name if sign else Path(word).name].append(read_curves(Path(folder if sign else word)))
    tags = _chosen(arguments.tag, {tag for runs in groups.values() for curves in runs for tag in curves})
    even = 1 / arguments.players if arguments.players > 1 else None
    with replacing(arguments.out) as temporary:
        draw(groups, tags, even).savefig(temporary, format=suffix.lstrip("."))
    return 0


def _chosen(words: list[str] | None, known: Iterable[str]) -> list[str]:
    """Return the tags to draw; a tag without its group is one of the evaluations."""
    names = sorted(tag for tag in known if not tag.endswith((LOWER, UPPER)))
    if not words:
        tags = [tag for tag in names if tag.startswith(eval_tag(WIN_RATE, ""))]
        if not tags:
            raise CardgymError(f"no win rates in these runs; name --tag, one of {', '.join(names) or 'none'}")
        return tags
    tags = [word if word in names else f"{EVAL}{word}" for word in words]
    for word, tag in zip(words, tags, strict=True):
        if tag not in names:
            raise CardgymError(f"--tag {word}: not in these runs; they have {', '.join(names)}")
    return tags
