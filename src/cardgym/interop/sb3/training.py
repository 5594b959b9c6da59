"""What train/sb3.py adds to Stable-Baselines3's training loop."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.vec_env import VecEnv, VecMonitor, VecNormalize

from cardgym.files.limits import check_memory
from cardgym.interop.sb3.maskable_dqn import MaskableDQN
from cardgym.interop.sb3.vec_env import CardVecEnv
from cardgym.interop.sb3_config import SB3Config
from cardgym.learn import tags
from cardgym.learn.evaluation import Board
from cardgym.learn.schedules import crossed

ALGORITHMS: dict[str, type[BaseAlgorithm]] = {
    "maskable_ppo": MaskablePPO,
    "ppo": PPO,
    "maskable_dqn": MaskableDQN,
    "dqn": DQN,
}


TAGS = {
    "rollout/ep_rew_mean": tags.EPISODIC_RETURN,
    "rollout/ep_len_mean": tags.EPISODIC_LENGTH,
    "rollout/exploration_rate": tags.EPSILON,
    "time/fps": tags.SPS,
    "train/approx_kl": tags.APPROX_KL,
    "train/clip_fraction": tags.CLIP_FRACTION,
    "train/explained_variance": tags.EXPLAINED_VARIANCE,
    "train/policy_gradient_loss": tags.POLICY_LOSS,
    "train/value_loss": tags.VALUE_LOSS,
    "train/entropy_loss": "losses/entropy_loss",
    "train/loss": "losses/loss",
}
"""Our tags by Stable-Baselines3's keys; other keys stay as they are. Its entropy loss is the negative entropy."""


def wrapped(config: SB3Config, games: CardVecEnv) -> VecEnv:
    """The games, wrapped so that returns are logged and, if the config says so, rewards are normalized."""
    env = VecMonitor(games)
    return VecNormalize(env, norm_obs=False, gamma=config.gamma) if config.normalize_reward else env


def make_model(config: SB3Config, env: VecEnv) -> BaseAlgorithm:
    """The model of a config, with Stable-Baselines3's arguments from our keys.

    Stable-Baselines3's DQN counts updates and their intervals in steps of all envs at once; they are rounded to these.

    Raises:
        CardgymError: if there is not enough memory for its buffer.
    """
    _check_buffer(config, env)
    final, span = config.learning_rate_final, config.learning_rate - config.learning_rate_final
    arguments: dict[str, Any] = {
        "learning_rate": lambda progress_remaining: final + span * progress_remaining,
        "batch_size": config.batch_size,
        "gamma": config.gamma,
        "max_grad_norm": config.max_grad_norm,
        "policy_kwargs": {"net_arch": list(config.hidden_sizes)},
        "seed": config.seed % 2**32,  # NumPy's global generator takes no more.
        "device": config.device,
    }
    if config.algorithm in ("maskable_ppo", "ppo"):
        names = ["gae_lambda", "ent_coef", "vf_coef"]
        arguments |= {"n_steps": config.num_steps, "n_epochs": config.update_epochs, "clip_range": config.clip_coef}
    else:
        names = ["buffer_size", "learning_starts", "tau"]
        names += ["exploration_initial_eps", "exploration_final_eps", "exploration_fraction"]
        arguments["train_freq"] = max(round(config.train_frequency / config.num_envs), 1)
        arguments["gradient_steps"] = max(round(config.num_envs / config.train_frequency), 1)
        arguments["target_update_interval"] = config.target_update_interval * config.train_frequency
    if config.algorithm == "maskable_dqn":
        names.append("double")
    arguments |= {name: getattr(config, name) for name in names}
    return ALGORITHMS[config.algorithm]("MlpPolicy", env, **arguments)


def _check_buffer(config: SB3Config, env: VecEnv) -> None:
    """Refuse a buffer that does not fit in memory: Stable-Baselines3 warns of it at most, and allocates it."""
    observation, action = env.observation_space, env.action_space
    assert isinstance(action, spaces.Discrete)
    observation_bytes = 4 * math.prod(observation.shape or (1,))
    if config.algorithm in ("maskable_ppo", "ppo"):
        rows, keys = config.num_steps * config.num_envs, "num_steps or num_envs"
        row_bytes = observation_bytes + 4 * int(action.n) + 28  # Its masks are float32, like all the rest.
    else:
        rows, keys = max(config.buffer_size, config.num_envs), "buffer_size"
        row_bytes = 2 * observation_bytes + int(action.n) + 17
    check_memory(f"a buffer of {rows:,} transitions of {row_bytes:,} bytes each", rows * row_bytes, f"lower {keys}")


class Every(BaseCallback):
    """Calls `action(step)` once for each multiple of `interval` steps that the training has passed.

    Args:
        interval: in steps; 0 for never.
        action: what is done.
        between_rollouts: wait for the next rollout to start: then nothing is half done, and the state can be saved.
    """

    def __init__(self, interval: int, action: Callable[[int], object], *, between_rollouts: bool = False) -> None:
        super().__init__()
        self._interval = interval
        self._action = action
        self._between_rollouts = between_rollouts
        self._last_step = 0

    def _on_training_start(self) -> None:
        self._last_step = self.model.num_timesteps

    def _on_step(self) -> bool:
        if not self._between_rollouts:
            self._call_if_due()
        return True

    def _on_rollout_start(self) -> None:
        if self._between_rollouts:
            self._call_if_due()

    def _call_if_due(self) -> None:
        last_step, self._last_step = self._last_step, self.model.num_timesteps
        if crossed(self._interval, last_step, self._last_step):
            self._action(self._last_step)


def board_logger(board: Board) -> Logger:
    """A logger of Stable-Baselines3 that writes its numbers to a board."""
    return Logger(None, [_BoardWriter(board)])


class _BoardWriter(KVWriter):
    """Writes a logger's numbers to a board, under the tags that our other scripts give them."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Write the numbers that are not excluded from TensorBoard."""
        numbers = {
            TAGS.get(key, key): float(value)
            for key, value in key_values.items()
            if isinstance(value, int | float | np.number) and "tensorboard" not in (key_excluded[key] or ())
        }
        self._board.scalars(step, numbers)

    def close(self) -> None:
        """Do nothing: whoever made the board closes it."""
