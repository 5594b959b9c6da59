"""DQN with action masks: Stable-Baselines3's DQN, as sb3-contrib's MaskablePPO is its PPO."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Self

import gymnasium
import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import DQN
from stable_baselines3.common.buffers import DictReplayBuffer, ReplayBuffer
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.type_aliases import GymEnv, MaybeCallback
from stable_baselines3.common.vec_env import VecEnv, VecNormalize
from stable_baselines3.dqn.policies import DQNPolicy, MultiInputPolicy
from torch import Tensor
from torch.nn.functional import smooth_l1_loss
from torch.nn.utils import clip_grad_norm_

from cardgym.engine.contract import Int64s
from cardgym.errors import CardgymError, of_kind, one_of, printable, quoted
from cardgym.learn.dqn import random_legal, td_target
from cardgym.players.networks import masked

Observations = npt.NDArray[Any] | dict[str, npt.NDArray[Any]]


# -- the replay buffer ------------------------------------------------------------------------------------------------


class MaskableReplayBufferSamples(NamedTuple):
    """Transitions drawn from a `MaskableReplayBuffer`.

    Attributes:
        observations: (batch, ...), or a dict of such.
        actions: (batch, 1), int64.
        next_observations: as `observations`.
        next_action_masks: which actions are legal there, (batch, actions), bool.
        dones: 1 where the episode ended there, so that the state has no value, (batch, 1), float32.
        rewards: (batch, 1), float32.
    """

    observations: Any
    actions: Tensor
    next_observations: Any
    next_action_masks: Tensor
    dones: Tensor
    rewards: Tensor


class MaskableReplayBuffer(ReplayBuffer):
    """Stable-Baselines3's `ReplayBuffer` with the masks of the next states: `next_action_masks`, bool."""

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Space[Any],
        action_space: spaces.Discrete,
        device: torch.device | str = "auto",
        n_envs: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(buffer_size, observation_space, action_space, device, n_envs, **kwargs)
        self.next_action_masks = np.ones((self.buffer_size, n_envs, int(action_space.n)), np.bool_)

    def add_masks(self, masks: npt.NDArray[np.bool_]) -> None:
        """Keep the masks, (n_envs, actions) bool, of the next states of the transitions that the next `add` stores."""
        self.next_action_masks[self.pos] = masks

    def _get_samples(self, batch_inds: npt.NDArray[Any], env: VecNormalize | None = None) -> Any:
        """Return the transitions at `batch_inds`, (batch,), each of an env drawn at random."""
        envs = np.random.randint(0, self.n_envs, size=len(batch_inds))
        is_end = self.dones[batch_inds, envs] * (1 - self.timeouts[batch_inds, envs])
        rewards = self._normalize_reward(self.rewards[batch_inds, envs][:, None], env)
        if self.optimize_memory_usage:
            next_inds, after = (batch_inds + 1) % self.buffer_size, self.observations
        else:
            next_inds, after = batch_inds, self.next_observations
        return MaskableReplayBufferSamples(
            observations=self._take(self.observations, batch_inds, envs, env),
            actions=self.to_torch(self.actions[batch_inds, envs]),
            next_observations=self._take(after, next_inds, envs, env),
            next_action_masks=self.to_torch(self.next_action_masks[batch_inds, envs]),
            dones=self.to_torch(is_end[:, None]),
            rewards=self.to_torch(rewards.astype(np.float32)),
        )

    def _take(self, stored: Any, indices: npt.NDArray[Any], envs: npt.NDArray[Any], env: VecNormalize | None) -> Any:
        """Observations at `indices` of `envs` as tensors, normalized if `env` normalizes."""
        if isinstance(stored, dict):
            taken: Any = self._normalize_obs({name: part[indices, envs] for name, part in stored.items()}, env)
            return {name: self.to_torch(part) for name, part in taken.items()}
        flat: Any = self._normalize_obs(stored[indices, envs], env)
        return self.to_torch(flat)


class MaskableDictReplayBuffer(MaskableReplayBuffer, DictReplayBuffer):
    """`MaskableReplayBuffer` for observations that are dicts."""


# -- the policies -----------------------------------------------------------------------------------------------------


class MaskableDQNPolicy(DQNPolicy):
    """`DQNPolicy` whose greedy choice is among the legal actions if it is given masks."""

    def predict(
        self,
        observation: Observations,
        state: tuple[npt.NDArray[Any], ...] | None = None,
        episode_start: npt.NDArray[Any] | None = None,
        deterministic: bool = False,
        action_masks: npt.NDArray[Any] | None = None,
    ) -> tuple[npt.NDArray[Any], tuple[npt.NDArray[Any], ...] | None]:
        """Return the legal action of the highest value, for one observation or many; of all actions without masks."""
        if action_masks is None:
            return super().predict(observation, state, episode_start, deterministic)
        self.set_training_mode(False)
        inputs, many = self.obs_to_tensor(observation)
        with torch.no_grad():
            values = self.q_net(inputs)
            masks = torch.as_tensor(np.asarray(action_masks, np.bool_), device=values.device).reshape(values.shape)
            actions = masked(values, masks).argmax(dim=1).cpu().numpy()
        return actions if many else actions[0], state


class MaskableMultiInputPolicy(MaskableDQNPolicy, MultiInputPolicy):
    """`MaskableDQNPolicy` for observations that are dicts."""


