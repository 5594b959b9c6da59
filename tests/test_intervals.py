"""Intervals: textbook values, a direct formula, and coverage by simulation."""

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import t

from cardgym.arena.tournament.standings import bradley_terry
from cardgym.cli import main
from cardgym.console.tables import with_interval
from cardgym.experiments.exploit import search
from cardgym.statistics import Moments, interquartile_mean, mean_estimate, mean_of_sums, rough, student
from paired_games import FILE, MATCHES, SIZES, coverage


def moments_of(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> Moments:
    moments = Moments(2)
    for chunk in np.array_split(np.column_stack([part, whole]).astype(float), 3):
        moments.add(chunk)
    return moments


def test_mean_has_the_textbook_interval() -> None:
    values = np.array([3.0, 5.0, 8.0, 1.0, -2.0, 4.0, 9.0])
    mean, (low, high) = moments_of(values, np.ones(7)).mean(np.array([1.0, 0.0]))
    half = 2.446912 * values.std(ddof=1) / np.sqrt(7)  # Student's quantile with 6 degrees of freedom.
    assert mean == pytest.approx(values.mean())
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), rel=1e-6)
    assert mean_estimate(values).interval == pytest.approx((low, high), rel=1e-6)


def test_no_win_in_ten_games_has_wilsons_interval_with_students_quantile() -> None:
    # Wilson (1927): 0 of 10 gives 0 .. t^2 / (10 + t^2); t = 2.262157 with 9 degrees of freedom.
    share, interval = moments_of(np.zeros(10), np.ones(10)).share(0, 1)
    assert share == 0.0
    assert interval == pytest.approx((0.0, 0.33851), abs=1e-5)
    share, interval = moments_of(np.ones(10), np.ones(10)).share(0, 1)
    assert share == 1.0
    assert interval == pytest.approx((1 - 0.33851, 1.0), abs=1e-5)


def test_one_game_a_deal_gives_about_the_binomial_interval() -> None:
    scores = np.repeat([1.0, 0.0], [300, 700])
    _, (low, high) = moments_of(scores, np.ones(1000)).share(0, 1)
    assert (low, high) == pytest.approx((0.2724, 0.3291), abs=2e-4)  # Wilson for 300 of 1000.


def test_equal_shares_in_all_deals_leave_room_for_deals_not_seen() -> None:
    share, (low, high) = moments_of(np.full(50, 3.0), np.full(50, 9.0)).share(0, 1)
    unseen = 2.009575**2 / (50 + 2.009575**2)  # The share of deals of which none may be among 50.
    assert share == pytest.approx(1 / 3)
    assert (low, high) == pytest.approx((1 / 3 - unseen / 3, 1 / 3 + unseen * 2 / 3))


def test_payments_whose_squares_are_zero_have_an_interval() -> None:
    moments = Moments(1)
    moments.add(np.full((3, 1), 1e-300), np.array([1e-300]))
    mean, interval = moments.mean(np.ones(1))
    assert interval == (mean, mean)


def test_mean_has_students_interval() -> None:
    estimate = mean_estimate([1.0, 2.0, 3.0])
    assert estimate.value == 2.0
    assert estimate.interval == pytest.approx((2 - 4.302653 / 3**0.5, 2 + 4.302653 / 3**0.5))
    assert mean_estimate([0.1, 0.9], 0.0, 1.0).interval == (0.0, 1.0)
    assert not mean_estimate([1.0]).known


def test_interval_of_few_deals_stays_within_what_a_game_pays() -> None:
    assert mean_of_sums(3, 2.0, 12.0, 2.0).interval == (-2.0, 2.0)  # 2, 2 and -2: Student's would be -5.1 to 6.4.


def test_interquartile_mean_leaves_out_the_outer_quarters() -> None:
    assert interquartile_mean([[0.0, 1.0, 2.0, 100.0]]).value == 1.5
    assert interquartile_mean([[0.0, 2.0], [1.0, 100.0]]).value == 1.5


