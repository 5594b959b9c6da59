"""Solve a game exactly. There are two kinds.

A game of one player (OnePlayPoker-v0) by value iteration, and in fractions. Settings are the game's options, `gamma`
(9/10 unless told; 1 is undiscounted) and `theta`. Values are expected rewards from before the first card. `optimal` is
the best policy for that gamma; the player of this name is the best for gamma 1. `seconds` is the time of value
iteration over the enumerated states.

Coda with one tile each, against an opponent that guesses at random: the best win rate any player can reach from seat
0, by dynamic programming over what it can know, and the exact win rates of known players beside it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardgym.cli.parser import Parser, add_game, existing

if TYPE_CHECKING:
    from cardgym.engine.contract import Game


def add_arguments(parser: Parser) -> None:
    """The command's arguments."""
    add_game(parser)
    parser.add_argument(
        "--opponent", metavar="PLAYER", help="Coda: whom to beat, random (which is meant unless told) or random-unseen"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="a game of one player: write the optimal policy to this file (.json)"
    )
    parser.add_argument(
        "--policy",
        action="append",
        default=[],
        metavar="FILE",
        help="a game of one player: value this policy (.json), table (.npz) or checkpoint (.safetensors) too; may be "
        "given often",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> None:
    """Solve and print."""
    from cardgym.engine.registry import find

    game = find(arguments.env)
    (_run_coda if _is_coda(game) else _run_one_player)(game, arguments)


def _is_coda(game: Game) -> bool:
    from cardgym.games.coda.state import CodaOptions

    return game.options is CodaOptions


# -- Coda -------------------------------------------------------------------------------------------------------------


def _run_coda(game: Game, arguments: argparse.Namespace) -> None:
    from cardgym.engine.registry import parse_settings
    from cardgym.errors import CardgymError
    from cardgym.games.coda.solve import solve

    for flag, given in (("--out", arguments.out), ("--policy", arguments.policy)):
        if given:
            raise CardgymError(f"{flag}: for games of one player only; of {game.id} known players are valued")
    options = game.parse_options(parse_settings(arguments.settings))
    report = solve(options, "random" if arguments.opponent is None else arguments.opponent, game.id)
    if arguments.json:
        print(json.dumps(report, indent=2, allow_nan=False))
        return
    rates = {"no player exceeds": report["optimum"], **report["policies"]}
    _show(
        f"{game.id} ({_in_words(report['settings'])})",
        ("seat 0", f"wins against {report['opponent']}"),
        [(name, f"{rate:.6f}") for name, rate in rates.items()],
        f"solved in {report['seconds']:.1f} s",
    )


# -- games of one player ----------------------------------------------------------------------------------------------


def _run_one_player(game: Game, arguments: argparse.Namespace) -> None:
    from cardgym.engine.registry import parse_settings
    from cardgym.errors import CardgymError
    from cardgym.solvers.solve import solve

    if arguments.opponent is not None:
        raise CardgymError(f"--opponent {arguments.opponent}: for Coda only; {game.id} is solved without")
    if arguments.out is not None and arguments.out.suffix != ".json":
        raise CardgymError(f"--out {arguments.out}: a policy file ends in .json")
    for path in arguments.policy:
        if Path(path).suffix not in (".json", ".npz", ".safetensors"):
            raise CardgymError(
                f"--policy {path}: allowed are policy files (.json), tables (.npz) and checkpoints (.safetensors)"
            )
        existing(Path(path), "policy file")
    solved = solve(game, parse_settings(arguments.settings), arguments.policy)
    if arguments.out is not None:
        solved.save(arguments.out)
    if arguments.json:
        print(json.dumps(solved.report, indent=2, allow_nan=False))
        return
    report = solved.report
    rows = []
    for name, values in report["policies"].items():
        cells = [f"{values[kind]} = {values[f'{kind}_float']:.6f}" for kind in ("discounted", "undiscounted")]
        label = f"optimal for gamma {report['settings']['gamma']}" if name == "optimal" else name
        rows.append((label, *cells, f"{values['undiscounted_std']:.4f}"))
    _show(
        f"{report['env']} ({_in_words(report['settings'])})",
        ("policy", "discounted", "undiscounted", "its sd"),
        rows,
        f"{report['states']:,} states, {report['states_canonical']:,} up to symmetry; {report['sweeps']} sweeps "
        f"to a residual of {report['residual']:.2g} in {1000 * report['seconds']:.2f} ms",
    )
    if arguments.out is not None:
        print(f"optimal policy in {arguments.out}")


# -- both -------------------------------------------------------------------------------------------------------------


def _in_words(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings.items())


def _show(title: str, columns: tuple[str, ...], rows: list[tuple[str, ...]], below: str) -> None:
    from rich.text import Text

    from cardgym.console import fitting_tables, results_console

    console = results_console()
    tables = fitting_tables(columns, rows, console.width)
    console.print(Text(title, "bold"), *tables, Text(below, "dim"), sep="\n")
