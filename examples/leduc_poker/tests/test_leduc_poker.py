"""Leduc poker: hand-played lines, and every history against OpenSpiel."""

from __future__ import annotations

from typing import Any

import pytest

from cardgym.testing import StateDriver, generator
from leduc_poker.game import GAME
from leduc_poker.rules import CALL, FOLD, RAISE

J1, J2, Q1, _, K1, K2 = range(6)


def dealt(first: int, second: int) -> StateDriver:
    driver = StateDriver(GAME)
    driver.play(first, second - (second > first))
    return driver


def public(driver: StateDriver, card: int) -> None:
    driver.play(card - sum(card > other for other in driver.state.cards))


def test_a_pair_beats_a_king() -> None:
    driver = dealt(J1, K1)
    driver.play(CALL, RAISE, CALL)
    public(driver, J2)
    rewards = driver.play(RAISE, CALL)
    assert driver.over
    assert rewards[:2].tolist() == [7.0, -7.0]  # The ante, a raise of 2, a raise of 4.


def test_equal_ranks_split_the_pot() -> None:
    driver = dealt(K1, K2)
    driver.play(RAISE, RAISE, CALL)
    public(driver, Q1)
    assert driver.play(CALL, CALL)[:2].tolist() == [0.0, 0.0]
    assert [driver.score(seat) for seat in range(2)] == [0.5, 0.5]


def test_a_fold_costs_what_was_put_in() -> None:
    driver = dealt(J1, Q1)
    assert driver.legal_actions() == [CALL, RAISE]
    driver.play(RAISE)
    assert driver.legal_actions() == [FOLD, CALL, RAISE]
    driver.play(RAISE)
    assert driver.legal_actions() == [FOLD, CALL]
    assert driver.play(FOLD)[:2].tolist() == [-3.0, 3.0]


@pytest.mark.parametrize(("own", "expected"), [(J1, FOLD), (Q1, CALL), (K1, RAISE)])
def test_player_honest_before_the_public_card(own: int, expected: int) -> None:
    driver = dealt(J2, own)
    driver.play(RAISE)
    assert driver.choose_action("honest", generator(0)) == expected


def test_every_history_pays_what_openspiel_says() -> None:
    pyspiel = pytest.importorskip("pyspiel")

    def walk(driver: StateDriver, state: Any, left: list[int], paid: list[float]) -> int:
        if driver.over:
            assert state.is_terminal()
            assert state.returns() == paid
            return 1
        outcomes = driver.num_chance_outcomes
        assert state.is_chance_node() == bool(outcomes)
        theirs = left if outcomes else state.legal_actions()
        ours = list(range(outcomes)) if outcomes else driver.legal_actions()
        assert len(ours) == len(theirs)
        if not outcomes:
            assert ours == theirs
            assert driver.current_player == state.current_player()
        ends = 0
        for move, their_move in zip(ours, theirs, strict=True):
            after = driver.copy()
            rewards = after.apply_action(move)
            rest = [card for card in left if card != their_move] if outcomes else left
            ends += walk(
                after,
                state.child(their_move),
                rest,
                [one + float(two) for one, two in zip(paid, rewards[:2], strict=True)],
            )
        return ends

    assert (
        walk(StateDriver(GAME), pyspiel.load_game("leduc_poker").new_initial_state(), list(range(6)), [0.0, 0.0])
        == 5520
    )
