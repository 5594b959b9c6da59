"""2,000 deals compared with OpenSpiel's cribbage; `soak_cribbage.py` compares more."""

import random

import pytest
from openspiel_cribbage import Tally, compare_game


def test_agrees_with_openspiel_on_2000_deals():
    pyspiel = pytest.importorskip("pyspiel")
    oracle = pyspiel.load_game("cribbage")
    rng, tally = random.Random(20), Tally()
    while tally.deals < 2000:
        compare_game(oracle, rng, tally)
    # The comparison is worth little if these never come up.
    assert tally.crib_flushes > 0
    assert tally.shows_past_the_end > 0
    assert tally.ended_in.keys() >= {"play", "show"}
