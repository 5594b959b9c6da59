"""`cardgym advise` and the advice that it prints."""

from __future__ import annotations

import re

import numpy as np
import pytest
from cribbage_driver import CribbageDriver, compiled_only

import cardgym
from cardgym import find
from cardgym.cli import main
from cardgym.games.cribbage import PACKAGE
from cardgym.games.cribbage.advice import GAMES, POINTS, rated_tosses, reasons
from cardgym.games.cribbage.cards import parse_cards
from cardgym.games.cribbage.pegging.player import make_player
from cardgym.table.coach import Coach

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
    assert "more than the next best: hand +" in rows[0]


def test_command_coach_and_equilibrium_agree_on_the_best_toss():
    game = find("Cribbage-v0")
    options = game.parse_options()
    coach, player = Coach(game, options), make_player(options)
    rng = np.random.default_rng(8)
    driver = CribbageDriver()
    late = 0
    for trial in range(300):
        driver.setup()
        driver.cut(trial % 2)
        scores = rng.integers(0, 121, 2) if trial % 3 else rng.integers(0, 60, 2)
        driver.state.scores[:] = scores
        cards = rng.permutation(52)[:12].tolist()
        driver.deal_cards((cards[:6], cards[6:]))
        seat = driver.current_player
        own, other = int(scores[seat]), int(scores[1 - seat])
        tosses = rated_tosses(cards[6 * seat : 6 * seat + 6], bool(driver.state.dealer == seat), (own, other))
        advice = coach.advise(driver.state, seat)
        seen, mask = driver.observe(seat, "plain")[None], driver.legal_action_mask()[None]
        assert advice.best.action == driver.toss_action(*tosses[0].keep.tossed) == player.act(seen, mask)[0], trial
        assert [one.value for one in advice.actions] == [one.value for one in tosses]
        assert {advice.unit} == {one.unit for one in tosses}
        late += advice.unit == GAMES
    assert 50 < late < 250


def test_worth_in_points_is_hand_crib_and_play():
    cards = parse_cards("5H 5D KC KS 2H 9C")
    for dealer, sign in ((True, 1), (False, -1)):
        ranked = rated_tosses(cards, dealer)
        worths = [one.keep.hand_mean + sign * one.crib + one.play for one in ranked]
        assert worths == pytest.approx([one.value for one in ranked], abs=1e-5)
        assert [one.value for one in ranked] == sorted((one.value for one in ranked), reverse=True)


def test_reason_adds_up_to_what_a_toss_gains():
    cards = parse_cards("2S 6D 7C JD JS QD")
    for dealer, sign in ((True, 1), (False, -1)):
        ranked = rated_tosses(cards, dealer)
        for place, (one, why) in enumerate(zip(ranked, reasons(ranked, dealer), strict=True)):
            against = ranked[0] if place else ranked[1]
            parts = {"hand": 0.0, "crib": 0.0, "play": 0.0} | {
                name: float(points) for name, points in re.findall(r"(hand|crib|play) ([+-][0-9.]+)", why)
            }
            gain = parts["hand"] + sign * parts["crib"] + parts["play"]
            assert gain == pytest.approx(one.value - against.value, abs=0.02), why
            assert ("more than the next best" if place == 0 else "less than the best") in why


def test_close_to_the_target_the_sure_way_out_comes_first():
    # At 115 the pone counts first; two pairs have 4 points before the cut.
    cards = parse_cards("2C 2D 3H 3S KD JD")
    far, near = rated_tosses(cards, False, (10, 10)), rated_tosses(cards, False, (115, 119))
    assert (far[0].unit, near[0].unit) == (POINTS, GAMES)
    assert near[0].keep.hand_min >= 4
    assert all(0.0 <= one.value <= 100.0 for one in near)


def test_value_close_to_the_target_depends_on_both_scores():
    cards = parse_cards("2H 2D 7C 8S KC QD")
    ahead, behind = rated_tosses(cards, True, (114, 60))[0], rated_tosses(cards, True, (114, 119))[0]
    assert ahead.value > 95.0 > 50.0 > behind.value


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
