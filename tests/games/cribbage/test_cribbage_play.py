"""What holds in every game however it is played, and what seats can know."""

import numpy as np
from cribbage_driver import CribbageDriver
from hypothesis import given, settings
from hypothesis import strategies as st

from cardgym.games.cribbage.game import GAME
from cardgym.games.cribbage.state import games_lost


@given(
    seed=st.integers(0, 2**32),
    target=st.sampled_from([1, 7, 31, 61, 121]),
    deals=st.sampled_from([0, 0, 1, 3]),
    reward=st.sampled_from(["win", "points", "games"]),
)
@settings(max_examples=12, deadline=None)
def test_cards_points_and_rewards_add_up(seed, target, deals, reward):
    driver = CribbageDriver(target=target, deals=deals, reward=reward)
    rng = np.random.default_rng(seed)
    state, returns = driver.state, np.zeros(2)
    while not driver.over:
        before = state.scores.copy()
        move = driver.random_move(rng)
        assert GAME.rules.invariants(state) == (52, 1326, 45526, 0, 0)
        assert (state.scores >= before).all()
        assert max(state.scores) <= target
        assert 0 <= state.count <= 31
        assert move.paid.sum() == 0
        returns += move.paid[:2]
        if driver.num_chance_outcomes == 0 and not driver.over:
            assert driver.legal_actions()
    assert max(state.scores) == target or state.deal_number == deals
    lead = int(state.scores[0] - state.scores[1])
    games = games_lost(target, abs(lead)) if reward == "games" and max(state.scores) == target else 1
    assert returns[0] == (lead if reward == "points" else games * np.sign(lead))
    assert driver.score(0) + driver.score(1) == driver.max_score() == 1


def test_resample_respects_a_go():
    driver = CribbageDriver()
    driver.cut(0)
    driver.deal_and_toss(("TH TS QD KD", "8C 4C 4D 4S"), ("2H 7S", "3H 9S"))
    driver.draw("KS")
    driver.peg("1:8C 0:TH 1:4C")  # The dealer cannot play at 22, so all its cards are worth ten.
    generator = np.array([7, 0], np.uint64)
    hands = set()
    for _ in range(50):
        driver.resample(1, generator)
        hand = driver.state.hand[0, :3].tolist()
        assert min(card % 13 for card in hand) >= 9
        hands.add(tuple(hand))
    assert len(hands) > 25
