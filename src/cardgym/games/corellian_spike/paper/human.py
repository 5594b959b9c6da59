"""The human's row: games of two that a person finished, from the record."""

from __future__ import annotations

from pathlib import Path

from cardgym.errors import CardgymError
from cardgym.games.corellian_spike.batch_q.config import ENV
from cardgym.games.corellian_spike.state import CorellianSpikeOptions
from cardgym.table.entries import read_entries
from cardgym.table.game_log import GameLog


def human_rows(log: Path | None = None) -> list[str]:
    """Rows of a Markdown table, one for each pair of players and options; none where there is no game.

    Args:
        log: games as `cardgym report --export` writes them; None for the user's record.

    Raises:
        CardgymError: where a file that was named is missing, or a line of it is no game.
    """
    games = GameLog().games(ENV, moves=False) if log is None else read_entries(log)
    defaults = CorellianSpikeOptions().asdict()
    lineups: dict[tuple[str, str, str], list[tuple[float, float, float, float]]] = {}
    for game in games:
        if game["env"] != ENV or not game["finished"] or len(game["players"]) != 2:
            continue
        person, other = game["players"]
        metrics = person["metrics"]
        if not metrics.keys() >= {"credits_per_game", "bust_games"}:
            raise CardgymError(f"a game of {ENV} in {log or 'the record'} lacks its metrics; leave it out")
        row = (metrics["credits_per_game"], person["score"], game["max_score"], metrics["bust_games"])
        changed = [f"{option}={value}" for option, value in game["settings"].items() if value != defaults.get(option)]
        lineups.setdefault((person["name"], other["name"], ", ".join(changed) or "the paper's"), []).append(row)
    rows = []
    for (name, other, options), same in lineups.items():
        credits, won, hands, bust = (sum(column) for column in zip(*same, strict=True))
        rows.append(
            f"| {name} | {other} | {options} | {len(same)} | {credits / len(same):+.1f} | "
            f"{won:g} of {hands:g} | {bust:g} |"
        )
    return rows
