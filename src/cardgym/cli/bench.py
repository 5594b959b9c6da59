"""Measure cardgym's own speed on this machine."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path

from cardgym.cli.parser import Parser
from cardgym.errors import CardgymError


def add_arguments(parser: Parser) -> None:
    """The command's arguments."""
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="measure each figure so many times (5)")
    parser.add_argument("--seconds", type=float, default=2.0, metavar="S", help="step an env so long each time (2)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> None:
    """Measure, and print a line a figure: the median, the least and the greatest."""
    from cardgym.cli.benchmark import Figure, machine, measure

    if arguments.repeats < 1 or not arguments.seconds > 0:
        raise CardgymError("--repeats and --seconds: give numbers above 0")
    script = Path("train/dqn.py")
    if not script.exists():
        print("cardgym bench: no train/dqn.py here, so training is left out", file=sys.stderr)

    def tell(figure: Figure) -> None:
        if not arguments.json:
            spread = f"[{figure.low:,.4g}, {figure.high:,.4g}]"
            print(f"{figure.name:<40}{figure.median:>16,.4g} {figure.unit:<12} {spread}", flush=True)

    if not arguments.json:
        print(f"{machine()}; median of {arguments.repeats} [least, greatest]")
    figures = measure(arguments.repeats, arguments.seconds, script if script.exists() else None, tell)
    if arguments.json:
        print(json.dumps({"machine": machine(), "figures": [dataclasses.asdict(figure) for figure in figures]}))
