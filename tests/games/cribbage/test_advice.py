"""The coach of cribbage: how it values discards and cards, and why."""

import re

import numpy as np
import pytest
from cribbage_driver import CribbageDriver, compiled_only, parse_cards

from cardgym import find
from cardgym.games.cribbage.advice import POINTS
from cardgym.games.cribbage.pegging.champion import make_player
from cardgym.table.coach.advice import GAMES
from cardgym.table.coach.coach import Coach

pytestmark = compiled_only


def advised(cards, dealer, scores=(0, 0), game_id="Cribbage-v0"):
    """The advice to a seat that is to discard, by its six cards; scores are its own and the other's."""
    driver, held = CribbageDriver(find(game_id)), parse_cards(cards)
    driver.cut(1)
    seat = int(dealer)
    driver.state.scores[seat], driver.state.scores[1 - seat] = scores
    others = [card for card in range(52) if card not in held][:6]
    driver.deal_cards((others, held) if dealer else (held, others))
    if driver.current_player != seat:
        driver.apply_action(52)
    return Coach(driver.game, driver.options).advise(driver.state, seat)


def test_best_keep_comes_first_with_its_statistics():
    advice = advised("5H 5D JC QS 2H 9C", True)
    assert len(advice.actions) == 15
    values = [one.value for one in advice.actions]
    assert values == sorted(values, reverse=True)
    assert advice.best.text.startswith("discard 2♥ 9♣")
    # Two fives and two tens are at least 10; the starter 5C makes seven fifteens, pair royal and nobs: 14 + 6 + 1.
    assert advice.best.reason.endswith("; the hand has 10 to 21, 12.67 on average")
    assert "more of all games than the next best: hand +" in advice.best.reason


def test_coach_and_champion_agree_on_tosses():
    rng = np.random.default_rng(8)
    driver = CribbageDriver()
    player = make_player(driver.options)
    for trial in range(60):
        driver.setup()
        driver.cut(trial % 2)
        driver.state.scores[:] = rng.integers(0, 121, 2) if trial % 3 else rng.integers(0, 60, 2)
        cards = rng.permutation(52)[:12].tolist()
        driver.deal_cards((cards[:6], cards[6:]))
        advice = Coach(driver.game, driver.options).advise(driver.state, driver.current_player)
        assert advice.best.action == chosen_by(player, driver), trial


def test_coach_and_champion_agree_near_the_target_and_late_in_the_play():
    # Elsewhere `champion` saves the time of a search for its first two cards.
    rng = np.random.default_rng(3)
    driver = CribbageDriver()
    player, advise = make_player(driver.options), Coach(driver.game, driver.options).advise
    compared = 0
    while not driver.over:
        if driver.num_chance_outcomes:
            driver.apply_action(int(rng.integers(driver.num_chance_outcomes)))
            continue
        action = chosen_by(player, driver)
        if len(driver.legal_actions()) > 1:
            advice = advise(driver.state, driver.current_player)
            assert {one.action for one in advice.actions} == set(driver.legal_actions())
            assert advice.unit == GAMES
            if action >= 52 or driver.state.scores.max() >= 76 or driver.state.num_played >= 2:
                compared += 1
                assert advice.of(action).value == advice.best.value
        driver.apply_action(action)
    assert compared > 20


def chosen_by(player, driver):
    seen = driver.observe(driver.current_player, player.observation_name)
    return int(player.act(seen[None], driver.legal_action_mask()[None])[0])


def test_reasons_of_a_single_deal_add_up_to_what_a_toss_gains():
    # In points, and far from the target: there the chance to win is roughly linear in points.
    for text in ("2S 6D 7C JD JS QD", "5H 5D KC KS 2H 9C", "AC 4D 4H 8S 9D KD"):
        for dealer, sign in ((True, 1), (False, -1)):
            tosses = advised(text, dealer, game_id="CribbageDeal-v0").actions
            values = [one.value for one in tosses]
            assert values == sorted(values, reverse=True)
            for place, one in enumerate(tosses):
                against = tosses[0] if place else tosses[1]
                parts = {"hand": 0.0, "crib": 0.0, "play": 0.0} | {
                    name: float(points) for name, points in re.findall(r"(hand|crib|play) ([+-][0-9.]+)", one.reason)
                }
                gain = parts["hand"] + sign * parts["crib"] + parts["play"]
                changed = sum(map(abs, parts.values()))
                assert gain == pytest.approx(one.value - against.value, abs=0.1 + 0.15 * changed), one.reason
                assert re.match("[0-9.]+ points (more than the next best|less than the best): ", one.reason)


def at_lead(scores=(0, 0), **options):
    """Seat 0, the pone, holds 5H JC QC KC after the starter 2D; seat 1 deals."""
    driver = CribbageDriver(**options)
    driver.cut(1)
    driver.state.scores[:] = scores
    driver.deal_and_toss(["5H JC QC KC", "3D 6C 8C TC"], ["8S 2H", "9H AC"])
    driver.draw("2D")
    return driver


def test_five_is_a_bad_lead():
    for options, unit in (({}, GAMES), ({"deals": 1}, POINTS), ({"target": 200}, POINTS)):
        driver = at_lead(**options)
        advice = Coach(driver.game, driver.options).advise(driver.state, 0)
        assert (advice.kind, advice.unit) == ("play", unit)
        worst = advice.actions[-1]
        assert worst.action == parse_cards("5H")[0]
        assert 0.5 < advice.cost(worst.action) < 6.0
        margin = r"wins [0-9.]+ percentage points fewer of all games" if unit == GAMES else r"[0-9.]+ points less"
        # Fifteen with 13 cards of ten points, a pair with the three other fives; 45 are not in sight.
        answers = "scores nothing; 16 of 45 unseen cards score in answer"
        assert re.fullmatch(f"{margin} than the best: {answers}", worst.reason)


def test_reason_names_the_points_of_a_card():
    driver = at_lead()
    driver.peg("0:5H")
    advice = Coach(driver.game, driver.options).advise(driver.state, 1)
    assert advice.of(parse_cards("TC")[0]).reason.endswith(
        "scores 2 (fifteen two); 3 of 44 unseen cards score in answer"
    )
    assert advice.of(parse_cards("8C")[0]).reason.endswith("scores nothing; 6 of 44 unseen cards score in answer")
