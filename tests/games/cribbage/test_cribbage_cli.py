"""`cardgym advise` and `cardgym cribbage-stats`."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cardgym.cli import main
from cardgym.games.cribbage.advice import GOING_OUT, advise
from cardgym.games.cribbage.cards import card_names, parse_cards
from cardgym.games.cribbage.scoring import score_hand
from cardgym.games.cribbage.statistics_tables import CRIB_CASES, HAND_CUTS

HAND = "5H 5D JC QS 2H 9C"


def test_the_obvious_keep_comes_first_with_its_figures(capsys):
    assert main(["advise", "Cribbage-v0", HAND, "--dealer"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "│" in line]
    assert len(lines) == 15
    assert "5D 5H JC QS" in lines[0]
    assert "2H 9C" in lines[0]
    # Two fives and two tens are 10 at least; the starter 5C gives seven fifteens, pair royal and nobs: 14 + 6 + 1.
    assert "10 12.67 10.5 21" in lines[0]
    assert "best mean hand" in lines[0]


def test_a_dealer_wants_the_crib_rich_and_a_pone_poor():
    cards = parse_cards("5H 5D KC KS 2H 9C")
    for dealer, sign in ((True, 1), (False, -1)):
        ranked = advise(cards, dealer)
        worths = [one.keep.hand_sum / HAND_CUTS + sign * one.keep.crib_sum / CRIB_CASES for one in ranked]
        assert worths == sorted(worths, reverse=True)
        assert worths == pytest.approx([one.worth for one in ranked])
        assert all(one.why for one in ranked)


def test_a_pone_in_need_of_few_points_takes_the_sure_way_out():
    # At 115, with 2 from the play, 4 points in hand are out: two pairs have them before the cut.
    cards = parse_cards("2C 2D 3H 3S KD JD")
    far, near = advise(cards, False, (10, 10)), advise(cards, False, (115, 119))
    assert far[0].out is None
    assert near[0].out == 1.0
    assert near[0].keep.hand_min >= 4
    unsure = [one for one in near if one.keep.hand_min < 4]
    assert all(one.out < 1.0 and one.worth < near[0].worth for one in unsure)
    assert next(one for one in near if card_names(sorted(one.keep.kept)) == "2C 2D 3H 3S").out == 1.0
    assert any("go out" in reason for reason in near[0].why)


@pytest.mark.parametrize(("dealer", "pegged"), [(True, 3), (False, 2)])
def test_the_chance_to_go_out_is_that_over_all_cuts(dealer, pegged):
    cards = parse_cards("2C 2D 3H 3S KD JD")
    plain = {one.keep.toss: one for one in advise(cards, dealer)}
    ranked = advise(cards, dealer, (112, 115))
    for one in ranked:
        cuts = np.array([[*one.keep.kept, cut] for cut in range(52) if cut not in cards])
        need = 121 - 112 - pegged
        assert one.out == sum(score_hand(cut[:4].astype(np.int8), int(cut[4])) >= need for cut in cuts) / len(cuts)
        assert one.worth == pytest.approx(plain[one.keep.toss].worth + GOING_OUT * one.out)
    assert len({one.out for one in ranked}) > 2
    assert [one.worth for one in ranked] == sorted((one.worth for one in ranked), reverse=True)


def test_a_dealer_plays_to_go_out_only_where_the_pone_threatens_to():
    cards = parse_cards("2C 2D 3H 3S KD JD")
    keeps = [one.keep for one in advise(cards, True)]
    # The pone counts first: from 111 on, 2 points of the play and 8 of the hand take it out.
    for scores, matters in (((117, 110), False), ((117, 111), True), ((89, 119), True), ((88, 119), False)):
        ranked = advise(cards, True, scores)
        assert all((one.out is not None) == matters for one in ranked), scores
        if not matters:
            assert [one.keep for one in ranked] == keeps
    # From 117 one point in hand is enough, which the pairs and the runs are sure of; from 109 it takes nine.
    sure, unsure = advise(cards, True, (117, 119)), advise(cards, True, (109, 119))
    assert sure[0].out == 1.0
    assert unsure[0].out == max(one.out for one in unsure) < 1.0
    # The pone counts first, so what the dealer may do does not hold it back.
    assert all(one.out is not None for one in advise(cards, False, (117, 10)))


def test_a_dealer_in_need_keeps_what_it_would_else_give_to_its_crib():
    # Seven and eight are good in the own crib. At 114, with 3 from the play, they and the pair are the 4 points needed.
    cards = parse_cards("2H 2D 7C 8S KC QD")

    def kept(scores):
        return set(advise(cards, True, scores)[0].keep.kept)

    assert kept(None) == kept((114, 100)) == kept((60, 119)) == set(parse_cards("2H 2D KC QD"))
    assert kept((114, 119)) == set(parse_cards("2H 2D 7C 8S"))


def test_a_plot_is_drawn_on_request(tmp_path):
    path = tmp_path / "keep.png"
    assert main(["advise", "Cribbage-v0", HAND, "--pone", "--plot", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert [file.name for file in tmp_path.iterdir()] == ["keep.png"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["5H 5H JC QS 2H 9C", "--pone"], "card 5H is given twice"),
        (["5H 5D JC QS 2H", "--pone"], "5 cards given where 6 are needed"),
        (["5H 5D JC QS 2H 9C AS", "--pone"], "7 cards given where 6 are needed"),
        (["5H 5D JC QS 2H 1C", "--pone"], "unknown card '1C'"),
        ([HAND], "--dealer --pone is required"),
        ([HAND, "--dealer", "--pone"], "not allowed with"),
        ([HAND, "--pone", "--score", "121-3"], "allowed are two scores from 0 to 120"),
        ([HAND, "--pone", "--score", "100"], "write yours, a dash"),
        ([HAND, "--pone", "--score", "ten-3"], "write yours, a dash"),
        ([HAND, "--pone", "--plot", "keep.txt"], "allowed are files ending in"),
    ],
)
def test_bad_input_is_one_line(words, message, capsys):
    assert main(["advise", "Cribbage-v0", *words]) == 2
    streams = capsys.readouterr()
    assert not streams.out
    assert message in streams.err
    assert streams.err.count("\n") == 1


def test_only_cribbage_is_advised(capsys):
    assert main(["advise", "OnePlayPoker-v0", HAND, "--pone"]) == 2
    assert "not OnePlayPoker-v0" in capsys.readouterr().err


def test_the_statistics_are_printed_as_json(monkeypatch, capsys):
    # The counting itself is tested in test_cribbage_statistics.py; it takes seconds.
    monkeypatch.setattr("cardgym.games.cribbage.statistics.totals", lambda progress: {"hands": 20_358_520})
    assert main(["cribbage-stats", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"hands": 20_358_520}
    assert main(["cribbage-stats"]) == 0
    assert "20,358,520" in capsys.readouterr().out
