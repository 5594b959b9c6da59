"""Infos have the same keys and dtypes in every step of every kind of env; vector envs know their seeds."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

GAME = "cardgym:KuhnPoker-v0"
ENDS = ("final_obs", "_final_obs", "final_info", "_final_info")
"""Gymnasium's vector envs have these only in steps in which a game ended."""


def form(info: dict[str, Any]) -> frozenset[tuple[str, str, tuple[int, ...]]]:
    """The keys of an info with the dtypes and shapes of the values."""
    values = {name: np.asarray(value) for name, value in info.items() if name not in ENDS}
    return frozenset((name, value.dtype.str, value.shape) for name, value in values.items())


def played(env: Any, steps: int = 40) -> list[dict[str, Any]]:
    """The infos of random steps of a vector env of 3 rows, the last infos of games included."""
    choose = np.random.default_rng(1)
    _, info = env.reset(seed=3)
    infos, masks, over = [info], info["action_mask"], np.zeros(3, np.bool_)
    for _ in range(steps):
        if env.metadata["autoreset_mode"] is AutoresetMode.DISABLED and over.any():
            _, info = env.reset(options={"reset_mask": over.copy()})
            masks = np.where(over[:, None], info["action_mask"], masks)
            infos.append(info)
        *_, terminated, truncated, info = env.step(np.array([choose.choice(np.flatnonzero(mask)) for mask in masks]))
        masks, over = info["action_mask"], terminated | truncated
        infos += [info, *([info["final_info"]] if "final_info" in info else [])]
    env.close()
    return infos


@pytest.mark.parametrize("arguments", [{}, {"seat": "all"}, {"max_episode_steps": 1}], ids=str)
def test_infos_of_a_single_env_have_the_same_form(arguments: dict[str, Any]) -> None:
    env = gym.make(GAME, **arguments)
    forms = set()
    truncations = 0
    for seed in range(6):
        _, info = env.reset(seed=seed)
        forms.add(form(info))
        over = False
        while not over:
            *_, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
            forms.add(form(info))
            over = terminated or truncated
            if truncated and not terminated:
                truncations += 1
                assert (info["winner"], info["illegal_action"]) == (-1, False)
    (names,) = ({name: dtype for name, dtype, _ in one} for one in forms)
    assert {"action_mask": "|i1", "winner": "<i8", "illegal_action": "|b1"}.items() <= names.items()
    assert (truncations > 0) == ("max_episode_steps" in arguments)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("arguments", [{}, {"seat": "all"}, {"max_episode_steps": 1}], ids=str)
def test_native_and_separate_vector_envs_have_the_same_infos(arguments: dict[str, Any], mode: AutoresetMode) -> None:
    native = played(gym.make_vec(GAME, 3, autoreset_mode=mode, **arguments))
    separate = played(gym.make_vec(GAME, 3, "sync", vector_kwargs={"autoreset_mode": mode}, **arguments))
    assert len({form(info) for info in native + separate}) == 1


def test_a_vector_env_knows_its_seed() -> None:
    env: Any = gym.make_vec(GAME, 3)
    separate: Any = gym.make_vec(GAME, 3, "sync")
    env.reset()  # Draws a seed, which deals these games again.
    assert env.np_random_seed == env.np_random_seed >= 0
    before = env.reset()[0]
    env.reset(seed=env.np_random_seed)
    np.testing.assert_array_equal(env.reset()[0], before)
    for seed, known in ((5, 5), (np.int64(7), 7), ([3, 9, 4], (3, 9, 4)), (np.array([2, 1, 8]), (2, 1, 8))):
        env.reset(seed=seed)
        assert env.np_random_seed == known
        env.reset()
        assert env.np_random_seed == known
        if isinstance(known, tuple):
            separate.reset(seed=list(known))
            assert separate.np_random_seed == known
    env.reset(seed=[None, 6, None])
    assert env.np_random_seed == (2, 6, 8)


@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
def test_render_without_a_mode_warns_and_returns_nothing(make: Any) -> None:
    env = make(GAME)
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="without specifying any render mode"):
        assert env.render() is None
