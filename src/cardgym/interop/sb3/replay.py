"""A replay buffer that keeps the action masks of the next states, for one step or several."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from stable_baselines3.common.buffers import DictReplayBuffer, ReplayBuffer
from stable_baselines3.common.vec_env import VecNormalize
from torch import Tensor


class MaskableReplayBufferSamples(NamedTuple):
    """Transitions drawn from a `MaskableReplayBuffer`.

    Attributes:
        observations: (batch, ...), or a dict of such.
        actions: (batch, 1), int64.
        next_observations: as `observations`; with n steps those of the last state.
        next_action_masks: which actions are legal there, (batch, actions), bool.
        dones: 1 where the episode ended there, so that the state has no value, (batch, 1), float32.
        rewards: with n steps their discounted sum, (batch, 1), float32.
        discounts: what the value of the last state is multiplied by, (batch, 1), float32; None with one step, where it
            is the algorithm's gamma.
    """

    observations: Any
    actions: Tensor
    next_observations: Any
    next_action_masks: Tensor
    dones: Tensor
    rewards: Tensor
    discounts: Tensor | None = None


class MaskableReplayBuffer(ReplayBuffer):
    """Stable-Baselines3's `ReplayBuffer`, and its `NStepReplayBuffer`, with the masks of the next states.

    Args:
        n_steps: over how many steps rewards are summed.
        gamma: the discount of those sums.
        more: what `ReplayBuffer` takes.

    Attributes:
        next_action_masks: (buffer_size, n_envs, actions), bool.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Space[Any],
        action_space: spaces.Discrete,
        device: torch.device | str = "auto",
        n_envs: int = 1,
        *,
        n_steps: int = 1,
        gamma: float = 0.99,
        **more: Any,
    ) -> None:
        super().__init__(buffer_size, observation_space, action_space, device, n_envs, **more)
        if n_steps > 1 and self.optimize_memory_usage:
            raise ValueError("optimize_memory_usage=True stores no last state of several steps: use n_steps=1")
        self.n_steps = n_steps
        self.gamma = gamma
        self.next_action_masks = np.ones((self.buffer_size, n_envs, int(action_space.n)), np.bool_)

    def add_masks(self, masks: npt.NDArray[np.bool_]) -> None:
        """Keep the masks, (n_envs, actions) bool, of the next states of the transitions that the next `add` stores."""
        self.next_action_masks[self.pos] = masks

    def _get_samples(self, batch_inds: npt.NDArray[Any], env: VecNormalize | None = None) -> Any:
        """The transitions that begin at `batch_inds`, (batch,), each of an env drawn at random.

        With n steps a transition ends early with its episode, and at the transition stored last.
        """
        envs = np.random.randint(0, self.n_envs, size=len(batch_inds))
        steps = np.arange(self.n_steps)
        indices = (batch_inds[:, None] + steps) % self.buffer_size
        dones, timeouts = self.dones[indices, envs[:, None]], self.timeouts[indices, envs[:, None]]
        ends = (dones != 0) | (timeouts != 0) | (indices == (self.pos - 1) % self.buffer_size)
        ends[:, -1] = True
        counts = ends.argmax(axis=1) + 1
        last = (batch_inds + counts - 1) % self.buffer_size
        rewards = self._normalize_reward(self.rewards[indices, envs[:, None]], env)
        returns = (rewards * self.gamma**steps * (steps < counts[:, None])).sum(axis=1, keepdims=True)
        several = self.n_steps > 1
        return MaskableReplayBufferSamples(
            observations=self._take(self.observations, batch_inds, envs, env),
            actions=self.to_torch(self.actions[batch_inds, envs]),
            next_observations=(
                self._take(self.observations, (last + 1) % self.buffer_size, envs, env)
                if self.optimize_memory_usage
                else self._take(self.next_observations, last, envs, env)
            ),
            next_action_masks=self.to_torch(self.next_action_masks[last, envs]),
            dones=self.to_torch((self.dones[last, envs] * (1 - self.timeouts[last, envs]))[:, None]),
            rewards=self.to_torch(returns.astype(np.float32)),
            discounts=self.to_torch((self.gamma ** counts[:, None]).astype(np.float32)) if several else None,
        )

    def _take(
        self, stored: Any, indices: npt.NDArray[Any], envs: npt.NDArray[Any], env: VecNormalize | None
    ) -> Tensor | dict[str, Tensor]:
        """Observations at `indices` of `envs` as tensors, normalized if `env` normalizes."""
        if isinstance(stored, dict):
            taken = self._normalize_obs({name: part[indices, envs] for name, part in stored.items()}, env)
            assert isinstance(taken, dict)
            return {name: self.to_torch(part) for name, part in taken.items()}
        flat = self._normalize_obs(stored[indices, envs], env)
        assert isinstance(flat, np.ndarray)
        return self.to_torch(flat)


class MaskableDictReplayBuffer(MaskableReplayBuffer, DictReplayBuffer):
    """`MaskableReplayBuffer` for observations that are dicts."""
