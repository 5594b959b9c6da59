"""Solve a game exactly, and value its players.

Games of one player are solved in exact fractions. `--set` takes the game's options and `gamma` (9/10; 1 is
undiscounted). Values are expected rewards from before the first chance. `optimal` is the best policy for that gamma; a
player of this name is the best for gamma 1. A game of several players is solved if it brings a solver. With `--by`,
counterfactual regret minimization looks for an equilibrium of any game of several seats; `cardgym solve ENV --by cfr+
--help` lists its arguments.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardgym.cli import equilibrium
from cardgym.cli.flags import add_options, add_trust, first_word
from cardgym.console.arguments import Parser
from cardgym.console.progress import Progress
from cardgym.console.tables import print_results
from cardgym.engine.registry import find, package_of, parse_assignments
from cardgym.errors import CardgymError
from cardgym.files.atomic import opened
from cardgym.files.locks import locked_file

if TYPE_CHECKING:
    from cardgym.engine.contract import Game

Summary = tuple[str, Sequence[str], Sequence[Sequence[str]], str]
"""A report for people: the title, the heads of the columns, the rows, and a line below them."""


def main(words: list[str]) -> int:
    """Solve the game named first, with its own solver or as a game of one player.

    A game's solver is a module with `add_arguments(parser)`, `solve(game, options, arguments)`, which returns a report
    of plain values, and `summary(report)`; see `Summary`.
    """
    name = first_word(words, "cardgym solve", "ENV", __doc__ or "")
    if name is None:
        return 0
    game = find(name)
    if any(word == "--by" or word.startswith("--by=") for word in words):
        return equilibrium.solve(game, words[1:])
    package = package_of(game)
    solver = importlib.import_module(package.solver) if package is not None and package.solver else None
    parser = Parser(prog=f"cardgym solve {game.id}", description=solver.__doc__ if solver else __doc__)
    add_options(parser)
    (solver.add_arguments if solver else _add_arguments)(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(words[1:])
    with Progress(f"solving {game.id}"):
        if solver is None:
            with locked_file(arguments.out):
                report, summary = _solve(game, arguments), _summary
        else:
            options = game.parse_options(parse_assignments(arguments.options))
            report, summary = solver.solve(game, options, arguments), solver.summary
    if arguments.json:
        print(json.dumps(report, indent=2, allow_nan=False))
    else:
        print_results(*summary(report))
        if solver is None and arguments.out is not None:
            print(f"optimal policy in {arguments.out}")
    return 0


# -- games of one player ----------------------------------------------------------------------------------------------


def _add_arguments(parser: Parser) -> None:
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the optimal policy to this file (.json)")
    parser.add_argument(
        "--policy",
        action="append",
        default=[],
        metavar="FILE",
        help="also value this policy (.json), checkpoint (.safetensors) or model (.zip); may be repeated",
    )
    add_trust(parser)


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


def _summary(report: Mapping[str, Any]) -> Summary:
    rows = []
    for name, values in report["policies"].items():
        cells = [f"{values[kind]} = {values[f'{kind}_float']:.6f}" for kind in ("discounted", "undiscounted")]
        label = f"optimal for gamma {report['gamma']}" if name == "optimal" else name
        rows.append((label, *cells, f"{values['undiscounted_std']:.4f}"))
    options = ", ".join(f"{name}={value}" for name, value in {**report["options"], "gamma": report["gamma"]}.items())
    return (
        f"{report['env']} ({options})",
        ("policy", "discounted", "undiscounted", "undiscounted sd"),
        rows,
        f"{report['states']:,} states, {report['states_canonical']:,} up to symmetry",
    )
