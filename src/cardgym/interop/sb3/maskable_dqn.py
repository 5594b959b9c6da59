"""DQN with action masks: Stable-Baselines3's DQN, as sb3-contrib's MaskablePPO is its PPO."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import DQN
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.type_aliases import GymEnv, MaybeCallback
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.dqn.policies import CnnPolicy, DQNPolicy, MultiInputPolicy
from torch import Tensor
from torch.nn.functional import smooth_l1_loss
from torch.nn.utils import clip_grad_norm_

from cardgym.errors import CardgymError
from cardgym.interop.sb3.replay import MaskableDictReplayBuffer, MaskableReplayBuffer, MaskableReplayBufferSamples
from cardgym.learn.dqn.targets import double_dqn_target, dqn_target
from cardgym.learn.exploration import random_legal
from cardgym.players.networks import masked

Observations = npt.NDArray[Any] | dict[str, npt.NDArray[Any]]


def action_masks_of(env: VecEnv) -> npt.NDArray[np.bool_]:
    """The legal actions of every env, (num_envs, actions) bool.

    A vec env with a method `action_masks` gives them at once; others are asked env by env.
    """
    masks = env.action_masks() if hasattr(env, "action_masks") else get_action_masks(env)
    return np.asarray(masks, np.bool_)


class MaskableDQNPolicy(DQNPolicy):
    """`DQNPolicy` whose greedy choice is among the legal actions, where it is given masks."""

    def predict(
        self,
        observation: Observations,
        state: tuple[npt.NDArray[Any], ...] | None = None,
        episode_start: npt.NDArray[Any] | None = None,
        deterministic: bool = False,
        action_masks: npt.NDArray[Any] | None = None,
    ) -> tuple[npt.NDArray[Any], tuple[npt.NDArray[Any], ...] | None]:
        """The legal action of the highest value, for one observation or many; of all actions without masks."""
        if action_masks is None:
            return super().predict(observation, state, episode_start, deterministic)
        self.set_training_mode(False)
        inputs, many = self.obs_to_tensor(observation)
        with torch.no_grad():
            values = self.q_net(inputs)
            masks = torch.as_tensor(np.asarray(action_masks, np.bool_), device=values.device).reshape(values.shape)
            actions = masked(values, masks).argmax(dim=1).cpu().numpy()
        return actions if many else actions[0], state


class MaskableCnnPolicy(MaskableDQNPolicy, CnnPolicy):
    """`MaskableDQNPolicy` for pictures."""


class MaskableMultiInputPolicy(MaskableDQNPolicy, MultiInputPolicy):
    """`MaskableDQNPolicy` for observations that are dicts."""


class MaskableDQN(DQN):
    """DQN that keeps to the legal actions: in its random actions, its greedy ones and the maximum of its target.

    Mnih et al., "Human-level control through deep reinforcement learning", Nature 518 (2015). With `double`: van
    Hasselt, Guez and Silver, "Deep reinforcement learning with double Q-learning", AAAI 2016.

    It is used like Stable-Baselines3's DQN, with its logger, callbacks, `save` and `load`. The env has to have action
    masks, as for MaskablePPO: a method `action_masks`, or the wrapper `ActionMasker`. `predict` takes them too. Each
    env draws for itself whether it explores, where DQN draws once for all envs of a step.

    Args:
        policy: "MlpPolicy", "CnnPolicy", "MultiInputPolicy" or a class below `MaskableDQNPolicy`.
        env: the env, or its Gymnasium id.
        more: what `DQN` takes, by position or name.
        double: double DQN's target: the online network chooses the next action, the target network values it.

    Raises:
        CardgymError: for a policy or a replay buffer without masks.
    """

    policy_aliases: ClassVar[dict[str, type[BasePolicy]]] = {
        "MlpPolicy": MaskableDQNPolicy,
        "CnnPolicy": MaskableCnnPolicy,
        "MultiInputPolicy": MaskableMultiInputPolicy,
    }
    policy: MaskableDQNPolicy
    replay_buffer: MaskableReplayBuffer | None

    def __init__(
        self, policy: str | type[MaskableDQNPolicy], env: GymEnv | str, *more: Any, double: bool = False, **named: Any
    ) -> None:
        self.double = double
        super().__init__(policy, env, *more, **named)

    def _setup_model(self) -> None:
        if not issubclass(self.policy_class, MaskableDQNPolicy):
            raise CardgymError(f"policy {self.policy_class.__name__}: MaskableDQN needs one below MaskableDQNPolicy")
        if self.replay_buffer_class is None:
            as_dict = isinstance(self.observation_space, spaces.Dict)
            self.replay_buffer_class = MaskableDictReplayBuffer if as_dict else MaskableReplayBuffer
            if getattr(self, "n_steps", 1) > 1:  # Older versions of Stable-Baselines3 have one step only.
                self.replay_buffer_kwargs = {**self.replay_buffer_kwargs, "n_steps": self.n_steps, "gamma": self.gamma}
        elif not issubclass(self.replay_buffer_class, MaskableReplayBuffer):
            name = self.replay_buffer_class.__name__
            raise CardgymError(f"replay_buffer_class {name}: MaskableDQN needs one below MaskableReplayBuffer")
        with warnings.catch_warnings():  # `n_steps` is not ignored: the buffer above has it.
            warnings.filterwarnings("ignore", "`n_steps=")
            super()._setup_model()

    # -- acting -------------------------------------------------------------------------------------------------------

    def predict(
        self,
        observation: Observations,
        state: tuple[npt.NDArray[Any], ...] | None = None,
        episode_start: npt.NDArray[Any] | None = None,
        deterministic: bool = False,
        action_masks: npt.NDArray[Any] | None = None,
    ) -> tuple[npt.NDArray[Any], tuple[npt.NDArray[Any], ...] | None]:
        """The actions for one observation or many.

        Args:
            observation: one, or (num_envs, ...).
            state: returned as it is.
            episode_start: not used.
            deterministic: False explores with probability `exploration_rate`, in each env by itself.
            action_masks: the legal actions, (actions,) or (num_envs, actions); all of them without.

        Returns:
            The action or actions, and `state`.
        """
        actions, state = self.policy.predict(observation, state, episode_start, True, action_masks)
        if deterministic or self.exploration_rate <= 0:
            return actions, state
        chosen = np.atleast_1d(actions).copy()
        exploring = np.flatnonzero(np.random.rand(len(chosen)) < self.exploration_rate)
        masks = np.ones((len(chosen), self._num_actions)) if action_masks is None else action_masks
        chosen[exploring] = self._random_actions(np.reshape(masks, (len(chosen), -1))[exploring])
        return chosen.reshape(actions.shape), state

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The actions of the next step of training, twice: as they are played and as they are stored."""
        assert self.env is not None
        assert self._last_obs is not None
        masks = action_masks_of(self.env)
        if self.num_timesteps < learning_starts:
            actions = self._random_actions(masks)
        else:
            actions, _ = self.predict(self._last_obs, action_masks=masks)
        return actions, actions

    def _random_actions(self, masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Actions uniform over the legal ones, (rows,), from the generator of the action space, which `seed` seeds."""
        return random_legal(masks.astype(np.int8), self.action_space.np_random)

    @property
    def _num_actions(self) -> int:
        assert isinstance(self.action_space, spaces.Discrete)
        return int(self.action_space.n)

    # -- learning -----------------------------------------------------------------------------------------------------

    def learn(
        self,
        total_timesteps: int,
        callback: MaybeCallback = None,
        log_interval: int = 4,
        tb_log_name: str = "MaskableDQN",
        reset_num_timesteps: bool = True,
        progress_bar: bool = False,
    ) -> Self:
        """Train; see `DQN.learn`.

        Raises:
            CardgymError: for an env without action masks.
        """
        if self.env is not None and not is_masking_supported(self.env):
            raise CardgymError("the env has no action masks; wrap it in sb3_contrib.common.wrappers.ActionMasker")
        return super().learn(total_timesteps, callback, log_interval, tb_log_name, reset_num_timesteps, progress_bar)

    def _store_transition(
        self,
        replay_buffer: ReplayBuffer,
        buffer_action: npt.NDArray[Any],
        new_obs: Observations,
        reward: npt.NDArray[Any],
        dones: npt.NDArray[Any],
        infos: list[dict[str, Any]],
    ) -> None:
        """Store a step of every env with the masks of its next state.

        A done env shows the mask of its next episode already. The state that it ended in has no value, unless the
        episode was cut off: then its mask is `infos[i]["action_mask"]`, or without one all actions count as legal.
        """
        assert self.env is not None
        assert isinstance(replay_buffer, MaskableReplayBuffer)
        masks = action_masks_of(self.env).copy()
        for i in np.flatnonzero(dones):
            masks[i] = infos[i].get("action_mask", True)
        replay_buffer.add_masks(masks)
        super()._store_transition(replay_buffer, buffer_action, new_obs, reward, dones, infos)

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        """Update the network; see `DQN.train`."""
        assert self.replay_buffer is not None
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        losses = []
        for _ in range(gradient_steps):
            batch: Any = self.replay_buffer.sample(batch_size, env=self._vec_normalize_env)
            td_target = self._td_target(batch)
            values = self.q_net(batch.observations).gather(1, batch.actions.long()).squeeze(1)
            loss = smooth_l1_loss(values, td_target)
            losses.append(loss.item())
            self.policy.optimizer.zero_grad()
            torch.autograd.backward(loss)
            clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
            self.policy.optimizer.step()
        self._n_updates += gradient_steps
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/loss", np.mean(losses))

    @torch.no_grad()
    def _td_target(self, batch: MaskableReplayBufferSamples) -> Tensor:
        """What the network learns towards, (batch,)."""
        rewards, done = batch.rewards.squeeze(1), batch.dones.squeeze(1) != 0
        discount = self.gamma if batch.discounts is None else batch.discounts.squeeze(1)
        next_values = self.q_net_target(batch.next_observations)
        if not self.double:
            return dqn_target(rewards, done, discount, next_values, batch.next_action_masks)
        next_online_values = self.q_net(batch.next_observations)
        return double_dqn_target(rewards, done, discount, next_online_values, next_values, batch.next_action_masks)
