"""The tables of the Corellian Spike page: the paper's 2, 3 and 4, and the double DQN."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cardgym.console.tables import markdown_table
from cardgym.papers.corellian_spike.experiments import DEEP_OPPONENTS, SEATINGS
from cardgym.papers.corellian_spike.numbers import Numbers
from cardgym.papers.pages import section

OPPONENTS = ("random-table", "initial", "intermediate", "credits-only", "heuristic", "double DQN")
"""Rows of tables 2 and 3: the paper's opponents, then ours. `random-table` is the paper's random policy."""

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

PAPER_HUMAN = {"credits": "-50, 20 % of one game's hands", "weighted": "-25 a game, 27 % of 11 hands"}

PAPER_SEATS = {
    (2, 10): ((18.3, 64, 329), (-18.3, 36, 1044)),
    (4, 10): ((1.7, 27, 575), (-1.6, 26, 619)),
    (8, 2): ((-1.2, 12, 0), (1.0, 14, 0)),
}
"""Table 4, by seats and hands: credits, percent of hands and busts of the 2-player policy, then of the 4-player one."""

EXPLORATIONS = ("published", "legal")


def opponents_table(numbers: Numbers, number: int, reward: str, title: str) -> str:
    """Table 2 or 3."""
    head = (
        "opponent", "credits: paper", "published", "legal", "hands: paper", "published", "legal",
        "bust, policy / opponent: paper", "published", "legal",
    )  # fmt: skip
    rows = []
    for opponent in OPPONENTS:
        if (reward, opponent, "published") not in numbers.results.scores:
            continue
        paper = PAPER.get((reward, opponent))
        cells = [opponent, f"{paper[0]:+.1f}" if paper else "-"]
        cells += [numbers.credits(reward, opponent, how).text() for how in EXPLORATIONS]
        cells.append(f"{paper[1]} %" if paper else "-")
        cells += [numbers.hands(reward, opponent, how).text(".1f") + " %" for how in EXPLORATIONS]
        cells.append(f"{paper[2]} / {paper[3]}" if paper else "-")
        cells += [
            " / ".join(numbers.busts(reward, opponent, how, player=player) for player in (0, 1)) for how in EXPLORATIONS
        ]
        rows.append(cells)
    human = f"The paper's human against its policy: the policy won {PAPER_HUMAN[reward]}."
    return section(f"Table {number}: {title.lower()}", markdown_table(head, rows), human)


def seats_table(numbers: Numbers) -> str:
    """Table 4."""
    head = (
        "seats, hands", "policy", "credits: paper", "published", "legal", "hands: paper", "published", "legal",
        "bust: paper", "published", "legal",
    )  # fmt: skip
    rows = []
    for seating in SEATINGS:
        for player, policy in enumerate(("2-player", "4-player")):
            paper = PAPER_SEATS[seating][player] if seating in PAPER_SEATS else None
            keys = [("seats", seating, how) for how in EXPLORATIONS]
            cells = [f"{seating[0]}, {seating[1]}", policy, f"{paper[0]:+.1f}" if paper else "-"]
            cells += [numbers.credits(*key, player=player).text() for key in keys]
            cells.append(f"{paper[1]} %" if paper else "-")
            cells += [numbers.hands(*key, player=player).text(".1f") + " %" for key in keys]
            cells.append(f"{paper[2]}" if paper else "-")
            cells += [numbers.busts(*key, player=player) for key in keys]
            rows.append(cells)
    return section(
        "Table 4: the 2-player and the 4-player policy at tables of two, four and eight",
        "Both policies are for the weighted reward. One of each plays, with the initial policy in the other seats. The "
        "notebook that the paper links to shows this line-up, and games of two hands, next to the paper's eight-player "
        "numbers, which is why no player goes bust there. In states that a policy does not cover, the initial policy "
        "plays, as in the paper's program.",
        markdown_table(head, rows),
    )


def deep_table(numbers: Numbers, paths: Sequence[Path]) -> str:
    """The double DQN's checkpoints against everyone."""
    title, scale = "The double DQN", numbers.scale
    if not paths:
        return section(title, "No checkpoint was given (`--deep PATH`), so its rows are missing from this page.")
    text = (
        f"Credits that each checkpoint wins a game, the mean of {scale.deep_seeds} matches of {scale.games:,} games on "
        "different deals and, where the opponent is a policy of batch Q-learning, against different training runs of "
        "it. The last columns have all of a row's matches: the lowest end of their 95 % intervals, and the share of "
        "hands won."
    )
    intervals = {}
    rows = []
    for opponent in DEEP_OPPONENTS:
        matches = [[match[0] for match in numbers.results.scores["deep", opponent, i]] for i in range(len(paths))]
        intervals[opponent] = [score.interval for scores in matches for score in scores]
        lowest = min(low for low, _ in intervals[opponent])
        cells = [f"{np.mean([score.credits for score in scores]):+.2f}" for scores in matches]
        hands = [100 * score.hands for scores in matches for score in scores]
        cells += [f"{lowest:+.2f}", f"{min(hands):.1f} to {max(hands):.1f} %"]
        named = opponent if opponent in ("random", "initial", "heuristic") else f"batch Q: {opponent}"
        rows.append([named, *cells])
    learned = [low for name in DEEP_OPPONENTS[-4:] for low, _ in intervals[name]]
    return section(
        title,
        text,
        markdown_table(("against", *(f"`{path.stem}`" for path in paths), "lowest end", "hands"), rows),
        f"Of the {len(learned)} intervals against the final policies of batch Q-learning, "
        f"{sum(low > 0 for low in learned)} lie above zero.",
    )
