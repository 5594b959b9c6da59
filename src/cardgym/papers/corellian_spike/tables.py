"""The tables of the Corellian Spike page: the paper's 2, 3 and 4, a person, and the double DQN."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cardgym.console.tables import markdown_table
from cardgym.errors import CardgymError
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.papers.corellian_spike.batch_q import ENV
from cardgym.papers.corellian_spike.experiments import DEEP_OPPONENTS, SEATINGS
from cardgym.papers.corellian_spike.numbers import Numbers
from cardgym.table.game_entries import read_entries
from cardgym.table.game_log import GameLog

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
    lines = [
        f"## Table {number}: {title.lower()}",
        "",
    ]
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
    lines += [
        *markdown_table(head, rows),
        "",
        f"The paper's human against its policy: the policy won {PAPER_HUMAN[reward]}.",
        "",
    ]
    return "\n".join(lines)


def seats_table(numbers: Numbers) -> str:
    """Table 4."""
    lines = [
        "## Table 4: the 2-player and the 4-player policy at tables of two, four and eight",
        "",
        "Both policies are for the weighted reward. One of each plays, with the initial policy in the other seats. The",
        "notebook that the paper links to shows this line-up, and games of two hands, next to the paper's eight-player",
        "numbers, which is why no player goes bust there. In states that a policy does not cover, the initial policy",
        "plays, as in the paper's program.",
        "",
    ]
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
    return "\n".join([*lines, *markdown_table(head, rows), ""])


def human_table(log: Path | None) -> list[str]:
    """The section on the games of a person, from the game log, if it has any; see `human_rows`."""
    rows = human_rows(log)
    head = ("player", "against", "options", "games", "credits a game", "hands won", "games bust")
    return ["\n".join(["## A person", "", *markdown_table(head, rows), ""])] if rows else []


def human_rows(log: Path | None = None) -> list[list[str]]:
    """The cells of a table, one row for each pair of players and options.

    Args:
        log: games as `cardgym report --export` writes them; None for the user's log.

    Raises:
        CardgymError: where a named file is missing, or one of its lines is not a game.
    """
    games = GameLog().entries(ENV) if log is None else read_entries(log)
    defaults = CorellianSpikeOptions().asdict()
    lineups: dict[tuple[str, str, str], list[tuple[float, float, float, float]]] = {}
    for game in games:
        if game["env"] != ENV or not game["finished"] or len(game["players"]) != 2:
            continue
        if game["options"].get("reward", "net") != "net":  # Other returns are not the credits gained.
            continue
        person, other = game["players"]
        metrics = person["metrics"]
        if "bust_games" not in metrics:
            raise CardgymError(f"a game of {ENV} in {log or 'the game log'} lacks its metrics; leave it out")
        row = (person["return"], person["score"], game["max_score"], metrics["bust_games"])
        changed = [f"{option}={value}" for option, value in game["options"].items() if value != defaults.get(option)]
        lineups.setdefault((person["name"], other["name"], ", ".join(changed) or "the paper's"), []).append(row)
    rows = []
    for (name, other, options), same in lineups.items():
        credits, won, hands, bust = (sum(column) for column in zip(*same, strict=True))
        rows.append([
            name, other, options, f"{len(same)}", f"{credits / len(same):+.1f}", f"{won:g} of {hands:g}", f"{bust:g}",
        ])  # fmt: skip
    return rows


def deep_table(numbers: Numbers, paths: Sequence[Path]) -> str:
    """The double DQN's checkpoints against everyone."""
    lines = ["## The double DQN", ""]
    if not paths:
        lines.append("No checkpoint was given (`--deep PATH`), so its rows are missing from this page.")
        return "\n".join([*lines, ""])
    scale = numbers.scale
    lines += [
        f"Credits that each checkpoint wins a game, the mean of {scale.deep_seeds} matches of {scale.games:,} games on "
        "different deals and, where the opponent is a policy of batch Q-learning, against different training runs of "
        "it. The last columns have all of a row's matches: the lowest end of their 95 % intervals, and the share of "
        "hands won.",
        "",
    ]
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
    lines += [
        *markdown_table(("against", *(f"`{path.stem}`" for path in paths), "lowest end", "hands"), rows),
        "",
        f"Of the {len(learned)} intervals against the final policies of batch Q-learning, "
        f"{sum(low > 0 for low in learned)} lie above zero.",
    ]
    return "\n".join([*lines, ""])
