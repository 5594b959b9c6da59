"""The tables of the Corellian Spike page: the paper's 2, 3 and 4, a person, and the double DQN."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cardgym.games.corellian_spike.paper.human import human_rows
from cardgym.games.corellian_spike.paper.matches import (
    DEEP_OPPONENTS,
    OPPONENTS,
    PAPER,
    PAPER_HUMAN,
    PAPER_SEATS,
    SEATINGS,
)
from cardgym.games.corellian_spike.paper.numbers import Numbers, words


def table(numbers: Numbers, number: int, reward: str, title: str) -> str:
    """Table 2 or 3."""
    lines = [
        f"## Table {number}: {title.lower()}",
        "",
        "| opponent | credits: paper | published | legal | hands: paper | published | legal | "
        "bust, policy / opponent: paper | published | legal |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for opponent in OPPONENTS:
        if (reward, opponent, "published") not in numbers.results.scores:
            continue
        paper = PAPER.get((reward, opponent))
        cells = [opponent, f"{paper[0]:+.1f}" if paper else "-"]
        cells += [words(numbers.credits(reward, opponent, how)) for how in ("published", "legal")]
        cells.append(f"{paper[1]} %" if paper else "-")
        cells += [words(numbers.hands(reward, opponent, how), ".1f") + " %" for how in ("published", "legal")]
        cells.append(f"{paper[2]} / {paper[3]}" if paper else "-")
        for how in ("published", "legal"):
            bust = [
                numbers.of((reward, opponent, how), lambda scores, seat=seat: scores[seat].bust)  # type: ignore[misc]
                for seat in (0, 1)
            ]
            cells.append(" / ".join(words(value, ".0f") for value in bust))
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", f"The paper's human against its policy: the policy won {PAPER_HUMAN[reward]}.", ""]
    return "\n".join(lines)


def seats(numbers: Numbers) -> str:
    """Table 4."""
    lines = [
        "## Table 4: the 2-player and the 4-player policy at tables of two, four and eight",
        "",
        "Both are of the weighted reward. One of each sits at the table and the initial policy in the other seats:",
        "the notebook that the paper links to shows this line-up, and games of two hands, beside the eight-player",
        "numbers that the paper prints; that is why nobody goes bust there. States that a policy was not made for are",
        "played as the initial policy does, as in the paper's program.",
        "",
        "| seats, hands | exploration | credits, 2-player: paper | ours | credits, 4-player: paper | ours | "
        "hands, 2-player: paper | ours | hands, 4-player: paper | ours | bust, paper | ours |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for seating in SEATINGS:
        paper = PAPER_SEATS.get(seating)
        for how in ("published", "legal"):
            key = ("seats", seating, how)
            cells = [f"{seating[0]}, {seating[1]}", how]
            for column, read in enumerate((lambda s: s.credits, lambda s: 100 * s.hands)):
                for seat in (0, 1):
                    cells.append((f"{paper[seat][column]:+.1f}", f"{paper[seat][column]} %")[column] if paper else "-")
                    ours = numbers.of(key, lambda scores, seat=seat, read=read: read(scores[seat]))  # type: ignore
                    cells.append(words(ours, ("+.1f", ".1f")[column]) + ("", " %")[column])
            cells.append(f"{paper[0][2]} / {paper[1][2]}" if paper else "-")
            bust = [numbers.of(key, lambda scores, seat=seat: scores[seat].bust) for seat in (0, 1)]  # type: ignore
            cells.append(" / ".join(words(value, ".0f") for value in bust))
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def human(log: Path | None) -> str:
    """The human's row."""
    lines = ["## A person", ""]
    rows = human_rows(log)
    if not rows:
        lines.append(
            "No finished game of a person is in the play log here; `cardgym play CorellianSpike-v0 --opponent "
            "runs/.../policy_50.json` writes one, and the next run of this command shows it."
        )
        return "\n".join([*lines, ""])
    lines += [
        "| player | against | options | games | credits a game | hands won | games bust |",
        "|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *rows, ""])


def deep_agents(numbers: Numbers, paths: Sequence[Path]) -> str:
    """The double DQN against everyone."""
    lines = ["## The double DQN", ""]
    if not paths:
        lines.append("No checkpoint was given (`--deep PATH`), so its rows are missing from this page.")
        return "\n".join([*lines, ""])
    lines += [
        f"Credits it wins a game, {numbers.plan.games:,} games a match, with the match's 95 % interval over its deals;",
        "each match of a row has other deals, and policies of another training run.",
        "",
        "| checkpoint | against | "
        + " | ".join(f"match {i + 1}" for i in range(numbers.plan.deep_seeds))
        + " | hands |",
        "|---|---|" + "---|" * (numbers.plan.deep_seeds + 1),
    ]
    lows: dict[str, list[float]] = {}
    for number, path in enumerate(paths):
        for opponent in DEEP_OPPONENTS:
            scores = [each[0] for each in numbers.results.scores["deep", opponent, number]]
            lows.setdefault(opponent, []).extend(score.interval[0] for score in scores)
            cells = [f"{s.credits:+.2f} [{s.interval[0]:+.2f}, {s.interval[1]:+.2f}]" for s in scores]
            hands = 100 * np.mean([score.hands for score in scores])
            named = opponent if opponent in ("random", "initial", "heuristic") else f"batch Q: {opponent}"
            lines.append(f"| `{path.name}` | {named} | {' | '.join(cells)} | {hands:.1f} % |")
    lines.append("")
    for whose, added in (("the paper's final policies", ""), ("those of the legal exploration", ", legal")):
        ends = [low for reward in ("credits", "weighted") for low in lows[reward + added]]
        lines.append(
            f"Against {whose}, both rewards: {sum(low > 0 for low in ends)} of {len(ends)} intervals lie above zero, "
            f"and the lowest end is {min(ends):+.2f}."
        )
    return "\n".join([*lines, ""])
