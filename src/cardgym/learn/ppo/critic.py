"""A critic that reads what all seats see, which only a training may."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from cardgym.learn.ppo.normalization import Normalizer
from cardgym.players.networks import NetworkShape, hidden_layers


class TableCritic(nn.Module):
    """A multilayer perceptron from the observations of all seats to the value of the state for the first of them.

    Whoever sees all hands knows better who will win, so that advantages hold less of the luck of the deal; the policy
    reads its own observation alone (Yang et al., "PerfectDou: dominating DouDizhu with perfect information
    distillation", NeurIPS 2022; a centralized critic as in Lowe et al., "Multi-agent actor-critic for mixed
    cooperative-competitive environments", NeurIPS 2017).
    """

    def __init__(self, num_inputs: int, hidden_sizes: tuple[int, ...], normalizer: Normalizer | None = None) -> None:
        super().__init__()
        body, width = hidden_layers(NetworkShape(num_inputs, 1, hidden_sizes))
        self.normalizer = normalizer or nn.Identity()
        self.body = body
        self.value = nn.Linear(width, 1)

    def forward(self, observations: Tensor, others: Tensor) -> Tensor:
        """State values (rows,), for what a seat sees, (rows, inputs), and what the others do, next seat first."""
        inputs = self.normalizer(torch.cat([observations, others], dim=1))
        values: Tensor = self.value(self.body(inputs)).squeeze(1)
        return values
