"""The learner of DQN and double DQN: two networks, an optimizer and the update."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import smooth_l1_loss

from cardgym.learn import tags
from cardgym.learn.adam import Adam
from cardgym.learn.dqn.gradient import QNetworkGradient
from cardgym.learn.dqn.targets import double_dqn_target, dqn_target
from cardgym.learn.transitions import Transitions
from cardgym.players.networks import NetworkShape, QNetwork


class DQNLearner:
    """A Q-network that learns from batches of transitions.

    DQN: Mnih et al., "Human-level control through deep reinforcement learning", Nature 518 (2015). Double DQN: van
    Hasselt, Guez and Silver, "Deep reinforcement learning with double Q-learning", AAAI 2016.

    Attributes:
        online: the network that learns.
        target: the network that values the next state; a delayed copy of `online`.
        device: where they are.
        updates: how many updates were made.
    """

    def __init__(
        self,
        shape: NetworkShape,
        *,
        double: bool,
        discount: float,
        learning_rate: float,
        target_update_interval: int,
        tau: float = 1.0,
        adam_epsilon: float = 1e-8,
        max_grad_norm: float = 0.0,
        device: torch.device | str = "cpu",
    ) -> None:
        """Make the networks with PyTorch's global generator.

        Args:
            shape: of both networks.
            double: double DQN's target instead of DQN's.
            discount: what the next state's value is multiplied by: gamma, with n steps gamma^n.
            learning_rate: Adam's step size, until `learning_rate` is set.
            target_update_interval: updates from one update of the target network to the next.
            tau: the share of the target network's weights that is replaced each time; 1 copies all of them.
            adam_epsilon: Adam's epsilon.
            max_grad_norm: longer gradients are shortened to it; 0 leaves them.
            device: where the networks are.
        """
        self.device = torch.device(device)
        self.online = QNetwork(shape).to(self.device)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self._online = QNetworkGradient(self.online)
        self.optimizer = Adam(self._online.parameters, learning_rate, epsilon=adam_epsilon)
        self.updates = 0
        self._double = double
        self._discount = discount
        self._target_update_interval = target_update_interval
        self._tau = tau
        self._max_grad_norm = max_grad_norm
        self._sums = torch.zeros(2, device=device)  # Of losses and of mean values, since `statistics` was called.
        self._summed = 0

    @property
    def learning_rate(self) -> float:
        """Adam's step size."""
        return self.optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, value: float) -> None:
        self.optimizer.learning_rate = value

    @torch.no_grad()
    def update(self, batch: Transitions) -> Tensor:
        """Take one step of Adam on Huber's loss between Q(s, a) and the target.

        Args:
            batch: transitions as tensors on the learner's device.

        Returns:
            The loss, a scalar without a gradient.
        """
        td_target = self._td_target(batch)
        values = self._online.forward(batch.observations)
        actions = batch.actions[:, None]
        taken = values.gather(1, actions).squeeze(1)
        loss = smooth_l1_loss(taken, td_target)
        # The derivative of Huber's loss is the error, clipped; that of the mean is a share of each row.
        slope = (taken - td_target).clamp_(-1, 1).div_(len(taken))
        self._online.backward(torch.zeros_like(values).scatter_(1, actions, slope[:, None]))
        if self._max_grad_norm:
            norm = self._online.gradient.norm()
            self._online.gradient.mul_((self._max_grad_norm / (norm + 1e-6)).clamp_(max=1))
        self.optimizer.step(self._online.gradient)
        self.updates += 1
        if self.updates % self._target_update_interval == 0:
            self._update_target()
        self._sums[0].add_(loss)
        self._sums[1].add_(taken.mean())
        self._summed += 1
        return loss

    def _td_target(self, batch: Transitions) -> Tensor:
        next_values = self.target(batch.next_observations)
        if not self._double:
            return dqn_target(batch.rewards, batch.done, self._discount, next_values, batch.next_masks)
        next_online_values = self.online(batch.next_observations)
        return double_dqn_target(
            batch.rewards, batch.done, self._discount, next_online_values, next_values, batch.next_masks
        )

    def _update_target(self) -> None:
        for old, new in zip(self.target.parameters(), self.online.parameters(), strict=True):
            old.lerp_(new, self._tau)

    def statistics(self) -> dict[str, float]:
        """The mean loss and the mean value of the actions in the samples since the last call, by tag; none if none."""
        if not self._summed:
            return {}
        loss, mean_q = (self._sums / self._summed).tolist()
        self._sums.zero_()
        self._summed = 0
        return {tags.TD_LOSS: loss, tags.Q_VALUES: mean_q}

    def state_dict(self) -> dict[str, Any]:
        """All that decides how learning continues, as tensors and plain values."""
        return {
            "online": self.online.state_dict(),
            "target": self.target.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "updates": self.updates,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        self.online.load_state_dict(state["online"])
        self.target.load_state_dict(state["target"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.updates = state["updates"]
