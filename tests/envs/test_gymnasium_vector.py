"""What users of Gymnasium's vector envs expect of a native one."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import cardgym
from api_checks import check_rows
from cardgym import CardgymError

GAME = "CorellianSpike-v0"


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_step_limit_truncates_as_in_separate_envs(mode: AutoresetMode) -> None:
    arguments = {"max_episode_steps": 4, "opponent": "heuristic", "hands": 1}
    assert all(check_rows(cardgym.find(GAME), arguments, 4, seed=5, steps=60, mode=mode))


@pytest.mark.parametrize("limit", [0, -1, 2.5])
def test_impossible_step_limit_is_refused(limit: Any) -> None:
    with pytest.raises(CardgymError, match="allowed are whole numbers from 1"):
        gym.make_vec(GAME, 2, max_episode_steps=limit)


@pytest.mark.parametrize(
    ("obs_mode", "observation", "mask", "dtype"),
    [
        ("dict", "observation", "action_mask", np.int8),
        ("torchrl", "observation", "action_mask", np.bool_),
        ("rllib", "observations", "action_mask", np.float32),
        ("tianshou", "obs", "mask", np.bool_),
    ],
)
def test_dict_observations_match_each_library(obs_mode: str, observation: str, mask: str, dtype: Any) -> None:
    env: Any = gym.make(GAME, obs_mode=obs_mode)
    vector: Any = gym.make_vec(GAME, 2, obs_mode=obs_mode)
    plain = gym.make(GAME)
    shown, info = env.reset(seed=4)
    rows, _ = vector.reset(seed=4)
    assert shown in env.observation_space
    assert rows in vector.observation_space
    assert set(shown) == {observation, mask}
    assert shown[mask].dtype == dtype == rows[mask].dtype
    np.testing.assert_array_equal(shown[mask], info["action_mask"])
    np.testing.assert_array_equal(shown[observation], plain.reset(seed=4)[0])
    np.testing.assert_array_equal(rows[observation][0], shown[observation])
    np.testing.assert_array_equal(rows[mask][0], shown[mask])


def test_unexpected_argument_is_a_type_error_too() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'") as caught:
        gym.make(GAME, frameskip=1)
    assert isinstance(caught.value, CardgymError)


def test_info_state_key_has_a_dtype() -> None:
    """TorchRL and other readers of infos ask values for their dtype."""
    keyed = [one for one in cardgym.registered() if cardgym.find(one).state_index.has_indices]
    for game in keyed:
        _, info = gym.make(game).reset(seed=0)
        assert info["info_state_key"].dtype == np.int64
