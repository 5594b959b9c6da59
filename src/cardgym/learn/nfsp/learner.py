"""The learner of the average policy: a policy network that imitates all best responses so far."""

from __future__ import annotations

import torch
from torch import Tensor

from cardgym.learn import tags
from cardgym.learn.buffers import Decisions
from cardgym.learn.learner import NetworkLearner, entropy
from cardgym.learn.nfsp.config import NFSPConfig
from cardgym.players.policy_networks import PolicyNetwork, log_probabilities


def imitation_loss(all_log_probs: Tensor, actions: Tensor) -> Tensor:
    """The mean of -log p(a|s): smallest where p is the share of each action among the decisions in s.

    Heinrich and Silver, "Deep reinforcement learning from self-play in imperfect-information games" (2016), alg. 1.

    Args:
        all_log_probs: log p(.|s), (rows, actions), from `log_probabilities`: illegal actions have no share.
        actions: a, (rows,), int64.
    """
    return -all_log_probs.gather(1, actions[:, None]).mean()


class AverageLearner(NetworkLearner[PolicyNetwork]):
    """A policy network that learns which actions were taken, from samples of a reservoir.

    Its checkpoints are players like those of any policy network; its state value is not trained.
    """

    def __init__(self, network: PolicyNetwork, config: NFSPConfig, device: torch.device) -> None:
        super().__init__(
            network,
            device,
            learning_rate=config.sl_learning_rate,
            adam_epsilon=config.adam_epsilon,
            reports=(tags.SL_LOSS, tags.ENTROPY),
        )

    def update(self, batch: Decisions) -> Tensor:
        """Take one step of Adam on the imitation loss of a batch of tensors; the loss, a scalar without a gradient."""
        logits, _ = self.network(batch.observations)
        all_log_probs = log_probabilities(logits, batch.masks)
        loss = imitation_loss(all_log_probs, batch.actions)
        self.descend(loss)
        self.updates += 1
        self.log(loss.detach(), entropy(all_log_probs.detach()).mean())
        return loss.detach()
