"""One Play Poker solved: values against a solver of the written rules, the report."""

import dataclasses
import json
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from poker_brute_force import BruteForce, handcrafted, mean_and_deviation

from cardgym import CardgymError
from cardgym.engine.contract import Generator, State, rule, uniform
from cardgym.games.one_play_poker.game import GAME
from cardgym.games.one_play_poker.rules import OnePlayPokerOptions
from cardgym.games.one_play_poker.view import TABLE
from cardgym.papers.one_play_poker.page import gamma_difference
from cardgym.solvers.optimum import solve, solver
from cardgym.table.presentation import COACH

ALL_OPTIONS = [
    *((3, ranking) for ranking in ("flush_first", "pair_first")),
    *(pytest.param(4, ranking, marks=pytest.mark.slow) for ranking in ("flush_first", "pair_first")),
]


@cache
def report_of(**settings: int | str) -> Any:
    """The report of `solve`, which takes most of a second, for options and gamma."""
    return solve(GAME, settings).report


# -- against a solver of the written rules ----------------------------------------------------------------------------


@pytest.mark.parametrize(("decisions", "ranking"), ALL_OPTIONS)
def test_values_agree_with_brute_force(decisions: int, ranking: str) -> None:
    report = report_of(decisions=decisions, ranking=ranking, gamma="9/10")
    brute = BruteForce(decisions, ranking, "9/10")
    assert Fraction(report["optimal"]["value"]) == brute.value()
    if (decisions, ranking) == (4, "flush_first"):
        followed = BruteForce(decisions, ranking, "9/10", handcrafted(brute.strength))
        assert Fraction(report["policies"]["handcrafted"]["discounted"]) == followed.value()


def test_undiscounted_values_agree_with_brute_force() -> None:
    report = report_of(gamma=1)
    brute = BruteForce(3, "flush_first", 1)
    assert Fraction(report["optimal"]["value"]) == brute.value() == Fraction(1949, 1365)
    followed = BruteForce(3, "flush_first", 1, handcrafted(brute.strength))
    assert Fraction(report["policies"]["handcrafted"]["undiscounted"]) == followed.value()


def test_deviations_agree_with_all_deals_counted() -> None:
    report = report_of(decisions=3, ranking="flush_first", gamma="9/10")["policies"]["handcrafted"]
    policy = handcrafted(BruteForce(3, "flush_first", 1).strength)
    for kind, gamma in (("discounted", 0.9), ("undiscounted", 1.0)):
        mean, deviation = mean_and_deviation(policy, gamma)
        assert report[f"{kind}_float"] == pytest.approx(mean, abs=1e-9)
        assert report[f"{kind}_std"] == pytest.approx(deviation, abs=1e-9)
    assert report["undiscounted_std"] == pytest.approx(2.4275816, abs=1e-6)


def test_strengths_at_the_table_are_the_exact_credits_won_from_the_house() -> None:
    # The paper's reward does not charge the ante of one credit.
    policies = report_of(gamma=1)["policies"]
    for name, line in TABLE.strength[GAME.id].items():
        net = Fraction(policies["optimal" if name == COACH else name]["undiscounted"]) - 1
        shown = f"{net} = {float(net):.3f}" if net else "0"
        assert line.startswith(f"wins {shown} credits a game from the house, ")


def test_gamma_09_differs_from_no_discount_at_the_first_king_only() -> None:
    words = gamma_difference(solver(GAME, OnePlayPokerOptions()))
    assert "costs 19/2730 = 0.0070" in words
    assert "in 4 states, of 1 kind up to suits" in words
    assert "`KS`. There gamma 1 bets" in words


# -- the report -------------------------------------------------------------------------------------------------------


def test_report_of_solve() -> None:
    report = solve("OnePlayPoker-v0", {"gamma": "9/10", "decisions": "3"}).report
    assert json.loads(json.dumps(report)) == report
    assert list(report)[:6] == ["env", "options", "gamma", "states", "states_canonical", "optimal"]
    assert report["options"] == {"decisions": 3, "ranking": "flush_first"}
    assert report["gamma"] == "9/10"
    assert report["optimal"] == {"value": "194269/182000", "value_float": 194269 / 182000}
    assert list(report["policies"]) == ["random", "handcrafted", "always", "never", "optimal"]
    assert report["policies"]["optimal"]["discounted"] == report["optimal"]["value"]


def test_name_optimal_is_taken_in_the_report() -> None:
    with pytest.raises(CardgymError, match="player 'optimal'"):
        solve(GAME, {}, ["optimal"])


@rule
def toss_a_coin(state: State, seat: int, mask: npt.NDArray[np.int8], generator: Generator) -> int:
    return uniform(generator, 2)


def test_players_that_choose_at_random_are_left_out() -> None:
    players = {"coin": toss_a_coin, "never": GAME.players["never"]}
    game = dataclasses.replace(GAME, id="Coin-v0", players=players)
    assert list(solve(game, {}).report["policies"]) == ["random", "never", "optimal"]
    with pytest.raises(CardgymError, match="chooses at random"):
        solve(game, {}, ["coin"])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"gamma": "1.1"}, "gamma=1.1: allowed are numbers from 0 to 1"),
        ({"gamma": "-0.1"}, "gamma=-0.1"),
        ({"gamma": "nan"}, "gamma=nan"),
        ({"gamma": "1/0"}, "gamma=1/0"),
        ({"gamma": "much"}, "gamma=much"),
        ({"gamma": "1e-5000"}, "gamma=1e-5000: allowed are numbers from 0 to 1"),
        ({"gamma": "1e-99"}, "of at most 30 digits"),
        ({"gamma": "1e99999999"}, "gamma=1e99999999"),
        ({"gamma": "9" * 5000}, "gamma=9999999999999999999999999999999999999999..: allowed"),
        ({"theta": 0}, "unknown option 'theta'"),
        ({"decision": 3}, "did you mean 'decisions'"),
        ({"gama": 1}, "did you mean 'gamma'"),
    ],
)
def test_bad_arguments_of_solve_are_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(CardgymError) as caught:
        solve("OnePlayPoker-v0", wrong)
    assert words in str(caught.value)
