"""What a league writes: `league.json`, `league.md`, and the picture of exploitability by generation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardgym.arena.tournament import Standings
from cardgym.arena.tournament.pictures import DPI, heat_map, ranking_picture
from cardgym.console.figures import COLOURS, new_figure, save_png
from cardgym.console.tables import markdown_table, with_interval
from cardgym.experiments.league.config import LeagueConfig
from cardgym.experiments.league.population import Generation
from cardgym.files.atomic import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "A league on {env}"
HEAD = ("generation", "players", "in the equilibrium", "exploitability", "won from it by the best responder [95 %]")


def rows(generations: Sequence[Generation]) -> list[list[str]]:
    """A row of text for each generation, under `HEAD`."""
    return [
        [
            str(generation.number),
            str(generation.players),
            str(len(generation.weights)),
            "-" if generation.exploitability is None else f"{generation.exploitability:.4f}",
            f"{with_interval(generation.gain, generation.gain_ci95, '+.3f')}, {generation.best}"
            if generation.best
            else "nobody known wins",
        ]
        for generation in generations
    ]


def asdict(config: LeagueConfig, generations: Sequence[Generation], folder: Path) -> dict[str, Any]:
    """A league as plain values for JSON; the mixtures' paths are as seen from its folder."""
    return {
        "config": config.lasting().model_dump(mode="json"),
        "generations": [
            {
                "generation": generation.number,
                "players": generation.players,
                "weights": dict(generation.weights),
                "mixture": generation.mixture.relative_to(folder).as_posix(),
                "exploitability": generation.exploitability,
                "best": generation.best,
                "gain": generation.gain,
                "gain_ci95": list(generation.gain_ci95),
            }
            for generation in generations
        ],
    }


def write(config: LeagueConfig, generations: Sequence[Generation], standings: Standings | None, folder: Path) -> None:
    """Write the files of a league.

    Raises:
        CardgymError: where a file cannot be written.
    """
    with replacing(folder / "league.json") as temporary:
        temporary.write_text(json.dumps(asdict(config, generations, folder), indent=1) + "\n", encoding="utf-8")
    table = markdown_table(HEAD, rows(generations), "rrrrl")
    lines = [f"# {TITLE.format(env=config.env_id)}", "", *table, "", "![](exploitability.png)"]
    with replacing(folder / "league.md") as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    save_png(curve(config, generations), folder / "exploitability.png", DPI)
    if standings is not None:
        save_png(heat_map(standings), folder / "payoffs.png", DPI)
        save_png(ranking_picture(standings), folder / "ranking.png", DPI)


def curve(config: LeagueConfig, generations: Sequence[Generation]) -> Figure:
    """Exploitability by generation: exact where it is known, and what the best responder found wins."""
    figure = new_figure(6.0, 3.6)
    panel = figure.subplots()
    numbers = [generation.number for generation in generations]
    # Nobody has been trained against the last one: that nobody known wins from it says nothing.
    answered = [generation for generation in generations if generation.best or generation is not generations[-1]]
    gains = [generation.gain for generation in answered]
    halves = [(generation.gain_ci95[1] - generation.gain_ci95[0]) / 2 for generation in answered]
    panel.errorbar(
        numbers[: len(answered)],
        gains,
        yerr=halves,
        color=COLOURS[1],
        marker="s",
        linestyle="--",
        capsize=3,
        label="best responder found",
    )
    if all(generation.exploitability is not None for generation in generations):
        exact = [generation.exploitability or 0.0 for generation in generations]
        panel.plot(numbers, exact, color=COLOURS[0], marker="o", label="exact")
    panel.axhline(0.0, color="black", linewidth=0.8)
    panel.set_xlabel("generation")
    panel.set_ylabel("exploitability, payoff a game")
    panel.set_title(f"{config.env_id}, seed {config.seed}")
    panel.grid(alpha=0.3)
    panel.legend()
    return figure
