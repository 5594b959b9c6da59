"""The learner of DQN and double DQN: the network, its delayed copy, and the update."""

from __future__ import annotations

import copy

import torch
from torch import Tensor
from torch.nn.functional import smooth_l1_loss

from cardgym.learn import tags
from cardgym.learn.dqn.config import DQNConfig
from cardgym.learn.dqn.targets import double_dqn_target, dqn_target
from cardgym.learn.learner import NetworkLearner
from cardgym.learn.transitions import Transitions
from cardgym.players.networks import QNetwork


class DQNLearner(NetworkLearner[QNetwork]):
    """A Q-network that learns from batches of transitions.

    DQN: Mnih et al., "Human-level control through deep reinforcement learning", Nature 518 (2015). Double DQN: van
    Hasselt, Guez and Silver, "Deep reinforcement learning with double Q-learning", AAAI 2016.

    Attributes:
        target: the network that values the next state, a delayed copy of `network`.
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
        """Take one step of Adam on the Huber loss between Q(s, a) and the target.

        Args:
            batch: transitions as tensors on the learner's device.

        Returns:
            The loss, a scalar without a gradient.
        """
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
