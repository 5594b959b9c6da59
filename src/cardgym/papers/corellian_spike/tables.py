"""The tables of the Corellian Spike page: the paper's 2, 3 and 4."""

# ruff: noqa: E501  # Lines of prose as the page has them.

from __future__ import annotations

import math
from collections.abc import Callable

from cardgym.console.tables import markdown_table
from cardgym.papers.corellian_spike.experiments import SEATINGS
from cardgym.papers.corellian_spike.numbers import Numbers, mixed
from cardgym.papers.corellian_spike.runs import WAYS, Score
from cardgym.papers.pages import section

OPPONENTS = ("random-table", "initial", "intermediate", "credits-only")
"""Rows of tables 2 and 3. `random-table` is the paper's random policy."""

PAPER = {
    ("credits", "random-table"): (35.6, 90, 0, 499),
    ("credits", "initial"): (-2.4, 64, 17, 0),
    ("credits", "intermediate"): (1.0, 49, 151, 180),
    ("weighted", "random-table"): (38.4, 95, 1, 624),
    ("weighted", "initial"): (-0.1, 63, 208, 157),
    ("weighted", "intermediate"): (-0.8, 49, 906, 891),
    ("weighted", "credits-only"): (0.6, 54, 569, 555),
}
"""Tables 2 and 3 of the paper: the policy's credits a game and percent of hands, its busts, the opponent's."""

PAPER_HUMAN = {
    "credits": "The paper's human won 50 credits and 80 % of the hands of one game, in which the policy went bust (0 and "
    "1 busts)",
    "weighted": "The paper's human won 25 credits a game and 73 % of 11 hands in four games, and went bust once, the "
    "policy three times",
}

PAPER_SEATS = {
    (2, 10): ((18.3, 64, 329), (-18.3, 36, 1044)),
    (4, 10): ((1.7, 27, 575), (-1.6, 26, 619)),
    (8, 2): ((-1.2, 12, 0), (1.0, 14, 0)),
}
"""Table 4, by seats and hands: credits, percent of hands and busts of the 2-player policy, then of the 4-player one."""

MEASURES: dict[str, tuple[Callable[[Score], float], str]] = {
    "credits": (lambda score: score.credits, "+.1f"),
    "hands, %": (lambda score: score.hands, ".1f"),
    "busts": (lambda score: score.busts, ".0f"),
}
"""What the tables show of a player: how it is read from a score, and its format."""


def opponents_table(numbers: Numbers, number: int, reward: str, title: str) -> str:
    """Table 2 or 3."""
    rows = []
    for opponent in OPPONENTS:
        if (reward, opponent, next(iter(WAYS))) not in numbers.results.scores:
            continue
        paper = PAPER.get((reward, opponent))
        for place, (player, measure) in enumerate([(0, "credits"), (0, "hands, %"), (0, "busts"), (1, "busts")]):
            read, form = MEASURES[measure]
            keys = [(reward, opponent, way) for way in WAYS]
            ours = [numbers.of(key, lambda scores: read(scores[player])).text(form) for key in keys]  # noqa: B023
            what = measure if place < 2 else f"busts of the {'policy' if player == 0 else 'opponent'}"
            cell = f"{paper[place]:{'+.1f' if place == 0 else 'd'}}" if paper else "-"
            rows.append([opponent, what, cell, *ours])
    return section(
        f"Table {number}: {title.lower()}",
        markdown_table(("opponent", "of the policy", "paper", *WAYS), rows),
        f"{PAPER_HUMAN[reward]}. No person has played these policies here, so this row cannot be checked.",
    )


def seats_table(numbers: Numbers) -> str:
    """Table 4, as it is and as the paper's program mixes it up."""
    rows = []
    for seating in SEATINGS:
        for player, policy in enumerate(("2-player", "4-player")):
            paper = PAPER_SEATS[seating][player] if seating in PAPER_SEATS else ("-", "-", "-")
            for value, (measure, (read, form)) in zip(paper, MEASURES.items(), strict=True):
                keys = [("seats", seating, way) for way in WAYS]
                ours = [numbers.of(key, lambda scores: read(scores[player])).text(form) for key in keys]  # noqa: B023
                as_mixed = numbers.of(keys[2], lambda scores: mixed(scores, read, player)).text(form)  # noqa: B023
                rows.append([f"{seating[0]}, {seating[1]}", policy, measure, f"{value}", as_mixed, *ours])
    return section(
        "Table 4: the 2-player and the 4-player policy at tables of two, four and eight",
        "Both policies are for the weighted reward. One of each plays, with the initial policy in the other seats. The "
        "notebook shows this line-up, and games of two hands, next to the paper's eight-player numbers, which is why no "
        "player goes bust there. In states that a policy does not cover, the initial policy plays, as in the paper's "
        "program.",
        "**The program mixes up the players.** It draws the seats by a permutation, `policy_shuffled = [policy[i] for i "
        "in order]`, and reads the results back by the same permutation, `[wins[i] for i in order]`, where the inverse "
        "is needed. With two players this is the same. With n it credits a policy with its own result in 2 of n games, "
        "and otherwise with that of any other. The column *mixed up* is what its bookkeeping makes of our column "
        "`program`.",
        markdown_table(("seats, hands", "policy", "", "paper", "mixed up", *WAYS), rows),
    )


def explained(numbers: Numbers) -> str:
    """How many of the paper's numbers each way explains: they lie where one more training run would."""

    def agrees(key: tuple[object, ...], read: Callable[[list[Score]], float], paper: float) -> bool:
        ours = numbers.of(key, read)
        # The paper has one run of each case, and rounds to as many digits as it prints.
        rounding = 0.05 if isinstance(paper, float) else 0.5
        return abs(ours.value - paper) <= ours.half_width * math.sqrt(numbers.scale.seeds + 1) + rounding

    reads = [read for read, _ in MEASURES.values()]
    rows = []
    for table, reward in ((2, "credits"), (3, "weighted")):
        cells = [
            ((reward, opponent), player, read, value)
            for (paid, opponent), values in PAPER.items()
            if paid == reward
            for (player, read), value in zip([*((0, read) for read in reads), (1, reads[2])], values, strict=True)
        ]
        counts = [
            sum(agrees((*key, way), lambda scores: read(scores[player]), value) for key, player, read, value in cells)  # noqa: B023
            for way in WAYS
        ]
        rows.append([f"{table}", f"{len(cells)}", *map(str, counts)])
    seats = [
        (seating, player, read, value)
        for seating, policies in PAPER_SEATS.items()
        for player, values in enumerate(policies)
        for read, value in zip(reads, values, strict=True)
    ]
    for name, as_mixed in (("4", False), ("4, mixed up", True)):
        counts = [
            sum(
                agrees(
                    ("seats", seating, way),
                    lambda scores: mixed(scores, read, player) if as_mixed else read(scores[player]),  # noqa: B023
                    value,
                )
                for seating, player, read, value in seats
            )
            for way in WAYS
        ]
        rows.append([name, f"{len(seats)}", *map(str, counts)])
    return section(
        "Which of the paper's numbers each way explains",
        "The paper has one training run of each case. A number of its tables counts as explained if it lies where one "
        f"more run of ours would with 95 % (Student's t over {numbers.scale.seeds} runs), give or take its rounding:",
        markdown_table(("table", "numbers", *WAYS), rows),
        "Wide intervals cover more, so the counts favor ways whose runs differ.",
    )
