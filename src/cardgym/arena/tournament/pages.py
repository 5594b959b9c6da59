"""The results of tournaments as tables, pictures and pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cardgym.arena.report import main_metric, options_text
from cardgym.arena.tournament.standings import Standings, Vector
from cardgym.console.plots import literal, new_figure, save_png
from cardgym.console.tables import markdown_table, number, short_names, with_interval, wrapped
from cardgym.engine.registry import find
from cardgym.files import write_text
from cardgym.statistics import rough

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rows = tuple[list[str], list[list[str]]]
"""Column headers and rows."""
Texts = tuple[str, list[str], list[list[str]], str]
"""The title, the column headers, the rows and a line below; see `cardgym.console.tables.print_results`."""


def ranking(standings: Standings) -> Rows:
    """Return a row for each player, best first; shares at equilibrium only where more than one player has one."""
    shown, places = short_names(standings.names), list(standings.ranks)
    first = places[0]
    mixed = standings.nash[first] < 0.9995
    form = "+.1f" if np.abs(standings.nash_payoffs).max() >= 10 else "+.2f"
    beaten = standings.beaten
    hands = " by hands" if main_metric(find(standings.env)) == "mean_return" and "hands" in standings.options else ""
    head = [
        "rank",
        "player",
        f"payoff against {'the equilibrium' if mixed else shown[first]} [95 %]",
        "share at equilibrium",
        "beats",
        f"rating{hands} [95 %]",
    ]
    rows = [
        [
            rank_text(standings, i),
            shown[i],
            "" if i == first and not mixed else
            with_interval(standings.nash_payoffs[i], exact_or(standings.nash_payoffs_ci95[i]), form),
            f"{100 * standings.nash[i]:.1f} %",
            f"{beaten[i]} of {len(places) - 1}",
            with_interval(standings.ratings[i], standings.ratings_ci95[i], "+.0f"),
        ]
        for i in places
    ]  # fmt: skip
    columns = [i for i in range(len(head)) if mixed or i != 3]
    return [head[i] for i in columns], [[row[i] for i in columns] for row in rows]


def rank_text(standings: Standings, player: int) -> str:
    """Return a player's rank, with `=` for a tie."""
    ranks = standings.ranks
    tie = list(ranks.values()).count(ranks[player]) > 1
    return f"{ranks[player]}{'=' * tie}"


def exact_or(ends: Vector) -> Vector | None:
    """Return an interval, or None for that of an exact value, which has no width."""
    return None if ends[0] == ends[1] else ends


def matrix(standings: Standings) -> Rows:
    """Return the payoffs of the row's player against the column's, with half the width of the interval."""
    shown, places = short_names(standings.names), list(standings.ranks)
    form = payoff_format(standings)
    rows = [[shown[i], *(_cell(standings, i, j, form) for j in places)] for i in places]
    return ["player", *(shown[j] for j in places)], rows


def payoff_format(standings: Standings) -> str:
    """Return the format of a payoff: three figures of the largest."""
    largest = float(np.abs(standings.payoffs).max())
    return f"+.{3 if largest < 1 else 2 if largest < 100 else 1}f"


def payoff_text(standings: Standings) -> str:
    """Return the unit of a payoff, such as `credits a game`."""
    game = find(standings.env)
    unit = game.unit
    if standings.payoff != game.payoff:
        unit = standings.payoff.replace("_", " ").removesuffix(" per game")
    return f"{unit} a game"


def _cell(standings: Standings, i: int, j: int, form: str) -> str:
    if i == j:
        return "-"
    low, high = standings.payoffs_ci95[i, j]
    half = "" if np.isnan(low) or low == high else f" ± {(high - low) / 2:{form.replace('+', '')}}"
    return f"{number(standings.payoffs[i, j], form)}{half}"


def _games(standings: Standings) -> str:
    return f"{standings.games:,} game{'s' if standings.games != 1 else ''}"


