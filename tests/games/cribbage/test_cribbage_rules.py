"""Hand-played lines: the cut, the play, the show, and games that end inside each of them."""

from __future__ import annotations

import numpy as np
import pytest
from cribbage_table import Table

from cardgym.errors import CardgymError
from cardgym.games.cribbage.game import DEAL_GAME, GAME

# Hands without pairs, runs or fifteens among them, for tests of the play.
DULL_TOSSES = ("2H 7S", "3H 9S")


def table_with(kept0, kept1, starter="KS", tossed=DULL_TOSSES, dealer=0, scores=(0, 0), **options):
    table = Table(**options)
    table.cut(dealer)
    table.state.scores[:] = scores
    table.state.tally[:, 1] = scores
    table.deal((kept0, kept1), tossed)
    table.draw(starter)
    return table


# -- the cut and the deal ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "second", "dealer"), [("AC", "2C", 0), ("KC", "QS", 1), ("TD", "JC", 0)])
def test_lower_cut_deals(first, second, dealer):
    table = Table()
    table.draw(first)
    table.draw(second)
    assert table.state.dealer == dealer
    assert GAME.rules.num_chance_outcomes(table.state) == 52


def test_equal_ranks_cut_again_from_the_whole_pack():
    table = Table()
    table.draw("8C")
    assert GAME.rules.num_chance_outcomes(table.state) == 51
    table.draw("8D")
    assert table.state.dealer == -1
    assert GAME.rules.num_chance_outcomes(table.state) == 52
    table.draw("8C")
    table.draw("7D")
    assert table.state.dealer == 1


def test_the_deal_passes_to_the_other_player():
    table = table_with("AH 3S 5D 8C", "AD 4C 6S TD", "KS")
    table.play("1:4C 0:3S 1:TD 0:5D 1:AD 0:8C 1:6S 0:AH")
    assert table.state.dealer == 1
    assert table.state.deal_number == 1
    assert GAME.rules.num_chance_outcomes(table.state) == 52
    assert table.state.turn == 0  # The pone is dealt first.


def test_any_two_of_six_sorted_cards_may_be_tossed():
    table = Table()
    table.cut(1)
    for card in ("KS", "2C", "AD", "2D", "TH", "3C", "5S", "4C", "AC", "6D", "5H", "7C"):
        table.draw(card)
    assert table.legal_actions() == set(range(52, 67))
    texts = [GAME.words.action_text(table.state, action) for action in sorted(table.legal_actions())]
    assert texts[0] == "toss AC AD, keep 5H 5S TH KS"
    assert texts[-1] == "toss TH KS, keep AC AD 5H 5S"
    assert len(set(texts)) == 15


# -- the play ---------------------------------------------------------------------------------------------------------


def test_run_in_any_order_grows_and_ends_at_a_repeated_rank():
    table = table_with("6C 3D KH 4S", "4C 5D 7H QS")
    # 4 6 5 is a run of three and fifteen, with 3 a run of four, with 7 of five.
    assert table.play("1:4C 0:6C 1:5D 0:3D 1:7H") == [0, 0, 3 + 2, 4, 5]
    # 6 5 3 7 4 is a run of five; the first 4 keeps it from being one of six. At 29 nobody can go on.
    assert table.play("0:4S") == [5 + 1]


def test_pair_royal_across_a_go():
    table = table_with("TH TS QD KD", "8C 4C 4D 4S")
    # The dealer cannot answer 22: the pone goes on, its fours pair, then make a pair royal; at 30 it takes the go too.
    assert table.play("1:8C 0:TH 1:4C") == [0, 0, 0]
    assert table.state.said_go.tolist() == [1, 0]
    assert table.play("1:4D 1:4S") == [2, 6 + 1]
    assert table.state.count == 0
    assert GAME.rules.current_player(table.state) == 0  # The opponent of who played last leads, and plays on alone.
    assert table.play("0:TS 0:QD 0:KD") == [0, 0, 1]


def test_double_pair_royal():
    table = table_with("7C 7H KD QD", "7D 7S 9C 8C", "KS", ("2H TS", "3H 9S"))
    assert table.play("1:7D 0:7C 1:7S 0:7H") == [0, 2, 6, 12 + 1]  # Count 28; nobody has a card of 3 or less.


def test_nothing_reaches_across_a_restart():
    table = table_with("TH JS QH 8D", "JC JD 9C 8S", "KS", ("2H 7S", "3H 4S"))
    assert table.play("1:JC 0:TH 1:JD") == [0, 0, 1]  # 30 and a go.
    assert table.play("0:JS") == [0]  # The jack before it belongs to another pile.
    assert table.play("1:9C 0:QH") == [0, 1]


def test_thirty_one_scores_two_and_no_more():
    table = table_with("TH QH 5S 9D", "KC AC 4D 8S")
    assert table.play("1:KC 0:TH 1:AC") == [0, 0, 0]
    assert table.playable() == {"QH", "5S", "9D"}
    assert table.play("0:QH") == [2]
    assert table.state.count == 0
    assert GAME.rules.current_player(table.state) == 1


def test_last_card_scores_one():
    table = table_with("2C 3C KH QH", "4C 6C KD QD", "AS", ("5H 7S", "5D 9S"))
    assert table.play("1:KD 0:KH 1:4C 0:2C 0:3C") == [0, 2, 0, 0, 3 + 1]  # 4 2 3, the dealer alone after a go.
    assert table.play("1:QD 0:QH 1:6C") == [0, 2, 1]


def test_thirty_one_with_the_last_card_scores_two_and_no_more():
    table = table_with("KH 6C 5C 4C", "KD JD QD 6D", "AS", ("2H 7S", "3D 8S"))
    assert table.play("1:KD 0:KH 1:JD") == [0, 2, 1]
    assert table.play("0:6C 1:QD 0:5C 1:6D 0:4C") == [0, 0, 0, 0, 3 + 2]


