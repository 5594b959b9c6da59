"""What other libraries ask of the envs, asked by them."""

from __future__ import annotations

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.vec_env import DummyVecEnv


class Raising(gymnasium.Wrapper):
    """Notes every action that the mask forbade."""

    def __init__(self, env):
        super().__init__(env)
        self.masked = 0

    def step(self, action):
        self.masked += not get_action_masks(self.env)[int(action)]
        return self.env.step(action)


def test_maskable_ppo_learns_on_an_env_as_it_is_and_plays_what_is_legal():
    torch.set_num_threads(1)
    env = Raising(gymnasium.make("OnePlayPoker-v0", illegal_action="raise"))
    model = MaskablePPO("MlpPolicy", DummyVecEnv([lambda: env]), n_steps=64, batch_size=32, n_epochs=1, seed=1)
    before = model.policy.state_dict()["action_net.weight"].clone()
    model.learn(128)
    assert not torch.equal(before, model.policy.state_dict()["action_net.weight"])
    assert env.masked == 0
    observation, _ = env.reset(seed=1)
    mask = get_action_masks(env)
    action, _ = model.predict(observation, action_masks=mask, deterministic=True)
    assert mask.dtype == np.bool_
    assert mask[int(action)]
