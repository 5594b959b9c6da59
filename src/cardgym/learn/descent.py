"""What learners of a policy network share: the network, PyTorch's Adam on its weights, and a step down a loss."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_

from cardgym.players.policy_networks import PolicyNetwork


class Descent:
    """A policy network that learns by Adam, alone or with a critic; a learner adds its loss.

    Attributes:
        network: the network that learns.
        critic: another one that learns beside it; None without.
        optimizer: Adam on the weights of both.
        device: where they are.
    """

    def __init__(
        self,
        network: PolicyNetwork,
        device: torch.device,
        *,
        learning_rate: float,
        adam_epsilon: float,
        max_grad_norm: float = 0.0,
        critic: nn.Module | None = None,
    ) -> None:
        """Move the networks to their device.

        Args:
            network: the network.
            device: where it learns.
            learning_rate: Adam's step size, until `learning_rate` is set.
            adam_epsilon: Adam's epsilon.
            max_grad_norm: longer gradients are shortened to it; 0 leaves them.
            critic: learns beside the network.
        """
        self.network = network.to(device)
        self.critic = None if critic is None else critic.to(device)
        self._weights = [*network.parameters(), *(() if critic is None else critic.parameters())]
        self.optimizer = torch.optim.Adam(self._weights, lr=learning_rate, eps=adam_epsilon, fused=True)
        self.device = device
        self._max_grad_norm = max_grad_norm

    @property
    def learning_rate(self) -> float:
        """Adam's step size."""
        rate: float = self.optimizer.param_groups[0]["lr"]
        return rate

    @learning_rate.setter
    def learning_rate(self, value: float) -> None:
        self.optimizer.param_groups[0]["lr"] = value

    def descend(self, loss: Tensor) -> None:
        """Take one step of Adam against the gradient of a loss, a scalar."""
        self.optimizer.zero_grad()
        torch.autograd.backward(loss)
        if self._max_grad_norm:
            clip_grad_norm_(self._weights, self._max_grad_norm)
        self.optimizer.step()

    def state_dict(self) -> dict[str, Any]:
        """All that decides how learning continues, as tensors and plain values."""
        critic = {} if self.critic is None else {"critic": self.critic.state_dict()}
        return {"network": self.network.state_dict(), **critic, "optimizer": self.optimizer.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        self.network.load_state_dict(state["network"])
        if self.critic is not None:
            self.critic.load_state_dict(state["critic"])
        self.optimizer.load_state_dict(state["optimizer"])