# -- the algorithm ----------------------------------------------------------------------------------------------------


class MaskableDQN(DQN):
    """DQN restricted to legal actions: random actions, greedy actions and the maximum in the target.

    Mnih et al., "Human-level control through deep reinforcement learning", Nature 518 (2015). With `double`: van
    Hasselt, Guez and Silver, "Deep reinforcement learning with double Q-learning", AAAI 2016.

    It is used like Stable-Baselines3's DQN, with its logger, callbacks, `save` and `load`. The env must have action
    masks, as for MaskablePPO: a method `action_masks`, or the wrapper `ActionMasker`. `predict` takes them, too. Each
    env decides by itself whether to explore; DQN decides once for all envs of a step.

    Args:
        policy: "MlpPolicy", "MultiInputPolicy" or a subclass of `MaskableDQNPolicy`.
        env: the env, or its Gymnasium id.
        args, kwargs: what `DQN` takes.
        double: double DQN's target: the online network chooses the next action, the target network values it.

    Raises:
        CardgymError: for a policy or a replay buffer without masks.
    """

    policy_aliases: ClassVar[dict[str, type[BasePolicy]]] = {
        "MlpPolicy": MaskableDQNPolicy,
        "MultiInputPolicy": MaskableMultiInputPolicy,
    }
    policy: MaskableDQNPolicy
    replay_buffer: MaskableReplayBuffer | None

    def __init__(
        self, policy: str | type[MaskableDQNPolicy], env: GymEnv | str, *args: Any, double: bool = False, **kwargs: Any
    ) -> None:
        of_kind("double", double, bool, "True and False")
        if not isinstance(policy, type):
            one_of("policy", policy, self.policy_aliases)
        if isinstance(env, str):
            try:
                gymnasium.spec(env)
            except gymnasium.error.Error as error:
                raise CardgymError(f"env={quoted(env)}: {printable(str(error))}") from None
        elif env is not None or kwargs.get("_init_setup_model", True):  # `load` has none.
            of_kind("env", env, gymnasium.Env | VecEnv, "envs and ids of Gymnasium")
        self.double = double
        super().__init__(policy, env, *args, **kwargs)

    def _setup_model(self) -> None:
        if not issubclass(self.policy_class, MaskableDQNPolicy):
            raise CardgymError(
                f"policy {self.policy_class.__name__}: MaskableDQN needs a subclass of MaskableDQNPolicy"
            )
        if self.replay_buffer_class is None:
            as_dict = isinstance(self.observation_space, spaces.Dict)
            self.replay_buffer_class = MaskableDictReplayBuffer if as_dict else MaskableReplayBuffer
        elif not issubclass(self.replay_buffer_class, MaskableReplayBuffer):
            name = self.replay_buffer_class.__name__
            raise CardgymError(f"replay_buffer_class {name}: MaskableDQN needs a subclass of MaskableReplayBuffer")
        if getattr(self, "n_steps", 1) > 1:  # Older versions of Stable-Baselines3 only have one step.
            raise CardgymError(f"n_steps={self.n_steps}: MaskableDQN takes one step")
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
        """Return the actions for one observation or many.

        Args:
            observation: one, or (num_envs, ...).
            state: returned unchanged.
            episode_start: not used.
            deterministic: False explores with probability `exploration_rate`, independently in each env.
            action_masks: the legal actions, (actions,) or (num_envs, actions); all actions if None.

        Returns:
            The action or actions, and `state`.
        """
        actions, state = self.policy.predict(observation, state, episode_start, True, action_masks)
        if deterministic or self.exploration_rate <= 0:
            return actions, state
        assert isinstance(self.action_space, spaces.Discrete)
        chosen = np.atleast_1d(actions).copy()
        exploring = np.flatnonzero(np.random.rand(len(chosen)) < self.exploration_rate)
        masks = np.ones((len(chosen), self.action_space.n)) if action_masks is None else action_masks
        chosen[exploring] = self._random_actions(np.reshape(masks, (len(chosen), -1))[exploring])
        return chosen.reshape(actions.shape), state

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Return the actions of the next step of training, twice: as they are played and as they are stored."""
        assert self.env is not None
        assert self._last_obs is not None
        masks = get_action_masks(self.env)
        random = self.num_timesteps < learning_starts
        actions = self._random_actions(masks) if random else self.predict(self._last_obs, action_masks=masks)[0]
        return actions, actions

    def _random_actions(self, masks: npt.NDArray[Any]) -> Int64s:
        """Actions uniform over the legal ones, (rows,), from the generator of the action space, which `seed` seeds."""
        return random_legal(masks.astype(np.int8), self.action_space.np_random)

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

        A done env already shows the mask of its next episode. Its final state has no value unless the episode was
        truncated; then the mask is `infos[i]["action_mask"]`, or all actions without one.
        """
        assert self.env is not None
        assert isinstance(replay_buffer, MaskableReplayBuffer)
        masks = get_action_masks(self.env)
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
        rewards, done = batch.rewards.squeeze(1), batch.dones.squeeze(1) != 0
        next_values = self.q_net_target(batch.next_observations)
        choosing = self.q_net(batch.next_observations) if self.double else next_values
        return td_target(rewards, done, self.gamma, choosing, next_values, batch.next_action_masks)
