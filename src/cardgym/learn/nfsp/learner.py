"""The learner of the average policy: a policy network that imitates all best responses so far."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from cardgym.learn import tags
from cardgym.learn.descent import Descent
from cardgym.learn.nfsp.reservoir import Decisions
from cardgym.learn.ppo.losses import entropy
from cardgym.players.policy_networks import PolicyNetwork, log_probabilities


def imitation_loss(all_log_probs: Tensor, actions: Tensor) -> Tensor:
    """The mean of -log p(a|s): smallest where p is the share of each action among the decisions in s.

    Heinrich and Silver, "Deep reinforcement learning from self-play in imperfect-information games" (2016), alg. 1.

    Args:
        all_log_probs: log p(.|s), (rows, actions), from `log_probabilities`: illegal actions have no share.
        actions: a, (rows,), int64.
    """
    return -all_log_probs.gather(1, actions[:, None]).mean()


class AverageLearner(Descent):
    """A policy network that learns which actions were taken, from samples of a reservoir.

    It has the shape of any policy network, so its checkpoints are players; its state value is not trained.

    Attributes:
        updates: how many updates were made.
    """

    def __init__(self, network: PolicyNetwork, learning_rate: float, adam_epsilon: float, device: torch.device) -> None:
        super().__init__(network, device, learning_rate=learning_rate, adam_epsilon=adam_epsilon)
        self.updates = 0
        self._sums = torch.zeros(2, device=device)  # Of losses and entropies, since `statistics` was called.
        self._summed = 0

    def update(self, batch: Decisions) -> Tensor:
        """Take one step of Adam on the imitation loss of a batch of tensors; the loss, a scalar without a gradient."""
        logits, _ = self.network(batch.observations)
        all_log_probs = log_probabilities(logits, batch.masks)
        loss = imitation_loss(all_log_probs, batch.actions)
        self.descend(loss)
        self.updates += 1
        with torch.no_grad():
            self._sums += torch.stack([loss, entropy(all_log_probs).mean()])
        self._summed += 1
        return loss.detach()

    def statistics(self) -> dict[str, float]:
        """The mean loss and entropy of the updates since the last call, by tag; none if none."""
        if not self._summed:
            return {}
        loss, mean_entropy = (self._sums / self._summed).tolist()
        self._sums.zero_()
        self._summed = 0
        return {tags.SL_LOSS: loss, tags.ENTROPY: mean_entropy}

    def state_dict(self) -> dict[str, Any]:
        """All that decides how learning continues, as tensors and plain values."""
        return {**super().state_dict(), "updates": self.updates}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        super().load_state_dict(state)
        self.updates = state["updates"]
