"""The compiled players, and the tosses that they toss by."""

import json
import runpy
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from cribbage_driver import CribbageDriver, compiled_only

from cardgym.engine.compilation import compiled
from cardgym.games.cribbage import tosses
from cardgym.games.cribbage.cards import RANKS
from cardgym.games.cribbage.scoring import score_hand
from cardgym.games.cribbage.state import PONE_HAND, TOSSES
from cardgym.games.cribbage.tosses import MEAN_CRIB

PUBLISHED = Path(__file__).parent / "published_discards.json"
CRIB_TABLE = Path(__file__).parents[3] / "research" / "cribbage_crib_table.py"


@compiled
def hand_totals(cards, totals):
    tosses.hand_totals(cards, totals, 1.0)


@compiled
def total_over_cuts(cards, kept):
    """The points of four cards kept, summed over the cards that are not among the six."""
    total = 0
    for cut in range(52):
        known = False
        for place in range(6):
            known = known or cards[place] == cut
        if not known:
            total += score_hand(kept, cut)
    return total


def test_mean_hands_are_those_of_all_cuts():
    rng = np.random.default_rng(3)
    totals = np.empty(15, np.float32)
    for trial in range(40):
        cards = rng.choice(16 if trial % 2 else 52, 6, replace=False).astype(np.int8)  # Of 16, flushes are common.
        hand_totals(cards, totals)
        assert totals.tolist() == [total_over_cuts(cards, np.delete(cards, toss)) for toss in TOSSES]


def shipped_crib_means():
    """By side, the pone and the dealer, the 91 means: the lower rank first."""
    low, high = np.triu_indices(13)
    return MEAN_CRIB[:, 13 * low + high]


def test_crib_table_is_close_to_the_published_one():
    published = json.loads(PUBLISHED.read_text())
    names = [a + b for i, a in enumerate(RANKS) for b in RANKS[i:]]
    differences = []
    for ours, side in zip(shipped_crib_means(), ("pone", "dealer"), strict=True):
        difference = ours - np.array([published[side][name] for name in names])
        assert abs(difference.mean()) < 0.1
        differences.append(difference - difference.mean())
    assert np.sqrt(np.mean(np.square(differences))) < 0.06  # Hessel's table, which leaves out flushes.


@compiled_only
@pytest.mark.slow
def test_crib_table_script_prints_tables_like_those_in_use(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["crib_table", "--samples", "200", "--rounds", "2"])
    runpy.run_path(str(CRIB_TABLE), run_name="__main__")
    tables = tomllib.loads(capsys.readouterr().out)
    for side, shipped in zip(("pone", "dealer"), shipped_crib_means(), strict=True):
        means = np.concatenate(tables[side])
        assert len(means) == 91
        assert np.corrcoef(means, shipped)[0, 1] > 0.9


@pytest.fixture
def generator():
    return np.zeros(2, np.uint64)


def driver_at_lead(kept, starter, scores=(0, 0)):
    driver = CribbageDriver()
    driver.cut(0)
    driver.state.scores[:] = scores
    driver.state.tally[:, PONE_HAND] = scores
    driver.deal_and_toss(kept, ("2H 7S", "3H 9S"))
    driver.draw(starter)
    return driver


def test_greedy_plays_the_lowest_card_with_the_most_points(generator):
    driver = driver_at_lead(("5H 8S QD KD", "7C 4C 9D TS"), "KS")
    assert driver.action_text(driver.choose_action("greedy", generator)) == "play 4♣ (count 4)"
    driver.peg("1:7C")
    assert driver.action_text(driver.choose_action("greedy", generator)) == "play 8♠ (count 15)"


def test_expert_does_not_lead_a_five(generator):
    driver = driver_at_lead(("5H 8S QD KD", "5C 4C JD TS"), "KS")
    # After a five the opponent probably has a ten for fifteen; after a four it cannot make fifteen.
    assert driver.action_text(driver.choose_action("expert", generator)) == "play 4♣ (count 4)"


def test_expert_tosses_good_cards_to_its_own_crib_only(generator):
    tosses = []
    mine, theirs = ["2H", "2S", "6D", "8C", "QH", "KS"], ["AC", "AD", "3C", "3D", "9D", "TD"]
    for dealer in range(2):
        driver = CribbageDriver()
        driver.cut(dealer)
        driver.deal_cards((mine, theirs))
        tosses.append(driver.action_text(driver.choose_action("expert", generator)))
    assert tosses == ["discard 6♦ 8♣, keep 2♥ 2♠ Q♥ K♠", "discard Q♥ K♠, keep 2♥ 2♠ 6♦ 8♣"]


def test_expert_takes_the_points_that_win(generator):
    driver = driver_at_lead(("5H 8S QD KD", "AC 4D 9D TS"), "AS", scores=(0, 119))
    driver.peg("1:AC 0:KD")
    assert driver.action_text(driver.choose_action("expert", generator)) == "play 4♦ (count 15)"
