"""Lines played by hand: the cut, the play, the show, and games that end inside each of them."""

import pytest
from cribbage_driver import CribbageDriver

from cardgym.errors import CardgymError
from cardgym.games.cribbage.game import GAME
from cardgym.games.cribbage.state import CRIB, DEALER_HAND, NUM_TOSSES, OVER, PONE_HAND

DULL_TOSSES = ("2H 7S", "3H 9S")
"""Tosses that score nothing together."""


def driver_at_play(kept0, kept1, starter="KS", tossed=DULL_TOSSES, dealer=0, scores=(0, 0), **options):
    """A game at the lead, where the seats have kept these cards and have these scores."""
    driver = CribbageDriver(**options)
    driver.cut(dealer)
    driver.state.scores[:] = scores
    driver.state.tally[:, PONE_HAND] = scores
    driver.deal_and_toss((kept0, kept1), tossed)
    driver.draw(starter)
    return driver


# -- the cut and the deal ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "second", "dealer"), [("AC", "2C", 0), ("KC", "QS", 1), ("TD", "JC", 0)])
def test_lower_cut_deals(first, second, dealer):
    driver = CribbageDriver()
    driver.draw(first, second)
    assert driver.state.dealer == dealer
    assert driver.num_chance_outcomes == 52


def test_equal_ranks_cut_again_from_the_whole_pack():
    driver = CribbageDriver()
    driver.draw("8C")
    assert driver.num_chance_outcomes == 51
    driver.draw("8D")
    assert driver.state.dealer == -1
    assert driver.num_chance_outcomes == 52
    driver.draw("8C", "7D")
    assert driver.state.dealer == 1


def test_any_two_of_the_six_sorted_cards_may_be_tossed():
    driver = CribbageDriver()
    driver.cut(1)
    driver.draw("KS", "2C", "AD", "2D", "TH", "3C", "5S", "4C", "AC", "6D", "5H", "7C")
    assert driver.legal_actions() == list(range(52, 52 + NUM_TOSSES))
    texts = [driver.action_text(action) for action in driver.legal_actions()]
    assert texts[0] == "discard A♣ A♦, keep 5♥ 5♠ 10♥ K♠"
    assert texts[-1] == "discard 10♥ K♠, keep A♣ A♦ 5♥ 5♠"
    assert len(set(texts)) == NUM_TOSSES


# -- the end ----------------------------------------------------------------------------------------------------------


def test_heels_end_the_game():
    driver = driver_at_play("AH 3S 5D 8C", "AD 4C 6S TD", "JS", scores=(119, 120))
    assert driver.over
    assert driver.scores == [121, 120]
    assert driver.state.paid.tolist() == [1.0, -1.0]


def test_pegging_ends_the_game_at_once():
    driver = driver_at_play("8H 3S 5D 8C", "8D 4C 6S TD", scores=(119, 120))
    driver.peg("1:8D 0:8H")
    assert driver.over
    assert driver.scores == [121, 120]
    assert driver.state.num_played == 2


def driver_after_show(scores):
    """A deal played to its end: each player pegs 1; the pone (seat 1) shows 21, the dealer 4, and 2 in the crib."""
    driver = driver_at_play("2C 2D KH 9S", "5D 5S TD JC", "5C", ("2H 9D", "3H 9C"), scores=scores)
    assert driver.peg("1:TD 0:KH 1:JC 0:9S 1:5D 0:2C 1:5S") == [0, 0, 1, 0, 0, 0, 0]
    driver.peg("0:2D")
    return driver


def test_show_counts_both_hands_and_the_crib():
    driver = driver_after_show((0, 0))
    # 5 5 5 T J: six fifteens of two cards and one of three, pair royal, nobs. 2 2 K 9 with 5: a pair, and fifteen two.
    assert driver.scores == [1 + 4 + 2, 1 + 14 + 6 + 1]
    assert not driver.over


@pytest.mark.parametrize(
    ("scores", "final", "dealer_counted"),
    [
        ((116, 99), [117, 121], [0, 0]),  # Both could go out; the pone counts first.
        ((116, 98), [121, 120], [4, 0]),  # The dealer goes out with the hand ...
        ((114, 98), [121, 120], [4, 2]),  # ... or with the crib.
    ],
)
def test_show_ends_the_game(scores, final, dealer_counted):
    driver = driver_after_show(scores)
    assert driver.over
    assert driver.scores == final
    assert driver.state.tally[0, [DEALER_HAND, CRIB]].tolist() == dealer_counted
    winner = final.index(121)
    assert [driver.score(seat) for seat in range(2)] == [winner == 0, winner == 1]
    assert driver.state.paid.tolist() == ([1.0, -1.0] if winner == 0 else [-1.0, 1.0])


# -- options ----------------------------------------------------------------------------------------------------------


def test_level_scores_are_half_a_win_each():
    driver = CribbageDriver(deals=1)
    driver.cut(0)
    driver.state.phase = OVER
    assert [driver.score(seat) for seat in range(2)] == [0.5, 0.5]


@pytest.mark.parametrize(
    ("other", "target", "games"),
    [(91, 121, 1), (90, 121, 2), (61, 121, 2), (60, 121, 4), (0, 62, 4), (0, 61, 1), (19, 50, 1)],
)
def test_skunks_are_paid_as_games(other, target, games):
    """A pair takes the pone out."""
    driver = driver_at_play("KH QS 5D AC", "KD JS 4C 9D", reward="games", target=target, scores=(other, target - 2))
    assert (driver.forfeit(0), driver.over) == (-games, False)
    driver.peg("1:4C 0:KH 1:KD")
    assert driver.state.paid.tolist() == [-games, games]


@pytest.mark.parametrize("options", [{"target": 0}, {"target": 1001}, {"deals": -1}, {"reward": "skunk"}, {"targe": 5}])
def test_bad_options_raise(options):
    with pytest.raises(CardgymError):
        GAME.options.parse(options)


def test_forfeit_costs_more_than_any_play():
    driver = driver_at_play("AH 3S 5D 8C", "AD 4C 6S TD", reward="points", scores=(100, 20))
    assert driver.forfeit(0) == -101.0
    assert driver.forfeit(1) == -21.0
    assert CribbageDriver().forfeit(0) == -1.0
