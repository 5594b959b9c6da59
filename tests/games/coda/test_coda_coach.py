"""The coach of Coda: how fits change chances, and whom it knows."""

import numpy as np
import pytest

from cardgym.games.coda.adviser import UNKNOWN, Fit, _drawn_together, _rate, fitted_chances, shipped_fits
from cardgym.games.coda.players import MODELED
from cardgym.statistics import Z95
from cardgym.table.coach.advice import percent
from cardgym.table.web.lobby import opponent_names
from cardgym.testing import StateDriver


def test_a_fit_balances_the_two_posteriors() -> None:
    rng = np.random.default_rng(1)
    exact, weighed = rng.random((2, 5, 8))
    exact[0, 1:] = weighed[0, 1:] = 0.0  # This tile is certain.
    exact[4] = weighed[4] = 0.0  # There is no such place.
    for part in (exact, weighed):
        part[:4] /= part[:4].sum(axis=1, keepdims=True)
    assert fitted_chances(exact, weighed, Fit(), 6) == pytest.approx(weighed)
    assert fitted_chances(exact, weighed, Fit(trust=0.0), 6) == pytest.approx(exact)
    fitted = fitted_chances(exact, weighed, Fit(sharpness=0.8, trust=1.2, jokers=-0.2), 6)
    assert fitted.sum(axis=1) == pytest.approx([1.0, 1.0, 1.0, 1.0, 0.0])
    assert fitted[0, 0] == 1.0
    fewer = fitted_chances(exact, weighed, Fit(jokers=-0.2), 6)
    assert (fewer[1:4, 6:] < weighed[1:4, 6:]).all()
    flatter = fitted_chances(exact, weighed, Fit(sharpness=0.5), 6)
    assert (flatter[1:4].max(axis=1) < weighed[1:4].max(axis=1)).all()


def test_means_that_differ_by_chance_are_drawn_together() -> None:
    rng = np.random.default_rng(2)
    worlds = rng.normal(50.0, 30.0, (400, 1))  # What the same states share separates no actions.
    rows = rng.random((400, 8)) < 0.8
    apart = {"plain": 0.0, "drawn": 0.0, "real": 0.0}
    for _ in range(50):
        noisy = worlds + rng.normal(0.0, 20.0, (400, 8))
        plain = (noisy * rows).sum(axis=0) / rows.sum(axis=0)
        for name, means in (("plain", plain), ("drawn", _drawn_together(noisy, rows))):
            apart[name] += float(means.max() - means.mean()) / 50
        apart["real"] += float(np.ptp(_drawn_together(noisy + 20.0 * (np.arange(8) == 1), rows))) / 50
    assert apart["drawn"] < 0.4 * apart["plain"]
    assert 18.0 < apart["real"] < 22.0
    never = _drawn_together(noisy, rows & (np.arange(8) > 0))
    assert np.isnan(never[0])
    assert np.isfinite(never[1:]).all()


def test_what_a_critic_says_of_certain_hits_is_not_exact() -> None:
    values, right = np.tile([90.0, 60.0, 55.0, 20.0], (400, 1)), np.ones((400, 4), np.bool_)
    expected = np.array([1.0, 1.0, 0.25, 0.0])
    right[:, 2] = np.arange(400) % 4 == 0
    right[:, 3] = False  # The last action is no guess.
    [exact, doubted] = (_rate(values, right, expected, [(1.0, 1.0)], critic).errors for critic in (0.0, 0.1))
    assert exact == pytest.approx(0.0, abs=1e-9)
    first, second, third = (100.0 * share * np.sqrt(p * (1.0 - p)) for share, p in ((1, 0.9), (1, 0.6), (0.25, 0.55)))
    assert doubted == pytest.approx(0.1 * Z95 * np.array([0.0, *np.hypot(first, [second, third, 0.0])]))


def test_a_share_that_rounds_to_none_or_all_is_not_said_to_be_that() -> None:
    words = [percent(share) for share in (0.0, 0.2, 0.6, 99.4, 99.6, 100.0)]
    assert words == ["0 %", "under 1 %", "1 %", "99 %", "over 99 %", "100 %"]
    assert [percent(share, 1) for share in (0.04, 99.96)] == ["under 0.1 %", "over 99.9 %"]


@pytest.mark.parametrize("env", ["Coda-v0", "CodaOfficial-v0"])
def test_every_player_that_people_meet_is_fitted(env: str) -> None:
    driver = StateDriver(env)
    fits = shipped_fits(env)
    assert UNKNOWN in fits
    alone = {*MODELED} if env == "Coda-v0" else {"random-all", "random-unseen"}  # They play themselves, or as `random`.
    assert {*opponent_names(driver.game, driver.options)} - alone <= {*fits}
