"""What the contract fills in for a small game: words from features, a score from what was paid, keys from indices."""

import dataclasses

import numpy as np
import pytest

from cardgym.engine.contract import Feature, Options, Words
from cardgym.engine.registry import find
from cardgym.testing import StateDriver, knowledge_checks, rule_checks
from cardgym.testing.cases import option_cases
from kuhn_poker import BET, GAME, KING, PASS


def test_words_come_from_features_and_action_names() -> None:
    driver = StateDriver(dataclasses.replace(GAME, words=Words()))
    driver.apply_action(KING)
    assert driver.narrate(0) == "Own card: king"
    assert driver.narrate(1) == ""
    driver.apply_action(0)
    assert driver.describe(1).splitlines() == [
        "Own card: jack", "Own seat: 1", "Own bet: 0", "The other's bet: 0", "Actions played: 0",
    ]  # fmt: skip
    driver.apply_action(BET)
    assert [driver.narrate(seat) for seat in range(2)] == ["You: bet", "Seat 0: bet"]
    assert driver.action_text(PASS) == "pass"
    assert driver.describe(1).splitlines()[3:] == ["The other's bet: 1", "Actions played: 1"]


def test_features_without_names_for_their_values_show_their_meaning() -> None:
    ones = np.ones(1, np.float32)
    assert Feature("round", "0 before the public card, 1 after it").in_words(ones) == (
        "Round: 1 (0 before the public card, 1 after it)"
    )
    assert Feature("prizes", "by round", 2, scale=4).in_words(np.array([0.75, 0.0], np.float32)) == (
        "Prizes: 3 0 (by round)"
    )
    assert Feature("card", "one-hot: own card, jack, queen", 2).in_words(np.zeros(2, np.float32)) == "Own card: none"


@pytest.mark.parametrize("check", [knowledge_checks.check_hidden, knowledge_checks.check_words])
def test_default_words_reveal_nothing_hidden(check: object) -> None:
    assert callable(check)
    check(dataclasses.replace(GAME, words=Words()), Options(), 1, 40)


def test_default_score_goes_to_the_seat_that_was_paid_most() -> None:
    driver = StateDriver(GAME)
    driver.play(KING, 0, BET, PASS)
    assert [driver.score(seat) for seat in range(2)] == [1.0, 0.0]
    driver.state.paid[:] = 0.0
    driver.refresh()
    assert [driver.score(seat) for seat in range(2)] == [0.5, 0.5]
    rule_checks.check_endings(GAME, Options())


def test_keys_of_states_are_their_indices_unless_a_game_has_others() -> None:
    index = GAME.state_index
    assert index.info_state_key is index.info_state_index
    assert index.info_state_keys is not None
    assert index.info_state_keys(Options()).tolist() == list(range(13))


def test_as_many_sets_of_options_are_tried_as_are_asked_for() -> None:
    assert [len(option_cases(find("Coda-v0"), limit)) for limit in (1, 2, 5)] == [1, 2, 5]
