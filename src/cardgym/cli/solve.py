"""Solve a game of one player exactly, and value its players: by value iteration, and in fractions.

Settings are the game's options, `gamma` (9/10 unless told; 1 is undiscounted) and `theta`. Values are expected rewards
from before the first card. `seconds` is the time of value iteration over the enumerated states.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cardgym.cli.parser import Parser, add_game, existing


def add_arguments(parser: Parser) -> None:
    """The command's arguments."""
    add_game(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the optimal policy to this file (.json)")
    parser.add_argument(
        "--policy",
        action="append",
        default=[],
        metavar="FILE",
        help="value this policy (.json) or checkpoint (.safetensors) too; may be given often",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> None:
    """Solve and print."""
    from cardgym.errors import CardgymError
    from cardgym.registry import parse_settings
    from cardgym.tabular.solve import solve

    if arguments.out is not None and arguments.out.suffix != ".json":
        raise CardgymError(f"--out {arguments.out}: a policy file ends in .json")
    for path in arguments.policy:
        if Path(path).suffix not in (".json", ".safetensors"):
            raise CardgymError(f"--policy {path}: allowed are policy files (.json) and checkpoints (.safetensors)")
        existing(Path(path), "policy file")
    solved = solve(arguments.env, parse_settings(arguments.settings), arguments.policy)
    if arguments.out is not None:
        solved.save(arguments.out)
    if arguments.json:
        print(json.dumps(solved.report, indent=2, allow_nan=False))
    else:
        _print_table(solved.report)
        if arguments.out is not None:
            print(f"optimal policy in {arguments.out}")


def _print_table(report: Mapping[str, Any]) -> None:
    import sys

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    settings = ", ".join(f"{name}={value}" for name, value in report["settings"].items())
    counts = (
        f"{report['states']:,} states, {report['states_canonical']:,} up to symmetry; {report['sweeps']} sweeps "
        f"to a residual of {report['residual']:.2g} in {1000 * report['seconds']:.2f} ms"
    )
    table = Table()
    table.add_column("policy", overflow="fold")
    for name in ("discounted", "undiscounted", "sd of a game"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, values in report["policies"].items():
        cells = [f"{values[kind]} = {values[f'{kind}_float']:.6f}" for kind in ("discounted", "undiscounted")]
        table.add_row(Text(name), *map(Text, cells), f"{values['undiscounted_std']:.4f}")
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(Text(f"{report['env']} ({settings})", "bold"), table, Text(counts, "dim"), sep="\n")
