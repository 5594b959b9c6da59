"""What the coach of cribbage says that tosses and cards are worth."""

from __future__ import annotations

import numpy as np
import pytest
from cribbage_driver import CribbageDriver, compiled_only

from cardgym import find
from cardgym.games.cribbage.cards import parse_cards
from cardgym.games.cribbage.pegging.player import make_player
from cardgym.games.cribbage.state import CribbageOptions
from cardgym.table.coach import Coach

pytestmark = compiled_only


@pytest.fixture(scope="module")
def coach():
    game = find("Cribbage-v0")
    return Coach(game, game.parse_options())


def at_lead(scores=(0, 0)):
    """Seat 0, the pone, holds 5H JC QC KC after the starter 2D; seat 1 deals."""
    driver = CribbageDriver()
    driver.cut(1)
    driver.state.scores[:] = scores
    driver.deal_and_toss(["5H JC QC KC", "3D 6C 8C TC"], ["8S 2H", "9H AC"])
    driver.draw("2D")
    return driver


def test_five_is_a_bad_lead(coach):
    advice = coach.advise(at_lead().state, 0)
    assert (advice.kind, advice.unit) == ("play", "points")
    worst = advice.actions[-1]
    assert worst.action == parse_cards("5H")[0]
    assert advice.cost(worst.action) > 0
    assert "scores nothing" in worst.reason
    assert "% of games" in worst.reason


def test_every_card_that_fits_has_a_value(coach):
    driver = at_lead()
    for card in ("KC", "TC"):
        driver.apply_action(parse_cards(card)[0])
    seat = driver.current_player
    advice = coach.advise(driver.state, seat)
    assert {one.action for one in advice.actions} == set(driver.legal_actions())
    values = [one.value for one in advice.actions]
    assert values == sorted(values, reverse=True)


def test_near_the_target_values_are_games_won(coach):
    driver = at_lead((119, 100))
    advice = coach.advise(driver.state, 0)
    assert (advice.kind, advice.unit) == ("late play", "% of games")
    assert all(0 <= one.value <= 100 for one in advice.actions)
    assert advice.best.value > 80  # Two points are in the hand, and the pone counts first.


@pytest.mark.parametrize(("scores", "unit"), [((0, 0), "points"), ((110, 100), "% of games")])
def test_best_toss_is_that_of_equilibrium(coach, scores, unit):
    player = make_player(CribbageOptions())
    rng = np.random.default_rng(4)
    for _ in range(5):
        driver = CribbageDriver()
        driver.cut(1)
        driver.state.scores[:] = scores
        while driver.num_chance_outcomes:
            driver.apply_action(int(rng.integers(driver.num_chance_outcomes)))
        seat = driver.current_player
        advice = coach.advise(driver.state, seat)
        assert advice.unit == unit
        seen, mask = driver.observe(seat, "plain")[None], driver.legal_action_mask()[None]
        assert advice.best.action == player.act(seen, mask)[0]
        assert len(advice.actions) == 15
