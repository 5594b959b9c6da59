"""The results of a tournament as rows of text, for the terminal and for pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

import numpy as np
import numpy.typing as npt

from cardgym.arena.tables import Results
from cardgym.arena.tournament.standings import Standings
from cardgym.console.tables import number, with_interval
from cardgym.engine.registry import find

Rows = tuple[list[str], list[list[str]]]
"""The heads of the columns, and the rows."""


def labels(names: Sequence[str]) -> list[str]:
    """Short names: of a file what its name says, where that tells the players apart."""
    stems = [PurePath(name).name.split(".")[0] + (":greedy" if name.endswith(":greedy") else "") for name in names]
    short = [stem if stem != name else name for stem, name in zip(stems, names, strict=True)]
    return [stem if short.count(stem) == 1 else name for stem, name in zip(short, names, strict=True)]


def order(standings: Standings) -> npt.NDArray[np.int64]:
    """The players' numbers from the highest rating to the lowest."""
    return np.argsort(-standings.ratings, kind="stable")


def ranking(standings: Standings) -> Rows:
    """A row for each player, the best first."""
    shown = labels(standings.names)
    head = ["player", "rating [95 %]", "share at equilibrium", "payoff against it [95 %]"]
    rows = [
        [
            shown[i],
            with_interval(standings.ratings[i], standings.ratings_ci95[i], "+.0f"),
            f"{100 * standings.nash[i]:.1f} %",
            with_interval(standings.nash_payoffs[i], standings.nash_payoffs_ci95[i], "+.3f"),
        ]
        for i in order(standings)
    ]
    return head, rows


def matrix(standings: Standings) -> Rows:
    """What the row's player wins from the column's, with half the width of the interval."""
    shown, places = labels(standings.names), order(standings)
    form = payoff_format(standings)
    rows = [[shown[i], *(_cell(standings, i, j, form) for j in places)] for i in places]
    return ["player", *(shown[j] for j in places)], rows


def payoff_format(standings: Standings) -> str:
    """The format of a payoff: three figures of the largest."""
    largest = float(np.abs(standings.payoffs).max())
    return f"+.{3 if largest < 1 else 2 if largest < 100 else 1}f"


def payoff_text(standings: Standings) -> str:
    """What a payoff is counted in, such as `credits a game`."""
    game = find(standings.env)
    if standings.payoff == game.payoff:
        return f"{game.unit} a game"
    return f"{standings.payoff.replace('_', ' ').removesuffix(' per game')} a game"


def _cell(standings: Standings, i: int, j: int, form: str) -> str:
    if i == j:
        return "-"
    low, high = standings.payoffs_ci95[i, j]
    half = "" if np.isnan(low) else f" ± {(high - low) / 2:{form.replace('+', '')}}"
    return f"{number(standings.payoffs[i, j], form)}{half}"


def printed(standings: Standings) -> tuple[Results, Results]:
    """The ranking and the matrix as `print_results` takes them."""
    title = f"{standings.env}: {len(standings.names)} players, {standings.games:,} games a match, seed {standings.seed}"
    about = ", ".join(f"{name}={value}" for name, value in standings.settings.items())
    below = f"{about}; {standings.seconds:.2f} s on {standings.workers} worker{'s' if standings.workers != 1 else ''}"
    head, rows = ranking(standings)
    columns, cells = matrix(standings)
    cells = [[name, *(cell.replace(" ± ", "\n± ") for cell in row)] for name, *row in cells]
    return (
        (title, head, [[cell.replace(" [", "\n[") for cell in row] for row in rows], below),
        (f"What the row's player wins from the column's, in {payoff_text(standings)}", columns, cells, ""),
    )
