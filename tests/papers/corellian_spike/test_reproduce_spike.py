"""`cardgym reproduce corellian-spike` at the smallest scale: every table, figure and verdict is made."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from cardgym.console.progress import Progress
from cardgym.papers.corellian_spike import page
from cardgym.papers.corellian_spike.numbers import mixed
from cardgym.papers.corellian_spike.runs import Scale, Score
from cardgym.papers.corellian_spike.tables import TABLES


@pytest.mark.slow
def test_page_has_every_table_of_the_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, figure = next(iter(page.FIGURES.items()))
    monkeypatch.setattr(page, "FIGURES", {name: figure})
    scale = Scale(seeds=2, iterations=2, training_games=20, games=20, tabular_seeds=2,
                  decisions=1000)  # fmt: skip
    with Progress("page", "tasks") as progress:
        written = page.write_results(tmp_path, scale, progress)
        counts = re.findall(r"(\d+) of (\d+) tasks", str(progress))
    assert [path.name for path in written] == ["results.md", name]
    text = written[0].read_text()
    for number in (2, 3):
        for _, cells in itertools.groupby(TABLES[number], lambda cell: cell.match):
            credits, hands, *busts = cells
            assert f"| {credits.match[1]} | credits | {credits.paper:+.1f} |" in text
            assert f"| {hands.match[1]} | hands, % | {hands.paper} |" in text
            assert f"| busts of the opponent | {busts[-1].paper} |" in text
    for cell in TABLES[4][:3] + TABLES[4][5:14] + TABLES[4][15:17]:
        assert f"| {cell.player * 2 + 2}-player | {cell.measure} | {cell.paper} |" in text
    for words in ("holds", "fails", "open"):
        assert f": {words} |" in text
    assert "nan" not in text
    assert all(path.stat().st_size > 1000 for path in written)
    assert counts == [(counts[0][0],) * 2]


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_mixed_up_players_are_those_of_the_programs_bookkeeping(n: int) -> None:
    """Over all permutations: a policy is credited with what the seat `order[policy]` won."""
    won = [3.0, -1.0, 7.0, 0.5, -2.0][:n]
    credited = np.zeros(n)
    orders = list(itertools.permutations(range(n)))
    for order in orders:
        seats = [won[policy] for policy in order]
        credited += [seats[seat] for seat in order]
    scores = [Score(credits, 0.0, 0.0) for credits in won]
    for player in range(n):
        expected = credited[player] / len(orders)
        assert mixed(scores, lambda score: score.credits, player) == pytest.approx(expected)
