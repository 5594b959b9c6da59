"""Deep Q-learning: the targets, exploration, and the learner."""

from __future__ import annotations

import copy
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import smooth_l1_loss

from cardgym.engine.contract import Int8s, Int64s
from cardgym.learn import tags
from cardgym.learn.dqn.config import DQNConfig
from cardgym.learn.learner import NetworkLearner
from cardgym.learn.transitions import Transitions
from cardgym.players.networks import QNetwork, masked


def random_legal(masks: Int8s, generator: np.random.Generator) -> Int64s:
    """An action for each row of masks (rows, actions), uniform over the legal ones, (rows,), int64."""
    legal_so_far = np.cumsum(masks != 0, axis=1)
    ranks = generator.integers(0, legal_so_far[:, -1])
    chosen: Int64s = np.argmax(legal_so_far > ranks[:, None], axis=1)
    return chosen


class EpsilonGreedy:
    """Replaces some greedy actions by random legal ones."""

    saved: ClassVar[tuple[str, ...]] = ("_generator",)

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    def __call__(self, greedy: Int64s, masks: Int8s, epsilon: float) -> Int64s:
        """The greedy actions, (rows,), int64, each replaced by a random legal one with probability `epsilon`."""
        exploring = np.flatnonzero(self._generator.random(len(greedy)) < epsilon)
        actions = greedy.copy()
        actions[exploring] = random_legal(masks[exploring], self._generator)
        return actions


def dqn_target(rewards: Tensor, done: Tensor, discount: float, next_values: Tensor, next_masks: Tensor) -> Tensor:
    """r + discount max_a Q'(s', a) over the legal actions a; r alone if the episode ended.

    Mnih et al., "Human-level control through deep reinforcement learning", Nature 518 (2015).

    Args:
        rewards: r, float32; with n steps their discounted sum.
        done: bool, True if the episode ended, so that s' has no value.
        discount: gamma; with n steps gamma^n.
        next_values: Q'(s', .), of the target network.
        next_masks: bool, which actions are legal in s'.
    """
    best = masked(next_values, next_masks).amax(dim=1)
    return rewards + torch.where(done, 0.0, discount * best)


def double_dqn_target(
    rewards: Tensor,
    done: Tensor,
    discount: float,
    next_online_values: Tensor,
    next_values: Tensor,
    next_masks: Tensor,
) -> Tensor:
    """r + discount Q'(s', argmax_a Q(s', a)) over the legal actions a; r alone if the episode ended.

    The online network Q selects the action, the target network Q' evaluates it: van Hasselt, Guez and Silver, "Deep
    reinforcement learning with double Q-learning", AAAI 2016. The arguments are those of `dqn_target`, and Q(s', .) of
    the online network.
    """
    chosen = masked(next_online_values, next_masks).argmax(dim=1, keepdim=True)
    best = next_values.gather(1, chosen).squeeze(1)
    return rewards + torch.where(done, 0.0, discount * best)


class DQNLearner(NetworkLearner[QNetwork]):
    """A Q-network that learns from batches of transitions; `target`, a delayed copy, values the next state.

    DQN: Mnih et al., "Human-level control through deep reinforcement learning", Nature 518 (2015). Double DQN: van
    Hasselt, Guez and Silver, "Deep reinforcement learning with double Q-learning", AAAI 2016.
    """

    saved = (*NetworkLearner.saved, "target")

    def __init__(self, network: QNetwork, config: DQNConfig, device: torch.device | str = "cpu") -> None:
        super().__init__(
            network,
            device,
            learning_rate=config.learning_rate,
            adam_epsilon=config.adam_epsilon,
            max_grad_norm=config.max_grad_norm,
            reports=(tags.TD_LOSS, tags.Q_VALUES),
        )
        self.target = copy.deepcopy(self.network).requires_grad_(False)
        self._config = config

    def update(self, batch: Transitions) -> Tensor:
        """Take one step of Adam on the Huber loss between Q(s, a) and the target; return the loss, a scalar."""
        td_target = self._td_target(batch)
        values = self.network(batch.observations).gather(1, batch.actions[:, None]).squeeze(1)
        loss = smooth_l1_loss(values, td_target)
        self.descend(loss)
        self.updates += 1
        if self.updates % self._config.target_update_interval == 0:
            self._update_target()
        self.log(loss.detach(), values.detach().mean())
        return loss.detach()

    @torch.no_grad()
    def _td_target(self, batch: Transitions) -> Tensor:
        discount = self._config.gamma**self._config.n_step
        next_values = self.target(batch.next_observations)
        if not self._config.double:
            return dqn_target(batch.rewards, batch.done, discount, next_values, batch.next_masks)
        next_online_values = self.network(batch.next_observations)
        return double_dqn_target(batch.rewards, batch.done, discount, next_online_values, next_values, batch.next_masks)

    @torch.no_grad()
    def _update_target(self) -> None:
        for old, new in zip(self.target.parameters(), self.network.parameters(), strict=True):
            old.lerp_(new, self._config.tau)
