"""The paper on One Play Poker: simulated figures against exact ones, the page, and the chart."""

import re
from pathlib import Path

import numpy as np
import pytest

from cardgym.cli import main
from cardgym.games.one_play_poker.game import GAME
from cardgym.games.one_play_poker.rules import OnePlayPokerOptions
from cardgym.papers.one_play_poker import chart, page
from cardgym.players import resolve
from cardgym.solvers.optimum import GAMMA, solver
from cardgym.statistics import mean_estimate


@pytest.mark.parametrize(
    ("decisions", "ranking"), [(3, "flush_first"), pytest.param(4, "pair_first", marks=pytest.mark.slow)]
)
def test_simulated_means_and_deviations_agree_with_exact_ones(decisions: int, ranking: str) -> None:
    games = 20_000
    rows = page.paper_rows(OnePlayPokerOptions(decisions=decisions, ranking=ranking), games, seed=3)
    for row in rows:
        assert abs(row.rewards.mean() - float(row.exact)) < 4 * row.std / games**0.5
        assert row.rewards.std() == pytest.approx(row.std, rel=0.03)
    difference = rows[3].rewards - rows[1].rewards
    mean = mean_estimate(difference)
    assert mean.half_width < 0.4 * mean_estimate(rows[3].rewards).half_width  # The same deals: differences vary less.
    assert abs(mean.value - float(rows[3].exact - rows[1].exact)) < 2 * mean.half_width


def test_value_iteration_sweeps_as_often_as_cards_are_dealt_and_reaches_the_exact_optimum() -> None:
    known = solver(GAME, OnePlayPokerOptions())
    swept = page.value_iteration(known)
    assert (
        swept.count == len(swept.errors) == 4
    )  # As in the paper: one for each of three decisions, and one in which nothing changes.
    assert known.value(swept.policy, GAMMA).mean == known.solve(GAMMA).value
    assert swept.errors[0] > swept.errors[1] > swept.errors[2] == 0.0


def test_same_seed_gives_the_same_games() -> None:
    options = OnePlayPokerOptions()
    player = [resolve("handcrafted", GAME, options)]
    one, other = (page.simulate(options, player, 200, seed) for seed in (5, 5))
    assert np.array_equal(one, other)
    assert not np.array_equal(one, page.simulate(options, player, 200, 6))


@pytest.mark.slow
def test_reproduce_writes_the_page_and_the_chart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    assert main(["reproduce", "one-play-poker", "--games", "100", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.split() == [str(tmp_path / "results.md"), str(tmp_path / "policy.png")]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policy.png", "results.md"]
    text = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert "(100 games, seed 0)" in text
    assert "| optimal, gamma 1 |" in text
    assert "1949/1365 = 1.4278 |" in text
    assert text.count("Gamma 0.9 costs 19/2730 = 0.0070") == 1
    lines = text.splitlines()
    for claim in ("Value iteration takes four full sweeps", "It is at least as good as the handcrafted policy"):
        (line,) = (line for line in lines if claim in line)
        assert re.findall(r": (holds|fails|open)", line) == ["holds", "fails"]
    assert (tmp_path / "policy.png").read_bytes().startswith(b"\x89PNG")


def test_chart_shows_when_to_bet() -> None:
    cells = chart.chart_cells(OnePlayPokerOptions())
    assert len(cells[1]) == 4
    assert len(cells[2]) == 4 * 4 + 4 * 3  # A card of the same suit is of another rank.
    assert len(cells[3]) == (4 + 6 + 6) * 4
    first_cards = {own: cell.words for (own, _), cell in cells[1].items()}
    assert first_cards == {"J": "don't", "Q": "don't", "K": "bet", "A": "bet"}
    for (own, house), cell in cells[2].items():
        order = "JQKA".index(own) - "JQKA".index(house[0])
        assert cell.words == ("bet" if order > 0 else "don't" if order < 0 else "either")
    assert cells[3]["KK", "A"].words == "bet"
    assert cells[3]["AQ", "K"].words == "don't"
    assert cells[3]["KQ", "A"].share_text == "0 %"
    # The ring: where the paper's gamma does not bet although it pays.
    assert [own for (own, _), cell in cells[1].items() if cell.bets == {True} != cell.discounted_bets] == ["K"]
    assert all(cell.bets == cell.discounted_bets or None in cell.bets for cell in (cells[2] | cells[3]).values())


def test_chart_of_another_ranking_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    chart.draw_chart(tmp_path / "chart.png", OnePlayPokerOptions(ranking="pair_first"))
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