def test_player_without_cards_is_passed_over():
    table = table_with("AC 2D 3H 4S", "TC TD QH QS", "8S", ("6H 9S", "6D 9D"), deals=1)
    assert table.play("1:TC 0:AC 1:QH 0:4S 0:2D 0:3H") == [0, 0, 0, 0, 0, 3 + 1]  # 4 2 3 after two tens: 30.
    assert GAME.rules.current_player(table.state) == 1
    assert table.play("1:TD 1:QS") == [0, 1]


def test_who_can_play_must_and_go_is_no_action():
    table = table_with("AC 2D KH QS", "TC TD QH 9C")
    table.play("1:TC 0:KH 1:9C")
    assert table.playable() == {"AC", "2D"}  # At 29 the dealer has no other choice, and none is to pass.
    assert table.play("0:AC") == [1]  # At 30 neither can go on, and the pone leads anew.
    assert GAME.rules.current_player(table.state) == 1
    assert table.playable() == {"TD", "QH"}


# -- the end ----------------------------------------------------------------------------------------------------------


def test_heels_end_the_game():
    table = table_with("AH 3S 5D 8C", "AD 4C 6S TD", "JS", scores=(119, 120))
    assert table.over()
    assert table.scores() == [121, 120]
    assert table.state.reward.tolist() == [1.0, -1.0]


def test_heels_are_the_dealers():
    table = table_with("AH 3S 5D 8C", "AD 4C 6S TD", "JS", dealer=1)
    assert table.scores() == [0, 2]
    assert table.told == "The starter is JS\nOpponent scores 2: heels for two"


def test_pegging_ends_the_game_at_once():
    table = table_with("8H 3S 5D 8C", "8D 4C 6S TD", scores=(119, 120))
    table.play("1:8D 0:8H")
    assert table.over()
    assert table.scores() == [121, 120]
    assert table.state.num_played == 2


def test_a_go_ends_the_game():
    table = table_with("JS QS KS 9C", "JD QD KD 9H", "5S", scores=(118, 120))
    table.play("1:JD 0:QS 1:KD")
    assert table.over()
    assert table.scores() == [118, 121]


def shown(scores):
    """A deal played out: each player pegs 1; then the pone (seat 1) has 21 to show, the dealer 4 and 2 in the crib."""
    table = table_with("2C 2D KH 9S", "5D 5S TD JC", "5C", ("2H 9D", "3H 9C"), scores=scores)
    assert table.play("1:TD 0:KH 1:JC 0:9S 1:5D 0:2C 1:5S") == [0, 0, 1, 0, 0, 0, 0]
    table.play("0:2D")
    return table


def test_the_show_counts_both_hands_and_the_crib():
    table = shown((0, 0))
    # 5 5 5 T J: six fifteens of two cards and one of three, pair royal, nobs. 2 2 K 9 with 5: a pair, and fifteen two.
    assert table.scores() == [1 + 4 + 2, 1 + 14 + 6 + 1]
    assert not table.over()


@pytest.mark.parametrize(
    ("scores", "final", "dealer_counted"),
    [
        ((116, 99), [117, 121], [0, 0]),  # Both would be out: the pone counts first, and it is over.
        ((116, 98), [121, 120], [4, 0]),  # Then the dealer's hand, before the crib ...
        ((114, 98), [121, 120], [4, 2]),  # ... and at last the crib.
    ],
)
def test_the_show_ends_the_game(scores, final, dealer_counted):
    table = shown(scores)
    assert table.over()
    assert table.scores() == final
    assert table.state.tally[0, 3:5].tolist() == dealer_counted
    winner = final.index(121)
    assert [GAME.rules.score(table.state, seat) for seat in range(2)] == [winner == 0, winner == 1]
    assert table.state.reward.tolist() == ([1.0, -1.0] if winner == 0 else [-1.0, 1.0])


def test_the_peg_stops_in_the_last_hole():
    assert shown((0, 115)).scores() == [1, 121]


# -- options ----------------------------------------------------------------------------------------------------------


def test_one_deal_returns_net_points():
    table = Table(DEAL_GAME)
    table.cut(0)
    table.deal(("2C 2D KH 9S", "5D 5S TD JC"), ("2H 9D", "3H 9C"))
    table.draw("5C")
    total = np.zeros(2)
    for word in ["1:TD", "0:KH", "1:JC", "0:9S", "1:5D", "0:2C", "1:5S", "0:2D"]:
        table.play(word)
        total += table.state.reward
    scores = table.scores()
    assert table.over()
    assert total.tolist() == [scores[0] - scores[1], scores[1] - scores[0]]
    assert total[1] > 0


def test_an_even_deal_is_half_a_win_each():
    table = Table(deals=1)
    table.cut(0)
    table.state.phase = 5
    assert [GAME.rules.score(table.state, seat) for seat in range(2)] == [0.5, 0.5]


@pytest.mark.parametrize("options", [{"target": 0}, {"target": 1001}, {"deals": -1}, {"reward": "skunk"}, {"targe": 5}])
def test_options_out_of_range(options):
    with pytest.raises(CardgymError):
        GAME.options.parse(options)


def test_giving_up_costs_more_than_any_play():
    table = table_with("AH 3S 5D 8C", "AD 4C 6S TD", reward="points", scores=(100, 20))
    assert GAME.rules.forfeit(table.state, 0) == -101.0
    assert GAME.rules.forfeit(table.state, 1) == -21.0
    assert GAME.rules.forfeit(Table().state, 0) == -1.0
