"""The pictures of a tournament: a heat map of payoffs, and the ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cardgym.arena.tournament.standings import Standings
from cardgym.arena.tournament.tables import labels, order, payoff_format, payoff_text
from cardgym.console.figures import COLOURS, new_figure
from cardgym.console.tables import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 110
_MOST_NUMBERS = 24
"""Beyond so many players the numbers in the cells could not be read, and are left out."""


def heat_map(standings: Standings) -> Figure:
    """What each player wins from each other, the best player first, with the numbers in the cells."""
    places = order(standings)
    payoffs = standings.payoffs[np.ix_(places, places)]
    names = [labels(standings.names)[i] for i in places]
    size = max(4.0, 0.75 * len(names) + 2.0)
    figure = new_figure(size + 1.0, size)
    panel = figure.subplots()
    largest = max(float(np.abs(payoffs).max()), 1e-9)
    # From brown over white to blue-green: people with colour blindness can tell its ends apart.
    image = panel.imshow(payoffs, cmap="BrBG", vmin=-largest, vmax=largest)
    figure.colorbar(image, ax=panel, shrink=0.8, label=payoff_text(standings))
    panel.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor")
    panel.set_yticks(range(len(names)), names)
    panel.set_title(f"{standings.env}: what the row's player wins from the column's")
    if len(names) <= _MOST_NUMBERS:
        form = payoff_format(standings)
        for i, row in enumerate(payoffs):
            for j, value in enumerate(row):
                text = "" if i == j else number(value, form)
                colour = "white" if abs(value) > 0.6 * largest else "black"
                panel.text(j, i, text, ha="center", va="center", fontsize=8, color=colour)
    return figure


def ranking_picture(standings: Standings) -> Figure:
    """The ratings with their intervals, the best player first, and each player's share at the equilibrium."""
    places = order(standings)
    names = [labels(standings.names)[i] for i in places]
    rows = np.arange(len(places))
    figure = new_figure(7.5, max(2.0, 0.34 * len(places) + 1.2))
    ratings, shares = figure.subplots(1, 2, sharey=True, width_ratios=[3, 1])
    centres = standings.ratings[places]
    halves = np.nan_to_num((standings.ratings_ci95[places, 1] - standings.ratings_ci95[places, 0]) / 2.0)
    ratings.errorbar(centres, rows, xerr=halves, fmt="o", color=COLOURS[0], capsize=3, markersize=5)
    for row, centre in zip(rows, centres, strict=True):
        ratings.annotate(
            number(centre, "+.0f"), (centre, row), (0, 6), textcoords="offset points", ha="center", fontsize=7
        )
    ratings.set_yticks(rows, names)
    ratings.set_ylim(len(places) - 0.4, -0.8)
    ratings.set_xlabel("rating, Elo points above the mean [95 %]")
    ratings.grid(axis="x", alpha=0.3)
    ratings.set_title(standings.env)
    shares.barh(rows, 100 * standings.nash[places], color=COLOURS[2], hatch="//", edgecolor="white")
    shares.set_xlabel("share at equilibrium, %")
    shares.set_xlim(0, 100)
    return figure
