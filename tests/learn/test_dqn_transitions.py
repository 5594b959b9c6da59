"""Rollouts and transitions: from a turn of a seat to its next, across chance and the other seats' turns."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch

from cardgym.engine.contract import Game
from cardgym.envs.single import CardEnv
from cardgym.errors import CardgymError
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.replay import ReplayBuffer, TransitionBuilder, Transitions
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.players.network_shapes import network_shape
from cardgym.players.networks import NetworkPlayer, QNetwork
from learning_game import CARD, PARITY, SEAT


def make_player(tiny: Game) -> NetworkPlayer:
    return NetworkPlayer("learner", QNetwork(network_shape(tiny, tiny.parse_options(), "plain", (8,), False)), "plain")


def make_rollout(
    tiny: Game, opponents: Sequence[str], num_envs: int = 16, num_players: int = 2, turns: int = 3,
    total_steps: int = 100, **settings: Any,
) -> SelfPlayRollout:  # fmt: skip
    options = tiny.parse_options({"num_players": num_players, "turns": turns})
    pool = OpponentPool.parse(opponents, total_steps)
    return SelfPlayRollout(tiny, options, num_envs, pool, make_player(tiny), seed=3, **settings)


def make_builder(rollout: SelfPlayRollout) -> TransitionBuilder:
    size, num_actions = rollout.turns.observations.shape[1], rollout.turns.masks.shape[1]
    return TransitionBuilder(rollout.num_streams, size, num_actions)


def play(rollout: SelfPlayRollout, steps: int, builder: TransitionBuilder | None = None) -> Transitions:
    """Play the first legal action for some steps; all transitions, joined."""
    builder = builder or make_builder(rollout)
    parts: list[Transitions] = []
    for _ in range(steps):
        actions = rollout.turns.masks.argmax(axis=1)
        builder.act(rollout.turns, actions)
        rollout.step(actions)
        parts += builder.complete(rollout.rewards, rollout.turns, rollout.ended)
    return Transitions(*(np.concatenate(fields) for fields in zip(*parts, strict=True)))


def parity_of(observations: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    return observations[:, PARITY + 1].astype(np.int64)


def expected_reward(transitions: Transitions, others_pay: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """What the game pays for an action, and what the opponent's turn after it adds."""
    card = np.argmax(transitions.observations[:, CARD : CARD + 4], axis=1)
    rewards: npt.NDArray[np.float64] = np.where(transitions.actions % 2 == card % 2, 1.0, -1.0) + np.asarray(others_pay)
    return rewards


def opponents_turn(transitions: Transitions) -> npt.NDArray[np.float64]:
    """0.25 for the opponent's turn after an action; the second seat's last action ends the game."""
    return np.where(transitions.done & (transitions.observations[:, SEAT] == 1), 0.0, 0.25)


# -- one step ---------------------------------------------------------------------------------------------------------


def test_next_mask_belongs_to_the_next_state(tiny: Game) -> None:
    transitions = play(make_rollout(tiny, ["random"]), 30)
    going = ~transitions.done
    assert going.sum() > 100
    # The parity shown by the observation says which actions are legal, and it changes at every turn.
    even = np.array([True, True, False, False, False])
    odd = np.array([False, False, True, True, False])
    expected = np.where(parity_of(transitions.next_observations)[:, None] == 1, odd, even)
    assert (transitions.next_masks[going] == expected[going]).all()
    assert (parity_of(transitions.observations)[going] != parity_of(transitions.next_observations)[going]).all()


def test_transitions_span_the_opponents_turns_and_their_rewards(tiny: Game) -> None:
    transitions = play(make_rollout(tiny, ["random"]), 30)
    seat, going = transitions.observations[:, SEAT], ~transitions.done
    assert set(seat) == {0.0, 1.0}  # The learner's seat is drawn for each game.
    assert (transitions.next_observations[going, SEAT] == seat[going]).all()
    # The second seat's reward before its first turn belongs to no action.
    np.testing.assert_array_equal(transitions.rewards, expected_reward(transitions, opponents_turn(transitions)))


def test_learner_keeps_a_fixed_seat(tiny: Game) -> None:
    for seat in (0, 1):
        assert (play(make_rollout(tiny, ["random"], seat=seat), 30).observations[:, SEAT] == seat).all()
    with pytest.raises(CardgymError, match="seats 0 to 1"):
        make_rollout(tiny, ["random"], seat=2)


