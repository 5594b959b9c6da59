"""The chance to win at cribbage by score, dealer and phase."""

import numpy as np
from cribbage_driver import compiled_only, parse_cards

from cardgym.engine.compilation import compiled
from cardgym.games.cribbage.chance_table import is_near, load_table, save_table, toss_chances
from cardgym.papers.cribbage.updates import work_back
from cribbage_chances import chance_table, no_table

pytestmark = compiled_only


def by_hand(points, holes=12):
    """The chances with these deals and so few holes."""
    found = np.zeros((5, holes + 1, holes + 1))
    work_back(np.array(points, np.int8), np.array([0, 1, 9, 10, 11]), found)
    return found


def test_chances_follow_from_the_deals():
    # Every deal the pone pegs 1 and the dealer 1, in this order; then the sides are exchanged.
    found = by_hand([[0, 1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0]])
    assert found[0, 1, 1] == 1.0  # The pone is first.
    assert found[0, 2, 1] == 0.0
    assert found[0, 2, 2] == 0.0  # After one deal it is the dealer, and needs 1 as the other does.
    assert found[2, 1, 1] == 0.0  # In the show nobody scores, and in the next deal the old dealer leads.


def test_heels_come_before_the_play():
    found = by_hand([[-2, 1, 0, 0, 0, 0, 0, 0, 0, 4, -4, 0], [0, 1, 0, 0, 0, 0, 0, 0, 0, 4, -4, 0]])
    assert found[0, 1, 2] == 0.5
    assert found[1, 1, 2] == 1.0


def test_table_round_trips_through_its_file(tmp_path):
    points = np.array([[0, 1, -1, 0, 0, 0, 0, 0, 0, 8, -8, -5], [-2, 2, -1, 0, 0, 0, 0, 0, 0, 4, -4, -3]], np.int8)
    tossed = np.full((2, 169), 1 / 169)
    table = chance_table(np.linspace(0, 1, 5 * 122 * 122).reshape(5, 122, 122), points, tossed)
    save_table(tmp_path / "chances.safetensors", table, deals=2, seed=1)
    again = load_table(tmp_path / "chances.safetensors")
    np.testing.assert_allclose(again.chances, table.chances, atol=1e-5)
    np.testing.assert_array_equal(again.tossed, tossed)
    assert (again.crib, again.play) == (table.crib, table.play) == (4.0, 0.5)
    assert again.before[0].tolist() == [[1, 1, 0.5], [2, 3, 0.5]]  # Of the pone before its hand.
    assert again.before[1].tolist() == [[1, 9, 0.5], [3, 6, 0.5]]  # The dealer's hand comes after the pone's.


def test_shipped_table_gives_the_first_dealer_its_known_advantage():
    table = load_table()
    assert 0.42 < table.chances[0, 121, 121] < 0.45
    for axis, sign in ((1, -1), (2, 1)):  # Who lacks more wins less; the deals are a sample, so nearly so.
        assert (sign * np.diff(table.chances[:, 1:, 1:].astype(float), axis=axis)).min() > -0.03


@compiled
def fill_chances(table, hand, dealer, to_go, opponent_to_go, gains, chances):
    """`toss_chances`, whose code is cached: called by Python, a rule is compiled in every process."""
    toss_chances(table, hand, dealer, to_go, opponent_to_go, gains, chances)


def chances_of(cards, dealer, to_go, opponent_to_go, table=None, gains=None):
    """The chance to win after each toss; the crib and the play are the same for all unless `gains` differ."""
    chances, hand = np.zeros(15, np.float32), np.array(parse_cards(cards), np.int8)
    gains = np.zeros(15, np.float32) if gains is None else gains
    fill_chances(table or load_table(), hand, dealer, to_go, opponent_to_go, gains, chances)
    return chances


def test_pone_that_needs_four_keeps_the_four_that_it_has():
    # Two pairs are 4 points before the cut, whatever comes; no other hand of these cards is sure of them.
    chances = chances_of("2C 2D 4H 4S TD KD", 0, 4, 10)
    assert chances.argmax() == 14  # Toss the ten and the king.
    assert chances[14] > 0.9
    assert (np.delete(chances, 14) < chances[14] - 0.02).all()


def test_more_in_the_crib_helps_its_owner():
    more = np.linspace(-1, 3, 15).astype(np.float32)
    for dealer in (0, 1):
        even = chances_of("2C 4D 7H 9S JD KD", dealer, 20, 20)
        assert (chances_of("2C 4D 7H 9S JD KD", dealer, 20, 20, gains=more)[5:] > even[5:]).all()


def test_points_decide_far_from_the_target():
    near = is_near
    assert not near(load_table(), 121, 121)
    assert not near(load_table(), 46, 100)
    assert near(load_table(), 45, 100)
    assert not near(load_table(), 500, 20)  # The table ends at 121.
    assert not near(no_table(), 10, 10)
