"""The training of a model of Stable-Baselines3 on any game of cardgym; see cardgym.interop.sb3_config."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.vec_env import VecEnv, VecMonitor, VecNormalize

from cardgym.errors import CardgymError
from cardgym.files import replacing
from cardgym.files.limits import check_memory
from cardgym.files.tensors import NotFiniteError
from cardgym.interop.sb3 import CardVecEnv, MaskableDQN, ModelPlayer, SelfPlayCallback
from cardgym.interop.sb3_config import SB3Config
from cardgym.learn import tags
from cardgym.learn.opponents import OpponentPool
from cardgym.learn.run import TrainingResult
from cardgym.learn.schedules import crossed
from cardgym.learn.tensorboard import TensorBoard
from cardgym.learn.training import Training

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


MODEL_FILE = "model.zip"
"""The file of a run's model, in its folder."""

_NEVER = 2**63
"""Turns off Stable-Baselines3's own logging, which counts episodes or rollouts; our callback logs by steps."""


class SB3Training(Training):
    """The training of a model of Stable-Baselines3, always from the start. It uses one thread."""

    def __init__(self, config: SB3Config, folder: Path, *, restart: bool) -> None:
        """Find the game and the opponents of the evaluations.

        Raises:
            CardgymError: if the folder has a model and `restart` is false; see `Training` for the others.
        """
        if not restart and (folder / MODEL_FILE).exists():
            raise CardgymError(f"{folder}: has a run already; name another folder, or start over with --restart")
        torch.set_num_threads(1)  # Two threads are slower on networks this small, up to 80 times on a busy machine.
        super().__init__(config, folder)
        self._sb3_config = config
        self._pool = OpponentPool.parse(config.opponents, config.total_steps)

    def _make_games(self) -> CardVecEnv:
        """Return the parallel games of the learner's seat."""
        config, options = self._sb3_config, self.options
        env_options: dict[str, Any] = options.asdict()
        return CardVecEnv(
            self.game, config.num_envs,
            num_snapshots=config.num_snapshots,
            opponent="random" if options.num_players == 1 else self._pool.phases[0],
            seat="random" if config.seat < 0 else config.seat,
            obs=config.observation or None,
            illegal_action="random",
            **env_options,
        )  # fmt: skip

    def learn(self) -> None:
        """Train the config's model to the end, and log, evaluate and save it on the way.

        Raises:
            CardgymError: if there is not enough memory for the model's buffer.
            NotFiniteError: if the model's weights are no longer finite when it acts or is saved.
            Stopped: once the model is saved, if the run was asked to end.
        """
        config, games = self._sb3_config, self._make_games()
        env: VecEnv = VecMonitor(games)
        if config.normalize_reward:
            env = VecNormalize(env, norm_obs=False, gamma=config.gamma)
        self._model = model = make_model(config, env)
        games.seed(config.seed)
        player = ModelPlayer(model)

        def save(path: Path) -> None:
            check_finite(model)
            with replacing(path) as temporary:
                model.save(temporary)

        self.begin(
            lambda: model.num_timesteps, lambda: player, save, {},
            checkpoint=MODEL_FILE, log_every=config.log_every,
        )  # fmt: skip
        model.set_logger(Logger(None, [_BoardWriter(self.board)]))
        callbacks: list[BaseCallback] = [
            Every(1, self.progress),
            Every(config.log_every, lambda step: model.dump_logs()),
            Every(config.eval_every if config.eval_opponents or self._is_exact else 0, lambda step: self.evaluate()),
            Every(config.save_every, lambda step: self.save(), between_rollouts=True),
            Every(1, lambda step: self.save() if self._saving.due() else None, between_rollouts=True),
        ]
        if len(self._pool.starts) > 1 and self.options.num_players > 1:
            callbacks.append(_Schedule(self._pool, games))
        if games.self_play.used:
            callbacks.append(SelfPlayCallback(config.snapshot_every))
        try:
            model.learn(config.total_steps, callbacks, log_interval=_NEVER)
        except ValueError:  # PyTorch's distributions refuse NaN.
            check_finite(model)
            raise
        if model.num_timesteps < config.log_every:
            model.dump_logs()
        self.note_if_untrained(model._n_updates, config.learning_starts)
        self.save()

    def _exact_player(self) -> ModelPlayer:
        """Return the model as it learns: a policy with its probabilities, of values the greedy player."""
        return ModelPlayer(self._model, samples=isinstance(self._model, PPO | MaskablePPO))


def check_finite(model: BaseAlgorithm) -> None:
    """Raise `NotFiniteError` if a weight of the model's policy is NaN or infinite."""
    if not all(bool(weight.isfinite().all()) for weight in model.policy.parameters()):
        raise NotFiniteError("its weights are not finite")


def make_model(config: SB3Config, env: VecEnv) -> BaseAlgorithm:
    """Return the model of a config, with Stable-Baselines3's arguments from our keys.

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
        "policy_kwargs": {"net_arch": list(config.hidden_sizes), "activation_fn": torch.nn.ReLU},
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
    """Refuse a buffer that does not fit in memory: Stable-Baselines3 allocates it, with a warning at most."""
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
        between_rollouts: wait until the next rollout starts, when nothing is half done and the state can be saved.
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


class _Schedule(BaseCallback):
    """Draws the opponents of each phase of a schedule in the games that start during it."""

    def __init__(self, pool: OpponentPool, games: CardVecEnv) -> None:
        super().__init__()
        self._pool, self._games, self._phase = pool, games, 0

    def _on_step(self) -> bool:
        if (phase := self._pool.phase(self.num_timesteps)) != self._phase:
            self._phase = phase
            self._games.weigh_opponents(self._pool.phases[phase])
        return True


class _BoardWriter(KVWriter):
    """Writes a logger's numbers to TensorBoard, under the tags that our other scripts give them."""

    def __init__(self, board: TensorBoard) -> None:
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
        """Do nothing: the board is closed by its owner."""


def train(config: SB3Config, folder: Path, restart: bool) -> TrainingResult:
    """Train in this folder, always from the start: Stable-Baselines3 saves models, but no state to resume from."""
    with SB3Training(config, folder, restart=restart) as training:
        training.learn()
        return training.finish()