def test_bootstrap_draws_within_each_opponent() -> None:
    """Two opponents far apart whose runs all agree: runs drawn across opponents would have a spread."""
    assert interquartile_mean([[0.0, 0.0], [1.0, 1.0]]).interval == (0.5, 0.5)
    generator = np.random.default_rng(1)
    draws = [interquartile_mean(generator.normal([[0], [5]], 1, (2, 10)).tolist()) for _ in range(60)]
    covered = sum(low <= 2.5 <= high for low, high in (draw.interval for draw in draws))
    assert 50 <= covered <= 60


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("values", [[], [0.0], [1.0], [0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 1.0], [-3.0, 3.0]])
def test_few_and_equal_games_have_a_figure_or_none_and_no_error(values: list[float]) -> None:
    games = np.array(values)
    moments = moments_of(games, np.ones(len(games)))
    estimates = [
        mean_estimate(games),
        interquartile_mean([values, values]),
        moments.mean(np.array([1.0, 0.0])),
    ]
    for estimate in estimates:
        assert np.isnan(estimate.value) == (not values)
        assert not values or estimate.value == pytest.approx(games.mean())
        assert estimate.known == (len(values) > 1)
    share = moments.share(0, 1)
    assert np.isnan(share.value) == (not values)
    assert share.known == (len(values) > 1 and 0.0 <= games.mean() <= 1.0)
    for estimate in (*estimates, share):
        text = with_interval(estimate.value, estimate.interval, ".2f", percent=True)
        assert "nan" not in text + (estimate.text() if values else "")
        assert text
        assert (text == "-") == (not values)


@pytest.mark.filterwarnings("error")
def test_ratings_without_a_win_or_a_loss_are_numbers() -> None:
    assert bradley_terry(np.zeros((3, 2, 2))).tolist() == [[0.0, 0.0]] * 3
    assert bradley_terry(np.zeros((1, 1))).tolist() == [0.0]
    winner, loser = bradley_terry(np.array([[0.0, 2.0], [0.0, 0.0]]))
    assert winner == -loser > 100.0


def test_students_quantile_is_scipys() -> None:
    counts = np.array([*range(2, 100), 500, 10_000])
    assert [student(count) for count in counts] == pytest.approx(t.ppf(0.975, counts - 1), abs=1e-5)
    assert np.isnan(student(1))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("match", MATCHES)
def test_intervals_of_matches_cover_95_percent(match: str, size: int) -> None:
    """In 1,000 matches drawn from games played. Few deals have few outcomes: then intervals err on the wide side."""
    with np.load(FILE) as games:
        played = games[match]
    shares = played[:, :, 1].sum(axis=1) * 2 == played[:, :, 0].sum(axis=1)
    mean, share = coverage(played, size)
    most = 0.97 if size >= 50 else 1.0
    error = 0.007  # The standard error of 1,000 draws.
    assert 0.93 <= mean <= most + error
    assert 0.93 <= share <= (1.0 if shares.all() else most + error)  # Each player may win one game of every deal.


def test_reports_say_that_few_deals_are_few() -> None:
    assert [rough(deals) for deals in (0, 10, 5000)] == ["", "", ""]
    assert rough(1) == "only 1 deal: too few for intervals"
    assert rough(9) == "only 9 deals: intervals of fewer than 10 deals are rough"


@pytest.mark.parametrize(
    "words",
    [
        "evaluate KuhnPoker-v0 --players honest random",
        "tournament KuhnPoker-v0 --players honest random",
        "exploit KuhnPoker-v0 --player honest --budget 0 --search 0 --minutes 0 --without equilibrium",
    ],
)
def test_every_report_of_few_deals_says_so(
    words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(search, "tree_exploitability", lambda *_: None)
    monkeypatch.setattr("cardgym.cli.tournament.open_engine", lambda _: contextlib.nullcontext())  # In this process.
    for games, remark in ((18, "only 9 deals: intervals of fewer than 10 deals are rough"), (20, "")):
        assert main([*words.split(), "--games", str(games)]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert remark in shown
        assert ("rough" in shown) == bool(remark)
