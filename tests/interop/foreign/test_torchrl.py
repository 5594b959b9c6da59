"""TorchRL, in its own environment: `make test-interop`."""

from typing import Any

import gymnasium as gym
import pytest

import cardgym
import pages

envs = pytest.importorskip("torchrl.envs")


@pytest.mark.parametrize("game", cardgym.registered())
def test_every_game_by_its_id(game: str) -> None:
    envs.check_env_specs(envs.GymEnv(game))
    envs.check_env_specs(envs.GymEnv(game).auto_register_info_dict())
    masked = envs.TransformedEnv(envs.GymEnv(game, obs_mode="torchrl", illegal_action="raise"), envs.ActionMask())
    envs.check_env_specs(masked)
    assert masked.rollout(100, break_when_any_done=False).shape == (100,)


@pytest.mark.parametrize("game", cardgym.registered())
def test_native_vector_env_plays_legal_actions_through_many_games(game: str) -> None:
    games = gym.make_vec(game, num_envs=8, obs_mode="torchrl", illegal_action="raise", autoreset_mode="Disabled")
    env = envs.TransformedEnv(envs.GymWrapper(games, categorical_action_encoding=True), envs.ActionMask())
    envs.check_env_specs(env)
    played = env.rollout(150, break_when_any_done=False)
    assert played.shape == (8, 150)
    assert played["next", "done"].any()


@pytest.mark.parametrize("game", cardgym.registered())
def test_every_game_as_a_pettingzoo_env(game: str) -> None:
    from cardgym.envs.aec import aec_env

    env = envs.PettingZooWrapper(aec_env(game), use_mask=True)
    envs.check_env_specs(env)
    assert env.rollout(100, break_when_any_done=False).shape == (100,)


def test_page_learns(record_property: Any) -> None:
    names = pages.run("others#TorchRL")
    for name, report in names["reports"].items():
        player = report.players[0]
        record_property(name, f"return {player.mean_return:+.1f}, {player.win_rate:.1%} of hands against random")
        assert player.mean_return > 35  # Credits, of 50 at most.
