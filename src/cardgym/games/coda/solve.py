"""The best that any player can do at Coda with one tile each, and how far known players are from it.

Seat 0 plays against an opponent that guesses at random. The win rates are exact, for n_start=1, jokers=0 and
empty=last_drawer_wins; --set takes these and the game's other options.
"""

from __future__ import annotations

import argparse
from typing import Any

from cardgym.console.arguments import Parser
from cardgym.engine.contract import Game
from cardgym.games.coda.one_tile import OPPONENTS, win_rates
from cardgym.games.coda.state import CodaOptions


def add_arguments(parser: Parser) -> None:
    """Add the solver's own arguments."""
    parser.add_argument(
        "--opponent", default="random", metavar="PLAYER", help=f"the opponent: {', '.join(OPPONENTS)} (random)"
    )


def solve(game: Game, options: CodaOptions, arguments: argparse.Namespace) -> dict[str, Any]:
    """The report as plain values: `env`, `settings` (all options), `opponent`, and the figures of `win_rates`.

    Raises:
        CardgymError: for options or an opponent that cannot be solved.
    """
    solved = win_rates(options, arguments.opponent)
    return {"env": game.id, "settings": options.asdict(), "opponent": arguments.opponent, **solved}


def summary(report: dict[str, Any]) -> tuple[str, tuple[str, ...], list[tuple[str, ...]], str]:
    """The report for people: a title, the heads of the columns, the rows, and a line below them."""
    settings = ", ".join(f"{name}={value}" for name, value in report["settings"].items())
    rates = {"no player exceeds": report["optimum"], **report["policies"]}
    return (
        f"{report['env']} ({settings})",
        ("seat 0", f"wins against {report['opponent']}"),
        [(name, f"{rate:.6f}") for name, rate in rates.items()],
        f"solved in {report['seconds']:.1f} s",
    )
