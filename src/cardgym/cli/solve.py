"""Solve a game exactly, and value its players.

Games of one player are solved in exact fractions. `--set` takes the game's options and `gamma` (9/10; 1 is
undiscounted). Values are expected rewards from before the first chance. `optimal` is the best policy for that gamma; a
player of this name is the best for gamma 1. With `--by`, counterfactual regret minimization looks for an
equilibrium of any game of several seats; `cardgym solve ENV --by cfr+ --help` lists its arguments.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardgym.cli import equilibrium
from cardgym.cli.flags import add_options, first_word
from cardgym.console.arguments import Parser
from cardgym.console.progress import Progress
from cardgym.console.tables import print_results
from cardgym.engine.registry import find, parse_assignments
from cardgym.errors import CardgymError
from cardgym.files import opened
from cardgym.files.locks import locked_file

if TYPE_CHECKING:
    from cardgym.engine.contract import Game


def main(words: list[str]) -> int:
    name = first_word(words, "cardgym solve", "ENV", __doc__ or "")
    if name is None:
        return 0
    game = find(name)
    if any(word == "--by" or word.startswith("--by=") for word in words):
        return equilibrium.solve(game, words[1:])
    parser = Parser(prog=f"cardgym solve {game.id}", description=__doc__)
    add_options(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the optimal policy to this file (.json)")
    parser.add_argument(
        "--policy",
        action="append",
        default=[],
        metavar="FILE",
        help="also value this policy (.json), checkpoint (.safetensors) or model (.zip); may be repeated",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(words[1:])
    with Progress(f"solving {game.id}"), locked_file(arguments.out):
        report = _solve(game, arguments)
    if arguments.json:
        print(json.dumps(report, indent=2, allow_nan=False))
    else:
        _print(report)
        if arguments.out is not None:
            print(f"optimal policy in {arguments.out}")
    return 0


def _solve(game: Game, arguments: argparse.Namespace) -> dict[str, Any]:
    from cardgym.solvers.solve import solve

    if arguments.out is not None and arguments.out.suffix != ".json":
        raise CardgymError(f"--out {arguments.out}: the name of a policy file ends in .json")
    for path in map(Path, arguments.policy):
        if path.suffix not in (".json", ".safetensors", ".zip"):
            raise CardgymError(
                f"--policy {path}: allowed are policy files (.json), checkpoints (.safetensors) and models of "
                "Stable-Baselines3 (.zip)"
            )
        opened(path, f"policy file {path}").close()
    solved = solve(game, parse_assignments(arguments.options), arguments.policy)
    if arguments.out is not None:
        solved.save(arguments.out)
    return solved.report


def _print(report: Mapping[str, Any]) -> None:
    rows = []
    for name, values in report["policies"].items():
        cells = [f"{values[kind]} = {values[f'{kind}_float']:.6f}" for kind in ("discounted", "undiscounted")]
        label = f"optimal for gamma {report['gamma']}" if name == "optimal" else name
        rows.append((label, *cells, f"{values['undiscounted_std']:.4f}"))
    options = ", ".join(f"{name}={value}" for name, value in {**report["options"], "gamma": report["gamma"]}.items())
    print_results(
        f"{report['env']} ({options})",
        ("policy", "discounted", "undiscounted", "undiscounted sd"),
        rows,
        f"{report['states']:,} states, {report['states_canonical']:,} up to symmetry",
    )
