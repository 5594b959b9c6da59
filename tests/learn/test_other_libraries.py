"""Stable-Baselines3 trains on the envs as they are."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.vec_env import DummyVecEnv

from cardgym.engine.contract import Game


class CountIllegal(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Counts the actions that the mask forbids."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self.illegal = 0

    def step(self, action: Any) -> Any:
        self.illegal += not get_action_masks(self.env)[int(action)]
        return self.env.step(action)


def test_maskable_ppo_learns_and_plays_legal_actions(tiny: Game) -> None:
    torch.set_num_threads(1)
    env = CountIllegal(gymnasium.make(tiny.id, illegal_action="raise"))
    model = MaskablePPO("MlpPolicy", DummyVecEnv([lambda: env]), n_steps=64, batch_size=32, n_epochs=1, seed=1)
    before = model.policy.state_dict()["action_net.weight"].clone()
    model.learn(128)
    assert not torch.equal(before, model.policy.state_dict()["action_net.weight"])
    assert env.illegal == 0
    observation, _ = env.reset(seed=1)
    mask = get_action_masks(env)
    action, _ = model.predict(observation, action_masks=mask, deterministic=True)
    assert mask.dtype == np.bool_
    assert mask[int(action)]
