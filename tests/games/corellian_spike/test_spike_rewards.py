"""The rewards of Corellian Spike: credits gained by default, and the paper's two models."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spike_driver import SpikeDriver

from cardgym.games.corellian_spike.state import BUY, BUYING, DISCARD, DONT_BUY, FOLD, MATCH, RAISE


@settings(max_examples=60, deadline=None, database=None, derandomize=True)
@given(
    num_players=st.integers(2, 8),
    hands=st.integers(1, 6),
    pairs=st.integers(1, 40),
    betting=st.sampled_from(["flat", "matched"]),
    cheat=st.sampled_from(["no", "1"]),
    folds=st.floats(0.0, 0.4),
    seed=st.integers(0, 10_000),
)
def test_net_returns_are_the_credits_gained_and_sum_to_zero(
    num_players: int, hands: int, pairs: int, betting: str, cheat: str, folds: float, seed: int
) -> None:
    game = SpikeDriver(num_players=num_players, hands=hands, credits=2 * pairs, betting=betting, cheat=cheat)
    rng = np.random.default_rng(seed)
    returns = np.zeros(num_players)
    hand = 0
    while not game.over:
        if game.num_chance_outcomes:
            move = int(rng.integers(game.num_chance_outcomes))
        else:
            legal = [action for action in game.legal_actions() if action != FOLD]
            move = FOLD if MATCH in legal and rng.random() < folds else int(rng.choice(legal))
        returns += game.paid(game.apply_action(move))
        if game.state.hand > hand and not game.over:  # The next ante is in the pool, but not charged yet.
            hand = int(game.state.hand)
            assert returns.tolist() == [stack + 2 - 2 * pairs for stack in game.credits]
            assert returns.sum() == 0
    assert returns.tolist() == [stack - 2 * pairs for stack in game.credits]
    assert returns.sum() == 0


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_net_return_is_that_of_credits_less_the_mean_over_the_seats(num_players: int) -> None:
    net, credits = (SpikeDriver(num_players=num_players, reward=reward) for reward in ("net", "credits"))
    rng = np.random.default_rng(num_players)
    returns = np.zeros((2, num_players))
    while not net.over:
        made = net.random_move(rng)
        returns[0] += net.paid(made.paid)
        returns[1] += credits.paid(credits.apply_action(made.move))
    assert returns[0] == pytest.approx(returns[1] - returns[1].mean())


def test_net_rewards_are_paid_as_the_hand_ends() -> None:
    game = SpikeDriver((3, 5), (-2, 9))
    assert game.copy().act(FOLD) == [-2, 2]  # The ante.
    assert game.act(RAISE, RAISE) == [0, 0]
    assert game.act(FOLD) == [-4, 4]


@pytest.mark.parametrize("moves", [(), (RAISE, RAISE), (MATCH, RAISE, MATCH)])
def test_illegal_action_costs_all_credits(moves: tuple[int, ...]) -> None:
    game = SpikeDriver((3, 5), (-2, -7))
    returns = np.array(game.act(*moves)) if moves else np.zeros(2)
    if game.num_chance_outcomes:
        game.draw(-4, 6)
    seat = game.current_player
    assert returns[seat] + game.forfeit(seat) == -50


# -- the paper's rewards -----------------------------------------------------------------------------------------------


def test_weighted_rewards_follow_the_papers_formulas() -> None:
    game = SpikeDriver((3, 5), (-2, -7), reward="weighted")
    assert game.act(RAISE)[0] == -2 * (1 + 8)
    assert game.act(MATCH)[1] == -2 * (1 + 9)
    game.draw(-4, 6)  # Sums 4 and -3.
    game.act(BUY)
    # 3, 5, -4 and 1: the four ways to keep three sum to 4, 2, 0 and 9; the smallest is 0.
    assert game.copy().draw(1) == -2
    # 3, 5, -4 and 10: 4, 11, 9, 18; the smallest is 4.
    assert game.draw(10) == -2 * (1 + 0.75 * 4)
    game.act(DISCARD, DONT_BUY)
    assert game.act(MATCH)[0] == 0  # Nothing was owed.
    assert game.act(RAISE)[1] == -2 * (1 + 3)
    assert game.act(MATCH)[0] == -2 * (1 + 4)
    game.roll(1, 2)
    game.act(DONT_BUY, DONT_BUY, MATCH)
    assert game.act(FOLD)[0] == 31 * 14  # Two antes, four bets and a bought card.


def test_weighted_matched_rewards_weigh_what_was_paid() -> None:
    game = SpikeDriver((3, 5), (-2, -7), reward="weighted", betting="matched")
    assert game.act(RAISE)[0] == -2 * (1 + 8)
    assert game.act(RAISE)[1] == -4 * (1 + 9)
    assert game.act(MATCH)[0] == -2 * (1 + 8)


def test_papers_rewards_leave_out_the_ante() -> None:
    game = SpikeDriver(reward="credits")
    total = 0.0
    while game.state.hand == 0:
        move = 0
        if not game.num_chance_outcomes:
            move = DONT_BUY if game.state.phase == BUYING else MATCH
        total += sum(game.paid(game.apply_action(move)))
    assert total == 4.0  # Nobody paid more than the ante, and the winner took both.


def test_papers_illegal_action_costs_the_credits_and_the_pool() -> None:
    for reward in ("credits", "weighted"):
        game = SpikeDriver((3, 5), (-2, -7), reward=reward)
        game.act(RAISE)
        assert game.forfeit(1) == -(48 + 6)
