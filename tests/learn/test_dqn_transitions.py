"""Transitions: from one of a seat's turns to its next, across chance and the other seats' turns."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from cardgym.errors import CardgymError
from cardgym.learn.dqn.replay import Replay, Transitions
from cardgym.learn.rollouts import Mix, SelfPlayRollout
from cardgym.learn.turns import TurnRecorder
from cardgym.players.networks import QNetwork, network_shape


def make_tables(tiny, opponents, tables=16, num_players=2, turns=3, **rest):
    options = tiny.parse_options({"num_players": num_players, "turns": turns})
    network = QNetwork(network_shape(tiny, options, "plain", (8,), False))
    return SelfPlayRollout(tiny, options, tables, Mix.parse(opponents), network, "plain", seed=3, **rest)


def play(tables, steps, choose):
    """Play steps and return all transitions, joined."""
    found = []
    for _ in range(steps):
        found += tables.step(choose(tables.observations, tables.masks))
    return Transitions(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def first_legal(observations, masks):
    return np.argmax(masks, axis=1)


def parity_of(observations):
    return observations[:, 5].astype(int)


def expected_reward(transitions, second_pays):
    """What the tiny game pays for an action, and 0.25 for the opponent's turn that follows it."""
    right = transitions.actions % 2 == np.argmax(transitions.observations[:, :4], axis=1) % 2
    return np.where(right, 1.0, -1.0) + second_pays


def test_the_mask_of_a_transition_is_that_of_its_next_state(tiny):
    found = play(make_tables(tiny, ["random"]), 30, first_legal)
    going = ~found.done
    assert going.sum() > 100
    # Which actions are legal follows from the parity that the observation shows, and it changes at every turn.
    even = np.array([True, True, False, False, False])
    odd = np.array([False, False, True, True, False])
    wanted = np.where(parity_of(found.next_observations)[:, None] == 1, odd, even)
    assert (found.next_masks[going] == wanted[going]).all()
    assert (parity_of(found.observations)[going] != parity_of(found.next_observations)[going]).all()


def test_transitions_span_the_opponents_turns_and_what_they_pay(tiny):
    found = play(make_tables(tiny, ["random"]), 30, first_legal)
    seat = found.observations[:, 6]
    going = ~found.done
    assert set(seat) == {0.0, 1.0}  # The learner's seat is drawn for each game.
    assert (found.next_observations[going, 6] == seat[going]).all()
    # An opponent's turn follows every action but the last of the second seat, whose first pay belongs to no action.
    opponents_turn = np.where(found.done & (seat == 1), 0.0, 0.25)
    np.testing.assert_array_equal(found.rewards, expected_reward(found, opponents_turn))


def test_a_learner_with_a_seat_of_its_own_keeps_it(tiny):
    found = play(make_tables(tiny, ["random"], seat=1), 30, first_legal)
    assert (found.observations[:, 6] == found.observations[0, 6]).all()
    first = play(make_tables(tiny, ["random"], seat=0), 30, first_legal)
    assert (first.observations[:, 6] == 1 - found.observations[0, 6]).all()
    with pytest.raises(CardgymError, match="seats 0 to 1"):
        make_tables(tiny, ["random"], seat=2)


def test_returns_add_up_to_the_game_but_for_what_came_before_the_first_turn(tiny):
    tables = make_tables(tiny, ["perfect"], tables=1, turns=4)
    total, seat, games = 0.0, tables.observations[0, 6], 0
    while games < 6:
        learned = tables.step(tables.masks.argmax(axis=1))
        total += sum(float(part.rewards.sum()) for part in learned)
        if tables.games > games:
            right = tables.played.batch.states[0].right[int(seat)]
            # Four turns of mine, four of the opponent's; seat 1 had been paid once before its first decision.
            assert total == right - (4 - right) + 0.25 * (4 - seat)
            games, total = tables.games, 0.0
            tables.step(np.zeros(0, np.int64))
            seat = tables.observations[0, 6]


def test_under_self_play_each_seats_transitions_are_its_own(tiny):
    found = play(make_tables(tiny, ["self"]), 40, first_legal)
    seat, going = found.observations[:, 6], ~found.done
    assert abs((seat == 0).sum() - (seat == 1).sum()) < 40
    assert (found.next_observations[going, 6] == seat[going]).all()
    opponents_turn = np.where(found.done & (seat == 1), 0.0, 0.25)
    np.testing.assert_array_equal(found.rewards, expected_reward(found, opponents_turn))
    # Three turns a seat: a third of the transitions are the last ones, of both seats alike.
    ended = [(found.done & (seat == which)).sum() for which in (0, 1)]
    assert ended[0] == ended[1] > 50


def test_one_player_games_need_no_opponent(tiny):
    found = play(make_tables(tiny, ["random"], num_players=1), 12, first_legal)
    np.testing.assert_array_equal(found.rewards, expected_reward(found, 0.0))


def test_rewards_are_scaled(tiny):
    found = play(make_tables(tiny, ["random"], reward_scale=0.5), 12, first_legal)
    assert set(np.unique(found.rewards)) <= {-0.5, -0.375, 0.5, 0.625}


