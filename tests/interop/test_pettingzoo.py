"""PettingZoo's own tests, and its part of docs/interop/gymnasium.md.

Its `api_test` and `seed_test` are in the contract suite.
"""

import copy
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import pages
from cardgym import CardgymError
from cardgym.envs import aec


def test_envs_render_text_and_pictures() -> None:
    for mode, kind in (("ansi", str), ("rgb_array", np.ndarray)):
        env = aec.aec_env("KuhnPoker-v0", render_mode=mode)
        env.reset(seed=1)
        assert isinstance(env.render(), kind)


def test_agents_are_players() -> None:
    env = aec.aec_env("CorellianSpike-v0", num_players=3)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]


def test_infos_have_the_same_keys_and_the_masks_of_the_observations() -> None:
    env = aec.aec_env("KuhnPoker-v0")
    for seed in range(4):
        env.reset(seed=seed)
        while env.agents:
            for agent in env.agents:
                info = env.infos[agent]
                assert {name: np.asarray(info[name]).dtype for name in info} == {
                    "winner": np.int64,
                    "illegal_action": np.bool_,
                    "action_mask": np.int8,
                    "info_state_key": np.int64,
                }
                np.testing.assert_array_equal(info["action_mask"], env.observe(agent)["action_mask"])
            for copied in (copy.deepcopy(info), pickle.loads(pickle.dumps(info)), dict(info)):
                np.testing.assert_array_equal(copied["action_mask"], info["action_mask"])
            *_, terminated, _, info = env.last()
            assert info["action_mask"].all() or not terminated
            env.step(None if terminated else int(info["action_mask"].argmax()))


def test_calls_in_the_wrong_order_are_answered_as_by_pettingzoo(caplog: pytest.LogCaptureFixture) -> None:
    env = aec.aec_env("KuhnPoker-v0")
    for name in ("step", "observe"):
        with pytest.raises(AssertionError, match=rf"reset\(\) needs to be called before {name}"):
            getattr(env, name)(0)
    with pytest.raises(AttributeError, match="agent_selection cannot be accessed before reset"):
        env.last()
    env.reset(seed=1)
    while env.agents:
        env.step(None if env.last()[2] else int(env.last()[0]["action_mask"].argmax()))
    env.step(0)
    assert "step() called after all agents are terminated" in caplog.text


def test_reset_deals_a_deck_as_the_single_env_does_or_refuses() -> None:
    single: Any = gym.make("CodaMini-v0", seat="all")
    deck = np.arange(single.unwrapped._core.seated.batch.states[0].n)[::-1].tolist()
    observation, _ = single.reset(options={"deck": deck})
    env = aec.aec_env("CodaMini-v0")
    env.reset(options={"deck": deck})
    np.testing.assert_array_equal(env.last()[0]["observation"], observation)
    for options in ({"foo": 1}, {"deck": [1]}, {"deck": None}, 5, [1], "deck"):
        with pytest.raises(CardgymError):
            env.reset(options=options)


@pytest.mark.parametrize("player", ["random", "honest", {"random": 1, "honest": 2}, lambda _, mask: mask.argmax()],
                         ids=["random", "compiled", "mixture", "callable"])  # fmt: skip
def test_a_player_in_a_loop_plays_as_the_same_opponent_does(player: Any) -> None:
    game = "KuhnPoker-v0"
    against, alone = gym.make(game, opponent=player), aec.aec_env(game)
    all_seats: Any = gym.make(game, seat="all").unwrapped
    rows: Any = gym.make_vec(game, 2, seat="all")
    choosers = [env.player(player) for env in (alone, all_seats, rows)]
    played = set()
    for seed in range(25):
        observation, info = against.reset(seed=seed)
        alone.reset(seed=seed)
        _, whole = all_seats.reset(seed=seed)
        rows.reset(seed=[seed, seed])
        over = False
        while not all(alone.terminations.values()):
            if alone.agent_selection == "player_0":
                np.testing.assert_array_equal(alone.last()[0]["observation"], observation)
                action = seed % 2
                observation, _, over, _, info = against.step(action)
            else:
                action, same, both = (choose() for choose in choosers)
                assert [action, same, *both] == [action] * 4
                played.add(action)
            alone.step(action)
            *_, whole = all_seats.step(action)
            rows.step(np.array([action, action]))
        assert over
        assert {int(each["winner"]) for each in (*alone.infos.values(), whole)} == {int(info["winner"])}
    assert played


def test_page_runs() -> None:
    names = pages.run("gymnasium#PettingZoo", {"range(3_000)": "range(300)", "Cribbage-v0": "KuhnPoker-v0"})
    assert len(names["values"]) > 100
