"""The results of tournaments as files: a folder of one tournament, and the page of leaderboards of all games."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from cardgym.arena.tournament.pictures import DPI, heat_map, ranking_picture
from cardgym.arena.tournament.standings import Standings
from cardgym.arena.tournament.tables import labels, matrix, payoff_text, ranking
from cardgym.console.figures import save_png
from cardgym.console.tables import markdown_table
from cardgym.files.atomic import replacing

_ABOUT = """\
Every player that a game brings and every checkpoint of its folder, each against each on the same deals from every seat.

- **Rating**: Bradley and Terry's model, fitted by maximum likelihood to the games (or hands) won; Elo points above the
  mean of the players. 400 points more are odds of 10 to 1.
- **Payoff**: what the row's player wins from the column's, a game, with half the width of its 95 % interval. In a game
  of one seat: how much more it gets on the same deal.
- **Share at equilibrium**: how often the mixture that no player of the list beats plays this one (Nash averaging). A
  player that wins many games only from weak ones has no share. **Payoff against it**: what the player wins from that
  mixture; 0 for those in it. Payoffs closer than their intervals may share it otherwise on other deals.
- Intervals are of 95 %, over deals. More games make them smaller: with four times as many they are half as wide.
"""


def write_results(standings: Standings, folder: Path) -> None:
    """Write `tournament.json`, `tournament.md`, `payoffs.png` and `ranking.png`.

    Raises:
        CardgymError: where a file cannot be written, or matplotlib is not installed.
    """
    with replacing(folder / "tournament.json") as temporary:
        temporary.write_text(json.dumps(standings.asdict(), indent=1, allow_nan=False) + "\n", encoding="utf-8")
    pictures = (folder / "ranking.png", folder / "payoffs.png")
    _save_pictures(standings, *pictures)
    lines = section(standings, *(path.name for path in pictures))
    with replacing(folder / "tournament.md") as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_leaderboards(results: Sequence[Standings], page: Path, command: str) -> None:
    """Write a page with a section for each game, and its pictures in `images/leaderboards` beside it.

    Args:
        results: a tournament for each game.
        page: the Markdown file.
        command: the command that makes it, for the page.

    Raises:
        CardgymError: where a file cannot be written, or matplotlib is not installed.
    """
    lines = ["# Leaderboards", "", _ABOUT, "Made by one command:", "", "```", command, "```"]
    for standings in results:
        name = standings.env.replace("-v", "_v").lower()
        pictures = [Path("images", "leaderboards", f"{name}_{kind}.png") for kind in ("ranking", "payoffs")]
        _save_pictures(standings, *(page.parent / path for path in pictures))
        lines += ["", *section(standings, *(path.as_posix() for path in pictures))]
    with replacing(page) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def section(standings: Standings, ranking_png: str, payoffs_png: str) -> list[str]:
    """The lines of a tournament in Markdown.

    Args:
        standings: the results.
        ranking_png: the picture of the ranking, as the page names it.
        payoffs_png: the heat map.
    """
    settings = ", ".join(f"{name}={value}" for name, value in standings.settings.items()) or "no options"
    few = sorted(
        {
            (int(standings.match_games[i, j]), name)
            for i, name in enumerate(labels(standings.names))
            for j in range(len(standings.names))
            if i != j and standings.match_games[i].max() < standings.games
        }
    )
    played = f"{standings.games:,} games a match, seed {standings.seed}"
    for games, name in few:
        played += f"; {games:,} a match of `{name}`, which is slow"
    return [
        f"## {standings.env}",
        "",
        f"{settings}; {played}. Payoffs are in {payoff_text(standings)}.",
        "",
        *markdown_table(*ranking(standings), align="lrrr"),
        "",
        f"![The ratings of {standings.env}]({ranking_png})",
        "",
        *markdown_table(*matrix(standings), align="l" + "r" * len(standings.names)),
        "",
        f"![What each player of {standings.env} wins from each other]({payoffs_png})",
    ]


def _save_pictures(standings: Standings, ranking_png: Path, payoffs_png: Path) -> None:
    save_png(ranking_picture(standings), ranking_png, DPI)
    save_png(heat_map(standings), payoffs_png, DPI)
