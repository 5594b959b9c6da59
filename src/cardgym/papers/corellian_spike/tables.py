"""The tables of the Corellian Spike page: the paper's 2, 3 and 4, and which of their numbers each way explains."""

# ruff: noqa: E501  # Lines of prose as the page has them.

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from cardgym.console.tables import markdown_table
from cardgym.papers.corellian_spike.experiments import SEATINGS
from cardgym.papers.corellian_spike.numbers import Numbers, mixed
from cardgym.papers.corellian_spike.runs import SHOWN, WAYS, Score
from cardgym.papers.pages import section
from cardgym.statistics import Estimate

MEASURES: dict[str, tuple[Callable[[Score], float], str]] = {
    "credits": (lambda score: score.credits, "+.1f"),
    "hands, %": (lambda score: score.hands, ".1f"),
    "busts": (lambda score: score.busts, ".0f"),
}
"""What the tables show of a player: how it is read from a score, and its format."""


class Cell(NamedTuple):
    """A number of the paper's tables: the match without its way, the player in it, the measure, and the number."""

    match: tuple[object, ...]
    player: int
    measure: str
    paper: float


def _cells(match: tuple[object, ...], *players: tuple[float, ...]) -> list[Cell]:
    """Get the numbers of a match: credits, hands and busts of its first player, and the last of these of its second."""
    return [
        Cell(match, player, measure, number)
        for player, numbers in enumerate(players)
        for measure, number in zip([*MEASURES][-len(numbers) :], numbers, strict=True)
    ]


TABLES = {
    2: [
        *_cells(("credits", "random-table"), (35.6, 90, 0), (499,)),
        *_cells(("credits", "initial"), (-2.4, 64, 17), (0,)),
        *_cells(("credits", "intermediate"), (1.0, 49, 151), (180,)),
    ],
    3: [
        *_cells(("weighted", "random-table"), (38.4, 95, 1), (624,)),
        *_cells(("weighted", "initial"), (-0.1, 63, 208), (157,)),
        *_cells(("weighted", "intermediate"), (-0.8, 49, 906), (891,)),
        *_cells(("weighted", "credits-only"), (0.6, 54, 569), (555,)),
    ],
    4: [
        *_cells(("seats", SEATINGS[0]), (18.3, 64, 329), (-18.3, 36, 1044)),
        *_cells(("seats", SEATINGS[1]), (1.7, 27, 575), (-1.6, 26, 619)),
        *_cells(("seats", SEATINGS[2]), (-1.2, 12, 0), (1.0, 14, 0)),
    ],
}
"""The paper's tables without their rows on a person. In tables 2 and 3 the policy is first, and its opponent second; in
table 4 the 2-player policy, and the 4-player one. `random-table` is the paper's random policy."""

PAPER_HUMAN = {
    2: "The paper's human won 50 credits and 80 % of the hands of one game, in which the policy went bust (0 and "
    "1 busts)",
    3: "The paper's human won 25 credits a game and 73 % of 11 hands in four games, and went bust once, the "
    "policy three times",
}


def _ours(numbers: Numbers, cell: Cell, way: str, *, as_mixed: bool = False) -> Estimate:
    """Return what we have in place of a number of the paper."""
    read, _ = MEASURES[cell.measure]
    if as_mixed:
        return numbers.of((*cell.match, way), lambda scores: mixed(scores, read, cell.player))
    return numbers.of((*cell.match, way), lambda scores: read(scores[cell.player]))


def opponents_table(numbers: Numbers, number: int, title: str) -> str:
    """Table 2 or 3."""
    rows = []
    for cell in TABLES[number]:
        form = MEASURES[cell.measure][1]
        what = cell.measure + (f" of the {('policy', 'opponent')[cell.player]}" if cell.measure == "busts" else "")
        ours = [_ours(numbers, cell, way).text(form) for way in SHOWN]
        rows.append([str(cell.match[1]), what, f"{cell.paper:{'+.1f' if cell.measure == 'credits' else 'd'}}", *ours])
    return section(
        f"Table {number}: {title}",
        markdown_table(("opponent", "of the policy", "paper", *SHOWN), rows),
        f"{PAPER_HUMAN[number]}. No person has played these policies here, so this row cannot be checked.",
    )


def seats_table(numbers: Numbers) -> str:
    """Table 4, as it is and as the paper's program mixes it up."""
    rows: list[list[str]] = []
    for number, cell in enumerate(TABLES[4]):
        form = MEASURES[cell.measure][1]
        seats, hands = SEATINGS[number // 6]
        if (hands == 2 and cell.measure == "busts") or (seats == 2 and cell.player and cell.measure != "busts"):
            continue  # No busts, or the rest of what the other policy has.
        estimates = _ours(numbers, cell, "program", as_mixed=True), *(_ours(numbers, cell, way) for way in SHOWN)
        policy = f"{(2, 4)[cell.player]}-player"
        rows.append(
            [f"{seats}, {hands}", policy, cell.measure, f"{cell.paper}", *(one.text(form) for one in estimates)]
        )
    return section(
        "Table 4: the 2-player and the 4-player policy at tables of two, four and eight",
        "Both policies are for the weighted reward. One of each plays, with the initial policy in the other seats. Where two "
        "play, the 4-player policy has the rest of the credits and hands; games of eight have two hands, as in the notebook, "
        "in which nobody goes bust.",
        "**The program mixes up the players.** It draws the seats by a permutation and reads the results back by the same "
        "permutation, where the inverse is needed. So it credits a policy at a table of n with its own result in 2 of n "
        "games. The column *mixed up* is what its bookkeeping makes of our column `program`.",
        markdown_table(("seats, hands", "policy", "", "paper", "mixed up", *SHOWN), rows),
    )


def explained(numbers: Numbers) -> str:
    """How many of the paper's numbers each way explains: they lie where one more training run would."""
    rows = []
    for name, number in (("2", 2), ("3", 3), ("4", 4), ("4, mixed up", 4)):
        counts = []
        for way in WAYS:
            count = 0
            for cell in TABLES[number]:
                ours = _ours(numbers, cell, way, as_mixed=name != str(number))
                # The paper has one run of each case, and rounds to as many digits as it prints.
                rounding = 0.05 if isinstance(cell.paper, float) else 0.5
                count += abs(ours.value - cell.paper) <= ours.half_width * math.sqrt(numbers.scale.seeds + 1) + rounding
            counts.append(str(count))
        rows.append([name, f"{len(TABLES[number])}", *counts])
    return section(
        "Which of the paper's numbers each way explains",
        "The paper has one training run of each case. A number of its tables counts as explained if it lies where one "
        f"more run of ours would with 95 % (Student's t over {numbers.scale.seeds} runs), give or take its rounding:",
        markdown_table(("table", "numbers", *WAYS), rows),
        "Wide intervals cover more, so the counts favor ways whose runs differ.",
    )
