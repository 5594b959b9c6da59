"""A chart of the optimal policy of One Play Poker, to read and to play by. It needs matplotlib."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cardgym.console.plots import new_figure, save_png
from cardgym.engine.contract import Options
from cardgym.games.one_play_poker.adviser import pot_share
from cardgym.games.one_play_poker.game import GAME
from cardgym.games.one_play_poker.rules import BET, EMPTY, NUM_RANKS, NUM_SUITS, is_flush
from cardgym.games.one_play_poker.text import RANKS
from cardgym.solvers.optimum import GAMMA, solver

# Blue and orange of the Okabe-Ito palette, which color-blind readers can tell apart; the cells say it in words too.
_BET, _PASS, _EITHER, _IMPOSSIBLE = "#56B4E9", "#F0C987", "#FFFFFF", "#DDDDDD"


@dataclass
class Cell:
    """One cell of the chart: the states of the same ranks, whose cards match in suit or not.

    Attributes:
        shares: their expected shares of the pot, between 0 and 1.
        bets: whether the best action is to bet; None where both are equally good.
        discounted_bets: the same for the paper's gamma.
    """

    shares: set[float] = field(default_factory=set)
    bets: set[bool | None] = field(default_factory=set)
    discounted_bets: set[bool | None] = field(default_factory=set)

    @property
    def words(self) -> str:
        """What to do, in a word or two."""
        if len(self.bets) > 1:
            return "by suits"
        return {None: "either", True: "bet", False: "don't"}[next(iter(self.bets))]

    @property
    def share_text(self) -> str:
        """The share as a percentage, or the lowest and the highest where it depends on the suits."""
        low, high = (round(100 * extreme(self.shares)) for extreme in (min, max))
        return f"{low} %" if low == high else f"{low}-{high} %"


def chart_cells(options: Options) -> dict[int, dict[tuple[str, str], Cell]]:
    """Return the optimal policy by cards out (1, 2, 3) and by (own, house): `AK same suit`, `K`.

    With two cards out the house's key says whether its card is of the own suit. Bets made are left out: a bet wins or
    loses the same whatever is in the pot already.
    """
    known = solver(GAME, options)
    best, paper = known.solve(1), known.solve(GAMMA)
    cells: dict[int, dict[tuple[str, str], Cell]] = {1: {}, 2: {}, 3: {}}
    for state in range(known.tree.num_info_sets):
        record = known.tree.set_states[state]
        dealt = int(record.dealt)
        if dealt > 3:
            continue
        own = [int(card) for card in record.player if card != EMPTY]
        house = [int(card) for card in record.house if card != EMPTY]
        cell = cells[dealt].setdefault(_key(own, house), Cell())
        cell.shares.add(float(pot_share(record)))
        cell.bets.add(_bets(best.optimal[state]))
        cell.discounted_bets.add(_bets(paper.optimal[state]))
    return cells


def _bets(optimal: Any) -> bool | None:
    return None if optimal.all() else bool(optimal[BET])


def _key(own: list[int], house: list[int]) -> tuple[str, str]:
    mine = "".join(RANKS[card // NUM_SUITS] for card in reversed(own))
    other = "".join(RANKS[card // NUM_SUITS] for card in house)
    if len(own) == 2 and mine[0] != mine[1]:
        mine += " flush" if is_flush(*own) else ""
    elif len(own) == 1 and house:
        other += " same suit" if is_flush(own[0], house[0]) else ""
    return mine, other


def draw_chart(path: Path, options: Options) -> None:
    """Draw the optimal policy as a PNG file: bet or not by own and house cards, after one, two and three cards.

    Raises:
        CardgymError: where matplotlib is not installed, or the file cannot be written.
    """
    cells = chart_cells(options)
    ranks = list(reversed(RANKS))
    hands = [f"{r}{r}" for r in ranks]
    unequal = [f"{high}{low}" for place, high in enumerate(ranks) for low in ranks[place + 1 :]]
    rows = [*(f"{hand} flush" for hand in unequal), *hands, *unequal]
    if options.asdict()["ranking"] == "pair_first":
        rows = [*hands, *(f"{hand} flush" for hand in unequal), *unequal]
    figure: Any = new_figure(13, 8.6)
    left, right = figure.subfigures(1, 2, width_ratios=(1.45, 1))
    top, bottom = left.subfigures(2, 1, height_ratios=(1, 2.4))
    _panel(top.subplots(), cells[1], [""], ranks, "After your first card", "", transposed=True)
    columns = [*ranks, *(f"{rank} same suit" for rank in ranks)]
    _panel(bottom.subplots(), cells[2], ranks, columns, "After the house's card", "the house's card")
    _panel(right.subplots(), cells[3], rows, ranks, "After your second card", "the house's card")
    played = ", ".join(f"{name}={value}" for name, value in options.asdict().items())
    figure.suptitle(
        f"One Play Poker ({played}), played optimally: bet (blue) where your share of the pot is above one half\n"
        "number: expected share of the pot, 2 numbers: it depends on the suits; ring: gamma 0.9 does not bet here; "
        "gray: cannot happen",
        fontsize=11,
    )
    save_png(figure, path, dpi=110)


def _panel(
    axes: Any, cells: dict[tuple[str, str], Cell], rows: list[str], columns: list[str], title: str, column_title: str,
    transposed: bool = False,
) -> None:  # fmt: skip
    from matplotlib.patches import Rectangle

    for y, row in enumerate(rows):
        for x, column in enumerate(columns):
            cell = cells.get((column, row) if transposed else (row, column))
            if cell is None:
                axes.add_patch(Rectangle((x, y), 1, 1, facecolor=_IMPOSSIBLE, edgecolor="white"))
                continue
            bet = next(iter(cell.bets)) if len(cell.bets) == 1 else None
            color = _EITHER if bet is None else _BET if bet else _PASS
            axes.add_patch(Rectangle((x, y), 1, 1, facecolor=color, edgecolor="white"))
            axes.text(x + 0.5, y + 0.5, f"{cell.words}\n{cell.share_text}", ha="center", va="center", fontsize=8)
            if bet and True not in cell.discounted_bets:
                axes.plot(x + 0.9, y + 0.25, "o", markersize=9, markerfacecolor="none", markeredgecolor="black")
    axes.set_xlim(0, len(columns))
    axes.set_ylim(len(rows), 0)
    axes.set_xticks(np.arange(len(columns)) + 0.5, [name.replace(" same suit", "\nsame suit") for name in columns])
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    axes.tick_params(length=0, labelsize=9)
    axes.set_title(title, fontsize=11)
    axes.set_xlabel("your card" if transposed else column_title)
    axes.set_ylabel("" if transposed else "your card" if len(rows) == NUM_RANKS else "your cards")
    for spine in axes.spines.values():
        spine.set_visible(False)
