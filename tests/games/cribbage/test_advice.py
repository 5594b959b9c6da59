"""`cardgym advise` and the advice that it prints."""

from __future__ import annotations

import numpy as np
import pytest
from cribbage_driver import CribbageDriver, compiled_only

import cardgym
from cardgym.cli import main
from cardgym.games.cribbage import PACKAGE
from cardgym.games.cribbage.advice import advise
from cardgym.games.cribbage.cards import card_names, parse_cards
from cardgym.games.cribbage.scoring import score_hand
from cardgym.games.cribbage.tosses import PEGGING, WIN

pytestmark = compiled_only

HAND = "5H 5D JC QS 2H 9C"


def test_best_keep_comes_first_with_its_statistics(capsys):
    assert main(["advise", "Cribbage-v0", HAND, "--dealer"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "│" in line and "keep" not in line]
    rows = [line for line in lines if line.split("│")[1].strip()]
    assert len(rows) == 15
    assert "5D 5H JC QS" in rows[0]
    assert "2H 9C" in rows[0]
    # Two fives and two tens are at least 10; the starter 5C makes seven fifteens, pair royal and nobs: 14 + 6 + 1.
    assert "10 12.67 10.5 21" in rows[0]
    assert "best mean hand" in rows[0]


def test_best_keep_is_the_toss_of_expert():
    rng = np.random.default_rng(8)
    generator = np.zeros(2, np.uint64)
    driver = CribbageDriver()
    going_out = 0
    for trial in range(600):
        driver.setup()
        driver.cut(trial % 2)
        scores = rng.integers(0, 121, 2) if trial % 3 else rng.integers(95, 121, 2)
        driver.state.scores[:] = scores
        cards = rng.permutation(52)[:12].tolist()
        driver.deal_cards((cards[:6], cards[6:]))
        # Both sides toss; neither sees what the other has tossed.
        for seat in range(2):
            own, other = int(scores[seat]), int(scores[1 - seat])
            best = advise(cards[6 * seat : 6 * seat + 6], bool(driver.state.dealer == seat), (own, other))[0]
            action = driver.choose_action("expert", generator)
            assert action == driver.toss_action(*best.keep.tossed), (trial, seat)
            going_out += best.chance is not None
            driver.apply_action(action)
    assert going_out > 200


def test_dealer_wants_a_rich_crib_and_pone_a_poor_one():
    cards = parse_cards("5H 5D KC KS 2H 9C")
    for dealer, sign in ((True, 1), (False, -1)):
        ranked = advise(cards, dealer)
        worths = [one.keep.hand_mean + sign * one.likely_crib for one in ranked]
        assert worths == pytest.approx([one.worth for one in ranked], abs=1e-5)
        assert [one.worth for one in ranked] == sorted((one.worth for one in ranked), reverse=True)
        assert all(one.why for one in ranked)


def test_pone_that_needs_few_points_takes_the_sure_way_out():
    # At 115, after 2.2 pegged, 4 points in hand are enough: two pairs have them before the cut.
    cards = parse_cards("2C 2D 3H 3S KD JD")
    far, near = advise(cards, False, (10, 10)), advise(cards, False, (115, 119))
    assert far[0].chance is None
    assert near[0].chance == 1.0
    assert near[0].keep.hand_min >= 4
    unsure = [one for one in near if one.keep.hand_min < 4]
    assert all((one.chance or 0.0) < 1.0 and one.worth < near[0].worth for one in unsure)
    assert next(one for one in near if card_names(sorted(one.keep.kept)) == "2C 2D 3H 3S").chance == 1.0
    assert any("go out" in reason for reason in near[0].why)


@pytest.mark.parametrize("dealer", [True, False])
def test_chance_to_go_out_is_counted_over_all_cuts(dealer):
    cards = parse_cards("2C 2D 3H 3S KD JD")
    far = {one.keep.toss: one for one in advise(cards, dealer)}
    ranked = advise(cards, dealer, (112, 115))
    need = 121 - 112 - PEGGING[dealer]
    for one in ranked:
        kept = np.array(one.keep.kept, np.int8)
        outs = [score_hand(kept, cut) >= need for cut in range(52) if cut not in cards]
        assert one.chance == sum(outs) / 46
        assert one.worth == pytest.approx(far[one.keep.toss].worth + WIN * one.chance)
    assert len({one.chance for one in ranked}) > 2


def test_dealer_tries_to_go_out_only_where_the_pone_may():
    cards = parse_cards("2C 2D 3H 3S KD JD")
    keeps = [one.keep for one in advise(cards, True)]
    # The pone counts first: from 111 on, 2.2 points pegged and 8 in hand take it out.
    for scores, matters in (((117, 110), False), ((117, 111), True), ((89, 119), True), ((88, 119), False)):
        ranked = advise(cards, True, scores)
        assert all((one.chance is not None) == matters for one in ranked), scores
        if not matters:
            assert [one.keep for one in ranked] == keeps
    # From 117, after 3.4 pegged, one point in hand is enough, which pairs are sure of; from 109 it takes nine.
    sure, unsure = advise(cards, True, (117, 119)), advise(cards, True, (109, 119))
    assert sure[0].chance == 1.0
    assert unsure[0].chance == max(one.chance or 0.0 for one in unsure) < 1.0
    # The pone counts before the dealer, so the dealer's score does not matter to it.
    assert all(one.chance is not None for one in advise(cards, False, (117, 10)))


def test_dealer_in_need_keeps_what_it_would_otherwise_toss():
    # Seven and eight are good in the own crib. At 114, after 3.4 pegged, with the pair they are the 4 points needed.
    cards = parse_cards("2H 2D 7C 8S KC QD")

    def kept(scores):
        return set(advise(cards, True, scores)[0].keep.kept)

    assert kept(None) == kept((114, 100)) == kept((60, 119)) == set(parse_cards("2H 2D KC QD"))
    assert kept((114, 119)) == set(parse_cards("2H 2D 7C 8S"))


def test_plot_is_drawn_on_request(tmp_path):
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


def test_position_in_words_is_for_cribbage_only(capsys):
    other = next((game_id for game_id in cardgym.registered() if game_id not in PACKAGE.games), None)
    if other is None:
        pytest.skip("no other game is installed")
    assert main(["advise", other, "5H", "5D"]) == 2
    assert "takes no position in words" in capsys.readouterr().err
