"""Solve a game: exactly if it has one player, else by counterfactual regret minimization.

Games of one player are solved in exact fractions. `--set` takes the game's options and `gamma` (9/10; 1 is
undiscounted). Values are expected rewards from before the first chance. `optimal` is the best policy for that gamma; a
player of this name is the best for gamma 1.

With `--by`, counterfactual regret minimization looks for an equilibrium of a game of several seats. `cfr`, `cfr+` and
`dcfr` visit the whole tree in every iteration. `mccfr` samples chance and the other seats, over an observation: a
coarser one is an abstraction. The strategy is a file (.safetensors) that can be used as a player. If the tree can be
enumerated, the exploitability and what each seat gets on average are exact; otherwise `cardgym exploit` finds a lower
bound of the exploitability.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardgym.cli.flags import add_game
from cardgym.console.arguments import Parser, parse_assignments, whole
from cardgym.console.progress import Progress
from cardgym.console.tables import print_results
from cardgym.engine.registry import find
from cardgym.errors import CardgymError
from cardgym.files import check_replaced, opened
from cardgym.files.limits import MAX_STEPS
from cardgym.files.locks import locked_file
from cardgym.files.paths import pasted
from cardgym.files.tensors import SUFFIX

if TYPE_CHECKING:
    from cardgym.engine.contract import Game
    from cardgym.players.tables import StrategyPlayer

_ITERATIONS, _SAMPLED_ITERATIONS = 1000, 100_000


def add_arguments(parser: Parser) -> None:
    add_game(parser)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help=f"write the optimal policy (.json) or the strategy ({SUFFIX}) here"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--policy",
        action="append",
        default=[],
        metavar="FILE",
        help="also value this policy (.json), checkpoint (.safetensors) or model (.zip); may be repeated",
    )
    group = parser.add_argument_group("Equilibria")
    group.add_argument("--by", metavar="METHOD", help="cfr, cfr+, dcfr or mccfr")
    group.add_argument(
        "--iterations", type=whole(1, MAX_STEPS), metavar="N",
        help=f"iterations ({_ITERATIONS}; mccfr {_SAMPLED_ITERATIONS})",
    )  # fmt: skip
    group.add_argument(
        "--observation", metavar="NAME",
        help="observation that identifies information sets, for mccfr an abstraction (the game's default)",
    )  # fmt: skip
    group.add_argument("--seed", type=whole(0, 2**63 - 1), default=0, metavar="S", help="seed of mccfr's samples (0)")


def run(arguments: argparse.Namespace) -> None:
    game = find(arguments.env)
    _check(arguments)
    with locked_file(arguments.out):
        report = _solve(game, arguments) if arguments.by is None else _solve_equilibrium(game, arguments)
    if arguments.json:
        print(json.dumps(report, indent=2, allow_nan=False))
        return
    if arguments.by is None:
        _print(report)
    else:
        _print_equilibrium(report)
    if arguments.out is not None:
        print(f"{'optimal policy' if arguments.by is None else 'strategy'} in {arguments.out}")


def _check(arguments: argparse.Namespace) -> None:
    """Refuse arguments that do not go together."""
    for name in ("iterations", "observation", "seed") if arguments.by is None else ("policy",):
        if getattr(arguments, name):
            why = "only with --by METHOD" if arguments.by is None else "not with --by"
            raise CardgymError(f"--{name.replace('_', '-')}: {why}")
    suffix, what = (".json", "policy file") if arguments.by is None else (SUFFIX, "strategy's file")
    if arguments.out is not None and not arguments.out.name.endswith(suffix):
        raise CardgymError(f"--out {arguments.out}: the name of a {what} ends in {suffix}")
    if arguments.out is not None:
        check_replaced(arguments.out, b"cardgym policy" if arguments.by is None else b"cardgym-strategy", "--out")


def _solve(game: Game, arguments: argparse.Namespace) -> dict[str, Any]:
    from cardgym.solvers.optimum import solve

    for path in map(Path, arguments.policy):
        if path.suffix not in (".json", ".safetensors", ".zip"):
            raise CardgymError(
                f"--policy {path}: allowed are policy files (.json), checkpoints (.safetensors) and models of "
                "Stable-Baselines3 (.zip)"
            )
        opened(path, f"policy file {path}").close()
    with Progress(f"solving {game.id}"):
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


def _solve_equilibrium(game: Game, arguments: argparse.Namespace) -> dict[str, Any]:
    from cardgym.solvers.best_response import expected_returns
    from cardgym.solvers.equilibrium import SAMPLED, EquilibriumSolver
    from cardgym.solvers.exact import small_tree, tree_exploitability
    from cardgym.solvers.strategies import known_strategy

    options = game.parse_options(parse_assignments(arguments.options))
    iterations = arguments.iterations or (_SAMPLED_ITERATIONS if arguments.by == SAMPLED else _ITERATIONS)
    with Progress(f"solving {game.id}", "iterations", total=iterations, lines=not arguments.json) as progress:

        def measure(player: StrategyPlayer) -> float | None:
            exact = tree_exploitability(game, options, player)
            if exact is not None:
                progress.note(f"exploitability {exact[0]:.4g} {game.unit} per game")
            return None if exact is None else exact[0]

        solver = EquilibriumSolver(game, options, arguments.by, arguments.observation, seed=arguments.seed)
        found = solver.solve(iterations, path=arguments.out, measure=measure, progress=progress)
        tree = small_tree(game, options) if found["exploitability"] else None
        strategy = known_strategy(tree, solver.player()) if tree else None
        values = expected_returns(tree, strategy).tolist() if tree and strategy is not None else None
    return {
        "env": game.id,
        "options": options.asdict(),
        **solver.config,
        **found,
        "values": values,
        "per": f"{game.unit} per game",
        "out": None if arguments.out is None else str(arguments.out),
    }


def _print_equilibrium(report: dict[str, Any]) -> None:
    rows = [(f"{row['iterations']:,}", f"{row['exploitability']:.6f}") for row in report["exploitability"]]
    below = f"{report['info_sets']:,} information sets; {report['seconds']:.2f} s of processor time"
    if report["values"] is not None:
        below = f"value by seat: {', '.join(f'{value:.4f}' for value in report['values'])}; {below}"
    if not rows:
        rows = [(f"{report['iterations']:,}", "not known")]
        player = report["out"] or "FILE"
        command = pasted("cardgym", "exploit", report["env"], "--player", player)
        below += f"; the tree is too large to enumerate: `{command}` finds a lower bound"
    title = f"{report['env']} by {report['by']}, {report['per']}"
    print_results(title, ("iterations", "exploitability"), rows, below)