def printed(standings: Standings) -> tuple[Texts, Texts]:
    """Return the ranking and the matrix as `print_results` takes them."""
    title = f"{standings.env}: {len(standings.names)} players, {_games(standings)} a match, seed {standings.seed}"
    about = options_text(standings.options)
    below = f"{about}; {standings.seconds:.2f} s on {standings.workers} worker{'s' if standings.workers != 1 else ''}"
    below += "".join(f"\n{remark.strip()}" for remark in (rough(standings.deals), _copies(standings)) if remark)
    ranking_head, ranking_rows = ranking(standings)
    head, *rows = ([cell.replace(" [", "\n[") for cell in row] for row in (ranking_head, *ranking_rows))
    columns, cells = matrix(standings)
    cells = [[name, *(cell.replace(" ± ", "\n± ") for cell in row)] for name, *row in cells]
    return (
        (title, head, rows, below),
        (f"What the row's player wins from the column's, in {payoff_text(standings)}", columns, cells, ""),
    )


DPI = 110
_MAX_NUMBERED = 24
"""Number of players up to which the cells of the heat map have numbers; with more they are unreadable."""


def heat_map(standings: Standings) -> Figure:
    """Return a heat map of what each player wins from each other, best player first, with numbers in the cells."""
    places = list(standings.ranks)
    payoffs = standings.payoffs[np.ix_(places, places)]
    names = [literal(short_names(standings.names)[i]) for i in places]
    size = max(4.0, 0.75 * len(names) + 2.0)
    figure = new_figure(size + 1.0, size)
    panel = figure.subplots()
    largest = max(float(np.abs(payoffs).max()), 1e-9)
    # Brown to white to blue-green: color-blind people can tell its ends apart.
    image = panel.imshow(payoffs, cmap="BrBG", vmin=-largest, vmax=largest)
    figure.colorbar(image, ax=panel, shrink=0.8, label=payoff_text(standings))
    panel.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
    panel.set_yticks(range(len(names)), names)
    panel.set_title(f"{standings.env}: what the row's player wins from the column's")
    if len(names) <= _MAX_NUMBERED:
        form = payoff_format(standings)
        for i, row in enumerate(payoffs):
            for j, value in enumerate(row):
                text = "" if i == j else _cell(standings, places[i], places[j], form).replace(" ± ", "\n± ")
                color = "white" if abs(value) > 0.6 * largest else "black"
                panel.text(j, i, text, ha="center", va="center", fontsize=7, color=color)
    return figure


def write_results(standings: Standings, folder: Path) -> None:
    """Write `tournament.json`, `tournament.md` and `payoffs.png`."""
    write_text(folder / "tournament.json", json.dumps(standings.asdict(), indent=1, allow_nan=False) + "\n")
    save_png(heat_map(standings), folder / "payoffs.png", DPI)
    write_text(folder / "tournament.md", "\n".join(section(standings, "payoffs.png")) + "\n")


def section(standings: Standings, payoffs_png: str) -> list[str]:
    """Return the lines of a tournament in Markdown, with the heat map in the file `payoffs_png`."""
    default = standings.options == find(standings.env).parse_options().asdict()
    options = "default options" if default else options_text(standings.options)
    played = f"Each match has {_games(standings)} with seed {standings.seed} and {options}"
    slow: dict[int, list[str]] = {}
    for name, games in zip(short_names(standings.names), standings.match_games.max(axis=1), strict=True):
        if games < standings.games:
            slow.setdefault(int(games), []).append(f"`{name}`")
    played += f"; {remark}" if (remark := rough(standings.deals)) else ""
    played += "".join(f"; a match with {' or '.join(names)} has {games:,}" for games, names in slow.items())
    head, rows = ranking(standings)
    return [
        f"## {standings.env}",
        "",
        wrapped(f"{played}. Payoffs are in {payoff_text(standings)}.{_exact(standings)}{_copies(standings)}"),
        "",
        *markdown_table(head, rows, "l" + "r" * (len(head) - 1)),
        "",
        f"![What each player of {standings.env} wins from each other]({payoffs_png})",
    ]


def _exact(standings: Standings) -> str:
    """Return a sentence on exact payoffs, if there are any."""
    known = standings.payoffs_ci95[..., 0] == standings.payoffs_ci95[..., 1]
    apart = ~np.eye(len(known), dtype=bool)
    if not (known & apart).any():
        return ""
    return " They are exact" + ("." if known[apart].all() else " where they have no interval.")


def _copies(standings: Standings) -> str:
    """Return a sentence that names the players left out because no deal shows that they differ from another one."""
    shown = [f"`{name}`" for name in short_names(standings.names)]
    copies = [shown[i] for i, original in enumerate(standings.originals) if i != original]
    return f" Players who won as much as another one on every deal are left out: {', '.join(copies)}." if copies else ""