def test_n_step_returns_by_hand():
    turns = TurnRecorder(streams=2, observation_size=1, n_step=3, gamma=0.5)
    stream, one = np.array([1]), np.ones((1, 1), np.int8)

    def see(number):
        return np.array([[number]], np.float32)

    got = []
    turns.pay(np.array([0.0, 99.0]))  # Before the first turn: belongs to no action.
    for number, paid in enumerate([1.0, 2.0, 4.0, 8.0]):
        got.append(turns.turn(stream, see(number), one))
        turns.act(stream, see(number), np.array([10 + number]))
        turns.pay(np.array([77.0, paid]))
    assert [len(part.actions) for part in got] == [0, 0, 0, 1]
    first = got[3]
    assert (first.observations, first.actions, first.rewards) == (0, 10, 1 + 0.5 * 2 + 0.25 * 4)
    assert (first.next_observations, first.done) == (3, False)
    last = turns.end(stream, 1)
    order = np.argsort(last.actions)
    assert last.actions[order].tolist() == [11, 12, 13]
    assert last.observations[order, 0].tolist() == [1, 2, 3]
    assert last.rewards[order].tolist() == [2 + 0.5 * 4 + 0.25 * 8, 4 + 0.5 * 8, 8]
    assert last.done.all()
    assert len(turns.end(stream, 1).actions) == 0  # Closed once.


@pytest.mark.parametrize("n_step", [1, 3])
def test_n_step_at_the_tables_sums_what_one_step_shows(tiny, n_step):
    found = play(make_tables(tiny, ["random"], tables=4, turns=5, n_step=n_step, gamma=0.5), 60, first_legal)
    left = found.observations[:, 7]
    if n_step == 3:
        going = ~found.done
        # Three own turns on: six of the ten turns of the game.
        np.testing.assert_allclose(left[going] - found.next_observations[going, 7], 0.6, atol=1e-6)
        assert found.rewards.max() == 1.25 * (1 + 0.5 + 0.25)
    else:
        assert found.rewards.max() == 1.25


def test_opponents_are_drawn_by_weight_and_by_seed_alone(tiny):
    def lineup(weights):
        tables = make_tables(tiny, weights, tables=4000)
        return tables.played.batch.plain_rows["lineup"][:, 1].copy()

    mixed = lineup(["random=1", "perfect=3"])
    assert abs((mixed == 1).mean() - 0.75) < 5 * (0.75 * 0.25 / 4000) ** 0.5
    np.testing.assert_array_equal(mixed, lineup(["random=1", "perfect=3"]))


def test_snapshots_hold_still_until_they_are_taken(tiny):
    torch.manual_seed(1)
    tables = make_tables(tiny, ["snapshot"], snapshots=2)
    learner = QNetwork(network_shape(tiny, tiny.parse_options(), "plain", (8,), False))
    before = [[p.clone() for p in player.network.parameters()] for player in tables._snapshots]
    tables.take_snapshot(learner)
    same = [
        all(torch.equal(a, b) for a, b in zip(old, player.network.parameters(), strict=True))
        for old, player in zip(before, tables._snapshots, strict=True)
    ]
    assert same == [False, True]
    learned = list(learner.parameters())
    assert all(torch.equal(a, b) for a, b in zip(learned, tables._snapshots[0].network.parameters(), strict=True))
    found = play(tables, 12, first_legal)
    assert (found.next_observations[~found.done, 6] == found.observations[~found.done, 6]).all()


@pytest.mark.parametrize(
    "words", [[], ["random=x"], ["=1"], ["random=-1"], ["random=0"], ["random=nan"], ["randm"], ["no.safetensors"]]
)
def test_a_bad_mix_is_refused_in_one_line(tiny, words):
    with pytest.raises(CardgymError) as caught:
        make_tables(tiny, words)
    assert "\n" not in str(caught.value)


def test_replay_keeps_the_latest_and_samples_all_of_them():
    replay = Replay(capacity=10, observation_size=2, num_actions=3)
    for first in range(0, 27, 3):
        number = np.arange(first, first + 3)
        replay.add(
            Transitions(
                np.stack([number, -number], 1).astype(np.float32),
                number,
                number / 2,
                np.stack([number + 1, number], 1).astype(np.float32),
                np.stack([number % 2 == 0, number % 3 == 0, number >= 0], 1),
                number % 5 == 0,
            )
        )
    batch = replay.sample(2000, np.random.default_rng(0))
    assert sorted(set(batch.actions.tolist())) == list(range(17, 27))
    assert torch.equal(batch.observations[:, 0], batch.actions.float())
    assert torch.equal(batch.next_observations[:, 0], batch.actions + 1.0)
    assert torch.equal(batch.rewards, batch.actions / 2)
    assert torch.equal(batch.next_masks[:, 1], batch.actions % 3 == 0)
    assert torch.equal(batch.done, batch.actions % 5 == 0)


def test_more_transitions_at_once_than_the_replay_holds():
    replay = Replay(capacity=4, observation_size=1, num_actions=1)
    number = np.arange(11)
    column = number[:, None].astype(np.float32)
    replay.add(Transitions(column, number, number, column, column >= 0, number < 0))
    assert sorted(set(replay.sample(200, np.random.default_rng(0)).actions.tolist())) == [7, 8, 9, 10]


def test_a_replay_too_large_for_memory_is_refused_in_one_line():
    with pytest.raises(CardgymError, match="replay_capacity"):
        Replay(capacity=10**14, observation_size=53, num_actions=9)


def test_tables_go_on_the_same_after_a_state_is_taken_up(tiny):
    def fresh():
        torch.manual_seed(1)
        return make_tables(tiny, ["random=1", "snapshot=1", "self=1"], n_step=2, gamma=0.9)

    tables = fresh()
    tables.take_snapshot(QNetwork(network_shape(tiny, tiny.parse_options(), "plain", (8,), False)))
    play(tables, 7, first_legal)
    other = fresh()
    other.load_state_dict(tables.state_dict())
    for one, two in zip(play(tables, 20, first_legal), play(other, 20, first_legal), strict=True):
        np.testing.assert_array_equal(one, two)
    assert tables.games == other.games