def test_in_self_play_each_seat_has_its_own_transitions(tiny: Game) -> None:
    transitions = play(make_rollout(tiny, ["self"]), 40)
    seat, going = transitions.observations[:, SEAT], ~transitions.done
    assert abs((seat == 0).sum() - (seat == 1).sum()) < 40
    assert (transitions.next_observations[going, SEAT] == seat[going]).all()
    np.testing.assert_array_equal(transitions.rewards, expected_reward(transitions, opponents_turn(transitions)))
    # Each seat has three turns, so a third of the transitions are last ones, as many of each seat.
    ended = [(transitions.done & (seat == which)).sum() for which in (0, 1)]
    assert ended[0] == ended[1] > 50


def test_one_player_games_need_no_opponent(tiny: Game) -> None:
    transitions = play(make_rollout(tiny, ["random"], num_players=1), 12)
    np.testing.assert_array_equal(transitions.rewards, expected_reward(transitions, 0.0))


def test_first_reward_of_an_env_includes_what_the_seat_was_paid_before(tiny: Game) -> None:
    env = CardEnv(tiny, seat=1, turns=2)
    for seed in range(4):
        env.reset(seed=seed)
        state = env._core.seated.batch.states[0]
        first = float(env.step(0)[1])
        own = 2 * int(state.right[1]) - 1  # Seat 0 moves before and after this turn, and pays 0.25 each time.
        last = float(env.step(2)[1])
        assert (first, first + last) == (own + 0.5, 2 * int(state.right[1]) - 2 + 0.5)


# -- the rollout alone ------------------------------------------------------------------------------------------------


def test_rollout_alone_gives_whole_episodes_of_each_stream(tiny: Game) -> None:
    """What an on-policy algorithm needs: the decisions and the return of each stream, game by game."""
    rollout = make_rollout(tiny, ["self"], num_envs=8)
    returns, decisions = np.zeros(rollout.num_streams), np.zeros(rollout.num_streams, int)
    episodes = 0
    for _ in range(40):
        decisions[rollout.turns.streams] += 1
        rollout.step(rollout.turns.masks.argmax(axis=1))
        returns += rollout.rewards
        for stream in rollout.ended:
            env, seat = divmod(int(stream), 2)
            right = rollout._seated.batch.states[env].right[seat]
            assert returns[stream] == right - (3 - right) + 0.25 * 3
            assert decisions[stream] == 3
            episodes += 1
        returns[rollout.ended] = 0.0
        decisions[rollout.ended] = 0
    assert episodes == 2 * rollout.games > 50


def test_rollout_counts_the_learners_decisions(tiny: Game) -> None:
    rollout = make_rollout(tiny, ["random"])
    assert rollout.decisions == 0
    transitions = play(rollout, 30)
    assert rollout.decisions == pytest.approx(len(transitions.actions), abs=16)  # One may be open in each env.


# -- the replay buffer ------------------------------------------------------------------------------------------------


def buffer(capacity: int, observation_size: int = 1, num_actions: int = 1) -> ReplayBuffer:
    return ReplayBuffer(capacity, observation_size, num_actions, np.random.default_rng(0))


def test_buffer_keeps_the_latest_transitions_and_samples_all_of_them() -> None:
    replay = buffer(10, 2, 3)
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
    batch = replay.sample(2000)
    assert sorted(set(batch.actions.tolist())) == list(range(17, 27))
    assert torch.equal(batch.observations[:, 0], batch.actions.float())
    assert torch.equal(batch.next_observations[:, 0], batch.actions + 1.0)
    assert torch.equal(batch.rewards, batch.actions / 2)
    assert torch.equal(batch.next_masks[:, 1], batch.actions % 3 == 0)
    assert torch.equal(batch.done, batch.actions % 5 == 0)


def test_buffer_accepts_more_transitions_than_its_capacity() -> None:
    replay = buffer(4)
    number = np.arange(11)
    column = number[:, None].astype(np.float32)
    replay.add(Transitions(column, number, number, column, column >= 0, number < 0))
    assert sorted(set(replay.sample(200).actions.tolist())) == [7, 8, 9, 10]
