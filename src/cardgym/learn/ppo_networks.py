"""What PPO adds to a policy network while it trains: normalized inputs, and a critic that sees all seats.

Checkpoints have neither: the normalizer is folded into the first layer, and players need no critic.
"""

from __future__ import annotations

import copy

import numpy as np
import torch
from torch import Tensor, nn

from cardgym.files.limits import check_memory
from cardgym.learn.rollouts import SelfPlayRollout
from cardgym.players.network_shapes import NetworkShape
from cardgym.players.networks import hidden_layers, linear
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer

_DECISIONS = 50_000
"""How many decisions of the first policy the observations are measured over."""
_SMALLEST_DEVIATION = 0.05
"""Floor on the standard deviation, so near-constant inputs are not amplified."""


class Normalizer(nn.Module):
    """Shifts and scales its inputs by fixed numbers.

    Attributes:
        shift: what is subtracted from each input, (inputs,), float32.
        scale: what the difference is multiplied by, (inputs,), float32.
    """

    shift: Tensor
    scale: Tensor

    def __init__(self, shift: Tensor, scale: Tensor) -> None:
        super().__init__()
        self.register_buffer("shift", shift)
        self.register_buffer("scale", scale)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the inputs normalized, (rows, inputs), float32."""
        return (inputs - self.shift) * self.scale


def measure(
    rollout: SelfPlayRollout, player: PolicyPlayer, generator: np.random.Generator, *, others: bool
) -> Normalizer:
    """Return the normalizer of what a player sees, measured over the first observations of a rollout.

    Observations differ in scale by a factor of a hundred, and Adam moves all weights alike: small inputs are learned
    last (Andrychowicz et al., "What matters for on-policy deep actor-critic methods?", ICLR 2021).

    Args:
        rollout: separate games, used only for this.
        player: the policy that starts the training.
        others: also measure what the other seats see, which follows the seat's own observation.
    """
    size = rollout.turns.observations.shape[1] * (rollout.options.num_players if others else 1)
    check_memory(f"{_DECISIONS:,} observations to normalize by", 8 * _DECISIONS * size, "leave normalize out")
    seen = []
    while rollout.decisions < _DECISIONS:
        _, observations, masks = rollout.turns
        seen.append(np.concatenate([observations, rollout.others()], axis=1) if others else observations)
        rollout.step(player.act(observations, masks, generator.random(len(masks))))
    table = np.concatenate(seen)
    deviations = table.std(axis=0, dtype=np.float64)
    # An input that has been constant so far may still vary later, over its whole range of about 1.
    scale = np.where(deviations > 0, 1 / np.maximum(deviations, _SMALLEST_DEVIATION), 1.0)
    return Normalizer(*(torch.from_numpy(numbers.astype(np.float32)) for numbers in (table.mean(axis=0), scale)))


@torch.no_grad()
def insert(network: PolicyNetwork, normalizer: Normalizer, *, same_function: bool) -> None:
    """Put the normalizer of an observation before the hidden layers of a network.

    Args:
        network: the network; its features by action are not normalized.
        normalizer: of all inputs of the network; further inputs after them are ignored.
        same_function: adapt the first layer so that the network computes the same as before, for weights that were
            trained.
    """
    own = Normalizer(normalizer.shift[network.others].clone(), normalizer.scale[network.others].clone())
    first = _first_layer(network.body)
    if same_function:
        first.bias.add_(first.weight @ own.shift)
        first.weight.div_(own.scale)
    network.body.insert(0, own)


@torch.no_grad()
def folded(network: PolicyNetwork) -> PolicyNetwork:
    """Return the network itself, or if it has a normalizer, a copy that computes the same without one."""
    if not isinstance(network.body[0], Normalizer):
        return network
    plain = copy.deepcopy(network)
    own = plain.body.pop(0)
    assert isinstance(own, Normalizer)
    first = _first_layer(plain.body)
    first.weight.mul_(own.scale)
    first.bias.sub_(first.weight @ own.shift)
    return plain


def _first_layer(body: nn.Sequential) -> nn.Linear:
    layer = body[0]
    assert isinstance(layer, nn.Linear)
    return layer


class CentralCritic(nn.Module):
    """A multilayer perceptron from the observations of all seats to the value of the state for the first of them.

    A critic that sees all hands predicts the winner better, so advantages contain less of the luck of the deal; the
    policy still reads only its own observation (Yang et al., "PerfectDou: dominating DouDizhu with perfect information
    distillation", NeurIPS 2022; a centralized critic as in Lowe et al., "Multi-agent actor-critic for mixed
    cooperative-competitive environments", NeurIPS 2017).
    """

    def __init__(self, num_inputs: int, hidden_sizes: tuple[int, ...], normalizer: Normalizer | None = None) -> None:
        super().__init__()
        body, width = hidden_layers(NetworkShape(num_inputs, 1, hidden_sizes))
        self.normalizer = normalizer or nn.Identity()
        self.body = body
        self.value = linear(width, 1)

    def inputs(self, observations: Tensor, others: Tensor) -> Tensor:
        """Return what it reads, normalized, for what a seat sees, (rows, inputs), and what the others do, next seat
        first.
        """
        table: Tensor = self.normalizer(torch.cat([observations, others], dim=1))
        return table

    def forward(self, inputs: Tensor) -> Tensor:
        """State values (rows,), for the result of `inputs`."""
        values: Tensor = self.value(self.body(inputs)).squeeze(1)
        return values
